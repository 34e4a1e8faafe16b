"""Rigid-block equilibrium against closed forms, and against the balance of the forces that it returns."""

import math
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.mechanics import find_interfaces, measure_balance, solve_equilibrium
from anastylosis.mechanics.equilibrium import Equilibrium
from anastylosis.mechanics.interface import FLOOR
from anastylosis.mechanics.rays import cone_rays, spread_vertices, take_scale, wrench_matrix
from anastylosis.structure import Structure, jenga_tower
from support.worlds import box_structure, matrix, multiply, turn

L, W, H = BLOCK = (0.081, 0.026, 0.018)
MASS, G = 0.0196, 9.81


def net_wrenches(structure: Structure, found: Equilibrium) -> np.ndarray:
    """(B, 6) contact force [N] and moment about the centre [N m] on each block, by summing over the vertices."""
    total = np.zeros((len(structure) + 1, 6))  # the last row is the floor's
    for face, normal, friction in zip(found.interfaces, found.normal_force, found.friction, strict=True):
        for point, n, f in zip(face.vertices, normal, friction, strict=True):
            force = n * face.normal + f
            for body, sign in ((face.first, -1), (face.second, 1)):
                centre = np.zeros(3) if body == FLOOR else structure.position[body]
                total[body] += sign * np.concatenate([force, np.cross(point - centre, force)])
    return total[:-1]


def assert_in_balance(structure: Structure, found: Equilibrium) -> None:
    """Every block that can move is held, and every force is within Coulomb's cone."""
    held = net_wrenches(structure, found)[~structure.blocks.fixed]
    weight = structure.blocks.mass[~structure.blocks.fixed] * G
    np.testing.assert_allclose(held[:, 2], weight, rtol=1e-5)
    np.testing.assert_allclose(held[:, [0, 1]], 0, atol=1e-5 * weight.max())
    np.testing.assert_allclose(held[:, 3:], 0, atol=1e-5 * weight.max() * L)
    for face, normal, friction in zip(found.interfaces, found.normal_force, found.friction, strict=True):
        assert (normal >= -1e-9).all()
        assert (np.linalg.norm(friction, axis=1) <= face.friction * normal + 1e-9).all()
        np.testing.assert_allclose(friction @ face.normal, 0, atol=1e-9)


def overhanging(share: float, count: int = 5) -> Structure:
    """Equal blocks, the i-th from the top shifted by `share` of L / (2 i) against the one under it."""
    shifts = share * L / (2 * np.arange(count - 1, 0, -1))
    x = np.concatenate([[0.0], np.cumsum(shifts)])
    return box_structure(BLOCK, [(a, 0, (i + 0.5) * H) for i, a in enumerate(x)])


def on_slope(angle: float, *, yaw: float = 0.0, friction: float = 0.4) -> Structure:
    """A block flat on a fixed plate that slopes down by `angle`, towards x turned by `yaw` about z."""
    q = multiply(turn((0, 0, 1), yaw), turn((0, 1, 0), angle))
    places = np.array([(0, 0, 0), (0, 0, 0.015)]) @ matrix(q).T + (0, 0, 1)
    return box_structure([(0.2, 0.2, 0.02), (0.05, 0.05, 0.01)], places, [q, q], friction=friction, fixed=[True, False])


def beams(legs: Sequence[tuple[float, float]], plate: tuple[float, float, float], width: float = 0.002) -> Structure:
    """A plate centred on the origin on thin fixed legs at (x, y)."""
    places = [(x, y, 0.05) for x, y in legs] + [(0, 0, 0.1 + plate[2] / 2)]
    sizes = [(width, width, 0.1)] * len(legs) + [plate]
    return box_structure(sizes, places, fixed=[True] * len(legs) + [False])


def test_the_intact_tower_stands() -> None:
    tower = jenga_tower(18)
    found = solve_equilibrium(tower)
    assert found.stands
    assert found.residual == 0
    assert len(found.interfaces) == 156
    assert_in_balance(tower, found)
    # Each course bears all above it; only the sum is determinate. 3 (18 - k) m g under course k.
    for k in range(18):
        under = [tower.course[face.second] == k for face in found.interfaces]
        assert found.pair_normal_force[under].sum() == pytest.approx(3 * (18 - k) * MASS * G, rel=1e-6)
    assert np.abs(found.pair_friction).max() < 1e-9  # level faces need none


