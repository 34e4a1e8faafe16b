"""The level acceleration that a structure bears: sliding, toppling, and what a tower does."""

import math

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.mechanics import find_safety, solve_equilibrium
from anastylosis.structure import jenga_tower
from support.worlds import box_structure

L, W, H = BLOCK = (0.081, 0.026, 0.018)
G = 9.81


def test_a_flat_block_slides() -> None:
    # mu g in the directions of the rays.
    safety = find_safety(box_structure(BLOCK, [(0, 0, H / 2)], friction=0.3))
    np.testing.assert_allclose(safety.acceleration, 0.3 * G, rtol=1e-6)
    assert safety.stands
    assert safety.share == pytest.approx(0.3)
    assert safety.smallest == pytest.approx(0.3 * G)


def test_between_rays_sliding_is_early() -> None:
    # Inscribed pyramid: mu g cos(pi / 8) half way between two of 8 rays.
    safety = find_safety(box_structure(BLOCK, [(0, 0, H / 2)], friction=0.3), directions=16)
    np.testing.assert_allclose(safety.acceleration[::2], 0.3 * G, rtol=1e-6)
    np.testing.assert_allclose(safety.acceleration[1::2], 0.3 * G * math.cos(math.pi / 8), rtol=1e-6)


def test_a_tall_block_topples() -> None:
    # a / g = (w / 2) / (h / 2); across a corner it is the nearer of the two edges that counts: w / (h cos).
    wide, deep, high = 0.05, 0.04, 0.2
    safety = find_safety(box_structure((wide, deep, high), [(0, 0, high / 2)], friction=0.9))
    np.testing.assert_allclose(safety.direction[:3], [(1, 0), (math.sqrt(0.5), math.sqrt(0.5)), (0, 1)], atol=1e-12)
    np.testing.assert_allclose(safety.acceleration[:3] / G, [wide / high, deep / high * math.sqrt(2), deep / high], rtol=1e-6)
    assert safety.weakest in (2, 6)
    assert safety.share == pytest.approx(deep / high)


def test_an_off_centre_block_has_a_weak_side() -> None:
    # The top cube is 30 mm off towards x; the centre of both is 15 mm off and 100 mm up. When the ground goes to -x both
    # turn about the ground edge, (50 - 15) / 100, before the top one does alone, 20 / 50; to +x (50 + 15) / 100.
    safety = find_safety(box_structure((0.1, 0.1, 0.1), [(0, 0, 0.05), (0.03, 0, 0.15)], friction=2.0), directions=4)
    np.testing.assert_allclose(safety.acceleration[[0, 2]] / G, (0.65, 0.35), rtol=1e-6)
    assert safety.weakest == 2


def test_the_upper_block_can_be_the_weak_one() -> None:
    # 45 mm off: alone it tips at 5 / 50, both together only at (50 - 22.5) / 100.
    safety = find_safety(box_structure((0.1, 0.1, 0.1), [(0, 0, 0.05), (0.045, 0, 0.15)], friction=2.0), directions=4)
    assert safety.share == pytest.approx(0.1)


def test_an_intact_tower() -> None:
    # 12 layers, rough enough not to slide. Course 0 lies along x. Along x all turn about its ends: L / 2 over 6 H.
    # Along y only the outer block of course 0 turns with the rest: nothing lifts the other two, and they do not help.
    # About its outer edge: (33 L / 2 + W / 2) / (33 (H + 5.5 H) + H / 2).
    safety = find_safety(jenga_tower(12, friction=0.6), directions=4)
    whole = (L / 2) / (6 * H)
    on_one_block = (33 * L / 2 + W / 2) / (33 * 6.5 * H + H / 2)
    assert on_one_block < whole
    np.testing.assert_allclose(safety.acceleration / G, [whole, on_one_block, whole, on_one_block], rtol=1e-5)


def test_an_intact_tower_slides_when_it_is_smooth() -> None:
    np.testing.assert_allclose(find_safety(jenga_tower(3, friction=0.25), directions=4).acceleration, 0.25 * G, rtol=1e-6)


def test_a_hole_makes_it_weaker() -> None:
    whole = find_safety(jenga_tower(8), directions=4).smallest
    assert find_safety(jenga_tower(8).without("L03_0", "L03_2"), directions=4).smallest < 0.8 * whole


def test_it_agrees_with_equilibrium() -> None:
    tower = jenga_tower(4).without("L01_0", "L02_1")
    safety = find_safety(tower, directions=3)
    for heading, borne in zip(safety.direction, safety.acceleration, strict=True):
        assert solve_equilibrium(tower, acceleration=(*(0.999 * borne * heading), 0)).stands
        assert not solve_equilibrium(tower, acceleration=(*(1.001 * borne * heading), 0)).stands


def test_what_falls_bears_nothing() -> None:
    safety = find_safety(jenga_tower(6).without("L02_0", "L02_1"))
    assert not safety.stands
    assert safety.acceleration.tolist() == [0] * 8
    assert (safety.smallest, safety.share) == (0, 0)


def test_what_is_wedged_bears_anything() -> None:
    places = [(-0.1, 0, 1), (0, 0, 1), (0.1, 0, 1)]
    safety = find_safety(box_structure((0.1, 0.1, 0.1), places, friction=0.4, fixed=[True, False, True]), directions=4)
    assert safety.acceleration[0] == math.inf


def test_no_direction_is_refused() -> None:
    with pytest.raises(InvalidInput, match="directions is 0: at least one"):
        find_safety(jenga_tower(1), directions=0)


@pytest.mark.parametrize("gone", [(), ("L01_0",), ("L02_1", "L03_2"), ("L01_0", "L02_2", "L04_1"), ("L05_0", "L05_1")])
def test_the_smallest_alone_is_the_smallest_of_all(gone: tuple[str, ...]) -> None:
    tower = jenga_tower(6).without(*gone)
    every = find_safety(tower, directions=4, facets=4)
    alone = find_safety(tower, directions=4, facets=4, smallest_only=True)
    assert alone.stands == every.stands
    assert alone.share == pytest.approx(every.share, rel=1e-6)
    assert (alone.acceleration <= every.acceleration * (1 + 1e-6)).all()
    assert every.acceleration[alone.weakest] == pytest.approx(every.smallest, rel=1e-6)
    slope = box_structure(BLOCK, [(0, 0, H / 2), (0.02, 0.004, 1.5 * H)], friction=0.8)
    assert find_safety(slope, smallest_only=True).share == pytest.approx(find_safety(slope).share, rel=1e-6)
