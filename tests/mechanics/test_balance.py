"""Centre of mass over its support: the paper's margin, and every interface above it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.mechanics import measure_balance
from anastylosis.structure import jenga_tower
from support.worlds import box_structure, turn

L, W, H = 0.081, 0.026, 0.018
SIDE = (L - W) / 2  # from the centre line to the middle of a side block


def stack(*offsets: float, size=(L, W, H), fixed=None):
    """One block a course, shifted along x."""
    heights = (np.arange(len(offsets)) + 0.5) * size[2]
    boxes = box_structure(size, [(x, 0, z) for x, z in zip(offsets, heights, strict=True)], fixed=fixed)
    return replace(boxes, course=np.arange(len(offsets)), place=np.zeros(len(offsets), int))


def test_intact_tower() -> None:
    # Eq. (17): the centre of mass is on the axis, the support is the square of a full course.
    balance = measure_balance(jenga_tower(18))
    np.testing.assert_allclose(balance.centre_of_mass, (0, 0, 9 * H), atol=1e-12)
    assert balance.margin == pytest.approx(L / 2)
    assert balance.imbalance == pytest.approx(-L / 2)
    np.testing.assert_allclose(np.ptp(balance.support, axis=0), (L, L))
    np.testing.assert_allclose(balance.interface_margin, [L / 2] * 18)


def test_the_weakest_is_the_lowest_within_a_micrometre() -> None:
    # The top block is shifted by d: margins are L / 2 minus d / 3, d / 2, d. Within 1 um all are equal.
    for shift, weakest in ((1e-6, 0), (1.8e-6, 1), (3e-6, 2)):
        balance = measure_balance(stack(0.0, 0.0, shift, size=(L, L, H)))
        assert balance.weakest == weakest
        assert balance.weakest_margin == balance.interface_margin.min()
    assert measure_balance(jenga_tower(18)).weakest == 0


def test_a_side_block_gone_moves_the_centre_of_mass() -> None:
    # 53 blocks balance about -SIDE / 53; course 0 is whole, and the margin shrinks by as much.
    tower = jenga_tower(18).without("L04_2")
    balance = measure_balance(tower)
    np.testing.assert_allclose(balance.centre_of_mass[:2], (0, -SIDE / 53), atol=1e-12)
    assert balance.margin == pytest.approx(L / 2 - SIDE / 53)
    # Course 5 stands on places 0 and 1 of course 4, up to y = W / 2: the weakest, and what is above is centred.
    assert balance.weakest == 5
    assert balance.weakest_margin == pytest.approx(W / 2)


def test_the_papers_margin_is_blind_to_a_weak_waist() -> None:
    # Course 5 rests on one side block: all above falls, while the whole is well within the ground polygon.
    balance = measure_balance(jenga_tower(18).without("L04_0", "L04_1"))
    assert balance.margin > 0.03
    assert balance.weakest == 5
    assert balance.weakest_margin == pytest.approx(-(SIDE - W / 2))


def test_ground_polygon_is_that_of_the_blocks_on_it() -> None:
    balance = measure_balance(jenga_tower(3).without("L00_0", "L00_2"))
    np.testing.assert_allclose(balance.support, [(-L / 2, -W / 2), (L / 2, -W / 2), (L / 2, W / 2), (-L / 2, W / 2)])
    assert balance.margin == pytest.approx(W / 2)
    np.testing.assert_allclose(balance.interface_margin, [W / 2, W / 2, L / 2])


def test_overhanging_stack() -> None:
    # Two blocks on one, the top one 30 mm out: the pair's centre is 15 mm out, the top's 30 mm from the block under it.
    balance = measure_balance(stack(0.0, 0.0, 0.030, size=(L, L, H)))
    np.testing.assert_allclose(balance.interface_margin, [L / 2 - 0.010, L / 2 - 0.015, L / 2 - 0.030])
    assert balance.weakest == 2


def test_heavy_blocks_count_more() -> None:
    boxes = stack(0.0, 0.03, size=(L, L, H))
    heavy = replace(boxes, blocks=replace(boxes.blocks, mass=[1.0, 3.0]))
    assert measure_balance(heavy).centre_of_mass[0] == pytest.approx(0.0225)


def test_nothing_below() -> None:
    floating = stack(0.0, 0.0).at([(0, 0, H / 2), (0, 0, 5 * H)], [(1, 0, 0, 0)] * 2)
    balance = measure_balance(floating)
    assert balance.interface_margin.tolist()[1] == -math.inf
    assert (balance.weakest, balance.weakest_margin) == (1, -math.inf)
    airborne = measure_balance(stack(0.0).at([(0, 0, 1.0)], [(1, 0, 0, 0)]))
    assert airborne.margin == -math.inf
    assert airborne.support.shape == (0, 2)


def test_an_empty_course_bears_nothing() -> None:
    gone = jenga_tower(4).without("L02_0", "L02_1", "L02_2")
    assert measure_balance(gone).interface_margin.tolist()[2:] == [-math.inf, -math.inf]


def test_a_wall_beside_does_not_bear() -> None:
    # Course 1 hangs in the air beside a tall block of course 0, face to face.
    boxes = box_structure([(0.1, 0.1, 0.3), (0.1, 0.1, 0.1)], [(0, 0, 0.15), (0.1, 0, 0.2)])
    assert measure_balance(replace(boxes, course=np.array([0, 1]), place=None)).interface_margin[1] == -math.inf


def test_fixed_blocks_are_ground() -> None:
    # The lower block is held 60 mm out over nothing: what stands on it is still in balance.
    held = measure_balance(stack(0.06, 0.06, fixed=[True, False]))
    np.testing.assert_allclose(held.interface_margin, [W / 2, W / 2])
    np.testing.assert_allclose(held.centre_of_mass, (0.06, 0, 1.5 * H))
    assert measure_balance(stack(0.0, 0.0, fixed=[False, True])).interface_margin[1] == math.inf
    with pytest.raises(InvalidInput, match="every block is fixed"):
        measure_balance(stack(0.0, fixed=[True]))


def test_a_turned_tower_has_the_same_margins() -> None:
    tower = jenga_tower(8).without("L03_0")
    q = turn((0, 0, 1), 0.4)
    spin = np.array([[np.cos(0.4), -np.sin(0.4), 0], [np.sin(0.4), np.cos(0.4), 0], [0, 0, 1]])
    w, z = q[0], q[3]
    turns = [(w * p[0] - z * p[3], 0, 0, w * p[3] + z * p[0]) for p in tower.orientation]  # all turn about z
    turned = tower.at(tower.position @ spin.T + (1.0, -2.0, 0), turns)
    was, now = measure_balance(tower), measure_balance(turned)
    np.testing.assert_allclose(now.interface_margin, was.interface_margin, atol=1e-9)
    assert now.margin == pytest.approx(was.margin, abs=1e-9)