def test_pairs_are_sums_over_their_vertices() -> None:
    found = solve_equilibrium(on_slope(0.2))
    assert found.pair_normal_force[0] == pytest.approx(found.normal_force[0].sum())
    np.testing.assert_allclose(found.pair_friction[0], found.friction[0].sum(axis=0))


@pytest.mark.parametrize(("gone", "stands"), [(("L04_0",), True), (("L04_0", "L04_2"), True), (("L04_0", "L04_1"), False)])
def test_towers_with_holes(gone: tuple[str, ...], stands: bool) -> None:
    # One side left of course 4: the centre of all above is 14.5 mm outside it. Centre left, or centre and a side: inside.
    tower = jenga_tower(8).without(*gone)
    found = solve_equilibrium(tower)
    assert found.stands is stands
    assert (found.residual > 1e-3) is not stands
    if stands:
        assert_in_balance(tower, found)


def test_a_block_can_fall_alone() -> None:
    # The outer blocks of the upper course are pushed 50 mm out, one to each side: the course as a whole is in balance, and
    # both blocks tip over the edge of the lower course, 40.5 mm from its middle.
    tower = jenga_tower(2)
    apart = tower.position.copy()
    apart[3, 1], apart[5, 1] = -0.050, 0.050
    pushed = tower.at(apart, tower.orientation)
    assert measure_balance(pushed).weakest_margin > 0
    assert not solve_equilibrium(pushed).stands
    apart[3, 1], apart[5, 1] = -0.040, 0.040
    assert solve_equilibrium(tower.at(apart, tower.orientation)).stands


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_harmonic_overhang(count: int) -> None:
    # L/2, L/4, L/6, ... from the top: the centre of all above each block just over its edge.
    stands, falls = overhanging(1 - 1e-4, count), overhanging(1 + 1e-4, count)
    found = solve_equilibrium(stands)
    assert found.stands
    assert_in_balance(stands, found)
    assert not solve_equilibrium(falls).stands


@pytest.mark.parametrize("friction", [0.25, 0.4, 0.6])
def test_a_slope_holds_up_to_its_friction(friction: float) -> None:
    # tan(theta) < mu. The fall line is a ray of the pyramid: no error from facets.
    below, above = (math.atan(friction * share) for share in (1 - 1e-4, 1 + 1e-4))
    found = solve_equilibrium(on_slope(below, friction=friction))
    assert found.stands
    assert_in_balance(on_slope(below, friction=friction), found)
    # N = m g cos(theta), f = m g sin(theta)
    assert found.pair_normal_force[0] == pytest.approx(MASS * G * math.cos(below), rel=1e-5)
    assert np.linalg.norm(found.pair_friction[0]) == pytest.approx(MASS * G * math.sin(below), rel=1e-5)
    assert not solve_equilibrium(on_slope(above, friction=friction)).stands


def test_facets_are_inscribed() -> None:
    # Half way between two of 8 rays the pyramid has mu cos(pi / 8) = 0.924 mu; 32 rays have at least 0.995 mu.
    def holds(share: float, facets: int) -> bool:
        return solve_equilibrium(on_slope(math.atan(0.4 * share), yaw=math.pi / 8), facets=facets).stands

    assert holds(0.92, 8)
    assert not holds(0.93, 8)
    assert holds(0.99, 32)
    assert not holds(1.001, 32)


def test_a_beam_on_two_supports() -> None:
    # Supports at -a and b bear W b / (a + b) and W a / (a + b); the legs' width leaves 1 mm of 90 either way.
    found = solve_equilibrium(beams([(-0.03, 0), (0.06, 0)], (0.2, 0.002, 0.01)))
    on_legs = found.pair_normal_force[-2:] / (MASS * G)  # the legs' own contacts with the floor come first
    np.testing.assert_allclose(on_legs, [2 / 3, 1 / 3], atol=0.001 / 0.09 + 1e-6)


def test_three_legs() -> None:
    # Loads are the barycentric coordinates of the centre in the triangle of the legs.
    legs = [(-0.05, -0.04), (0.07, -0.02), (-0.01, 0.06)]
    found = solve_equilibrium(beams(legs, (0.2, 0.2, 0.01)))
    shares = np.linalg.solve(np.vstack([np.array(legs).T, np.ones(3)]), [0, 0, 1])
    np.testing.assert_allclose(found.pair_normal_force[-3:] / (MASS * G), shares, atol=0.04)  # 1 mm of 80 on each side


def test_a_centre_outside_the_legs_falls() -> None:
    assert not solve_equilibrium(beams([(0.01, -0.05), (0.01, 0.05), (0.05, 0)], (0.2, 0.2, 0.01))).stands


def test_residual_counts_what_hangs_in_the_air() -> None:
    # Nothing touches: the artificial force is the weight. One of two equal blocks in the air: half.
    assert solve_equilibrium(box_structure(BLOCK, [(0, 0, 1.0)])).residual == pytest.approx(1.0)
    assert solve_equilibrium(box_structure(BLOCK, [(0, 0, 1.0), (0, 0, H / 2)])).residual == pytest.approx(0.5)


def test_residual_does_not_depend_on_units() -> None:
    # The same shape, ten times as large and a hundred times as heavy, on another planet.
    small = overhanging(1.3)
    large = box_structure(10 * np.array(BLOCK), 10 * small.position, mass=100 * MASS)
    here, there = solve_equilibrium(small), solve_equilibrium(large, gravity=1.62, tolerance=3e-3)
    assert here.residual > 1e-3
    assert there.residual == pytest.approx(here.residual, rel=1e-6)


def test_ground_that_accelerates() -> None:
    # A flat block follows the ground up to mu g; upwards it weighs more.
    block = box_structure(BLOCK, [(0, 0, H / 2)])
    assert solve_equilibrium(block, acceleration=(0.399 * G, 0, 0)).stands
    assert not solve_equilibrium(block, acceleration=(0.401 * G, 0, 0)).stands
    assert solve_equilibrium(block, acceleration=(0, 0, G)).pair_normal_force[0] == pytest.approx(2 * MASS * G)
    found = solve_equilibrium(block, acceleration=(0, 0.2 * G, 0))
    np.testing.assert_allclose(found.pair_friction[0], (0, 0.2 * MASS * G, 0), atol=1e-7)


def test_what_can_be_wedged_counts_as_standing() -> None:
    # Known limit, see the module: some pressure between the two walls would hold the block, so forces exist.
    # Without friction none do.
    def hung(friction: float) -> Structure:
        places = [(-0.1, 0, 1), (0, 0, 1), (0.1, 0, 1)]
        return box_structure((0.1, 0.1, 0.1), places, friction=friction, fixed=[True, False, True])

    assert solve_equilibrium(hung(0.4)).stands
    assert not solve_equilibrium(hung(0.0)).stands


def test_a_disturbed_tower_stands() -> None:
    rng = np.random.default_rng(3)
    tower = jenga_tower(6)
    turns = tower.orientation + rng.normal(0, 2e-4, (18, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    disturbed = tower.at(tower.position + rng.normal(0, 2e-5, (18, 3)), turns)
    found = solve_equilibrium(disturbed)
    assert found.stands
    assert_in_balance(disturbed, found)
    assert np.abs(found.pair_friction).max() > 0  # tilted faces need some


@pytest.mark.parametrize("layers", [2, 18, 36])
def test_the_programme_is_sparse_and_grows_with_the_tower(layers: int) -> None:
    # A force acts on two blocks, six rows each, whatever the height; its time is what `anastylosis bench` tells.
    tower = jenga_tower(layers)
    interfaces = find_interfaces(tower)
    vertices = spread_vertices(interfaces)
    rays = cone_rays(vertices, 8)
    matrix = wrench_matrix(tower, vertices, rays, take_scale(tower, G))
    assert matrix.shape == (6 * 3 * layers, 8 * 4 * (3 + 9 * (layers - 1)))  # 8 rays at 4 corners of each interface
    assert np.diff(matrix.tocsc().indptr).max() <= 12


def test_the_room_loads_without_scipy() -> None:
    # Half a second that episodes, which want moves and margins, would pay in every worker.
    code = "import sys, anastylosis.mechanics; print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"facets": 3}, "facets is 3: a friction cone needs 4 rays or more"),
        ({"gravity": 0.0}, "gravity is 0 m/s"),
        ({"acceleration": (0, np.nan, 0)}, "acceleration is"),
        ({"acceleration": (0, 0)}, "acceleration is"),
        ({"tolerance": -1.0}, "tolerance is -1 m"),
    ],
)
def test_impossible_settings_are_refused(options: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        solve_equilibrium(jenga_tower(1), **options)


def test_nothing_to_hold_is_refused() -> None:
    with pytest.raises(InvalidInput, match="every block is fixed"):
        solve_equilibrium(box_structure(BLOCK, [(0, 0, H / 2)], fixed=[True]))
