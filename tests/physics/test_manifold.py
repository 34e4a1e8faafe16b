"""Contact points where geometry puts them. Paper §6.2."""

import numpy as np
import pytest

from anastylosis.kernel import entry
from anastylosis.physics import Simulation
from anastylosis.physics.integrate import refresh_bodies
from anastylosis.physics.manifold import rebuild_manifold
from support.worlds import BLOCK, UPRIGHT, WEIGHTLESS, box_structure, collide_once, matrix, multiply, turn, views

L, W, H = BLOCK
ACROSS = turn((0, 0, 1), np.pi / 2)
GAP = 1e-4  # [m] within the contact margin
Z = 1.0  # height of the lower block's centre [m]


@entry
def rebuild(model, state, bodies, contacts, slot, a, b, settings):
    refresh_bodies(model, state, bodies)
    return rebuild_manifold(model, state, bodies, contacts, slot, a, b, settings)


def touch(*boxes) -> Simulation:
    """A weightless world of boxes (size, centre, orientation), its contacts found."""
    size, position, orientation = zip(*boxes, strict=True)
    simulation = Simulation(box_structure(np.array(size), position, np.array(orientation)), WEIGHTLESS)
    collide_once(simulation)
    return simulation


def contact_points(simulation: Simulation) -> np.ndarray:
    """(n, 3) points of the only manifold, sorted."""
    contacts = simulation.contacts()
    assert len(contacts.pair) == 1
    points = contacts.point[0][~np.isnan(contacts.point[0, :, 0])]
    return points[np.lexsort(points.round(9).T[::-1])]


def gaps(simulation: Simulation) -> np.ndarray:
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    return contacts.gap[0, slot, : contacts.points[0, slot]]


def features(simulation: Simulation) -> np.ndarray:
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    return contacts.feature[0, slot, : contacts.points[0, slot]].copy()


def rectangle(x, y, z) -> np.ndarray:
    return np.array([(a, b, z) for a in x for b in y])


@pytest.mark.parametrize("q", [UPRIGHT, turn((1, 2, 3), 1.0)], ids=["upright", "turned"])
@pytest.mark.parametrize("gap", [0.0, GAP, -GAP])
def test_stacked_blocks_touch_at_four_corners(gap: float, q) -> None:
    r, base = matrix(q), np.array([0, 0, Z])
    simulation = touch((BLOCK, base, q), (BLOCK, base + r @ (0, 0, H + gap), q))
    assert simulation.contacts().pair.tolist() == [[0, 1]]
    assert simulation.contacts().normal[0] == pytest.approx(r @ (0, 0, 1), abs=1e-12)
    assert gaps(simulation) == pytest.approx([gap] * 4, abs=1e-12)
    local = (contact_points(simulation) - base) @ r
    assert local[np.lexsort(local.round(9).T[::-1])] == pytest.approx(
        rectangle((-L / 2, L / 2), (-W / 2, W / 2), H / 2), abs=1e-12
    )


def test_normal_points_from_a_to_b() -> None:
    # The same stack, numbered from the top.
    simulation = touch((BLOCK, (0, 0, Z + H), UPRIGHT), (BLOCK, (0, 0, Z), UPRIGHT))
    assert simulation.contacts().normal[0] == pytest.approx([0, 0, -1], abs=1e-15)


def test_crossing_blocks_touch_in_their_common_square() -> None:
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0.01, 0.02, Z + H), ACROSS))
    assert contact_points(simulation) == pytest.approx(
        rectangle((0.01 - W / 2, 0.01 + W / 2), (-W / 2, W / 2), Z + H / 2), abs=1e-12
    )


def test_overhanging_blocks_touch_in_their_common_rectangle() -> None:
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0.03, 0.01, Z + H), UPRIGHT))
    assert contact_points(simulation) == pytest.approx(
        rectangle((0.03 - L / 2, L / 2), (0.01 - W / 2, W / 2), Z + H / 2), abs=1e-12
    )


def test_octagon_is_reduced_to_four_points_that_span_it() -> None:
    # Two squares of side s, one turned by 45 degrees: the common octagon has area 2 (sqrt 2 - 1) s^2.
    s = 0.05
    size = (s, s, H)
    simulation = touch((size, (0, 0, Z), UPRIGHT), (size, (0, 0, Z + H), turn((0, 0, 1), np.pi / 4)))
    points = contact_points(simulation)
    assert len(points) == 4
    x, y, _ = (points - (0, 0, Z)).T
    order = np.argsort(np.arctan2(y, x))
    area = 0.5 * abs(np.dot(x[order], np.roll(y[order], 1)) - np.dot(y[order], np.roll(x[order], 1)))
    octagon = 2 * (np.sqrt(2) - 1) * s**2
    assert area > octagon / 2  # the best four corners of a regular octagon hold 1 / sqrt 2 of it
    assert np.abs(points[:, :2]).max() <= s / 2 + 1e-12


def test_the_deepest_point_survives_the_reduction() -> None:
    # The turned square tips a little about y: its corners towards +x go deepest.
    s = 0.05
    size, tip = (s, s, H), multiply(turn((0, 1, 0), 1e-3), turn((0, 0, 1), np.pi / 4))
    simulation = touch((size, (0, 0, Z), UPRIGHT), (size, (0, 0, Z + H), tip))
    # The octagon's corners furthest to +x are (s / 2, +-(sqrt 2 - 1) s / 2); they are s / 2 * tan(1e-3) down.
    assert gaps(simulation).min() == pytest.approx(-s / 2 * np.tan(1e-3), abs=1e-7)


@pytest.mark.parametrize("gap", [GAP, -GAP])
def test_corner_on_face_is_one_point(gap: float) -> None:
    slab, cube = (0.3, 0.3, 0.05), (0.04, 0.04, 0.04)
    stood = multiply(turn((1, 1, 0), 0.0), turn((1, -1, 0), np.arccos(1 / np.sqrt(3))))  # body diagonal upright
    depth = 0.04 * np.sqrt(3) / 2  # half the diagonal
    simulation = touch((slab, (0, 0, Z), UPRIGHT), (cube, (0.02, 0.01, Z + 0.025 + gap + depth), stood))
    assert simulation.contacts().normal[0] == pytest.approx([0, 0, 1], abs=1e-12)
    assert gaps(simulation) == pytest.approx([gap], abs=1e-9)
    assert contact_points(simulation) == pytest.approx(np.array([(0.02, 0.01, Z + 0.025)]), abs=1e-9)


@pytest.mark.parametrize("gap", [GAP, -GAP])
def test_edge_on_face_is_two_points(gap: float) -> None:
    slab, reach = (0.3, 0.3, 0.05), 0.04 / np.sqrt(2)
    simulation = touch(
        (slab, (0, 0, Z), UPRIGHT), ((0.04, 0.04, 0.04), (0.02, 0.01, Z + 0.025 + gap + reach), turn((1, 0, 0), np.pi / 4))
    )
    assert gaps(simulation) == pytest.approx([gap] * 2, abs=1e-12)
    assert contact_points(simulation) == pytest.approx(np.array([(0, 0.01, Z + 0.025), (0.04, 0.01, Z + 0.025)]), abs=1e-12)


@pytest.mark.parametrize("gap", [GAP, -GAP])
def test_edge_on_edge_is_one_point_where_they_cross(gap: float) -> None:
    # Below an edge along y, above one along x: they cross over (0.01, 0.02), and the normal is y x x, upwards.
    reach, cube = 0.1 / np.sqrt(2), (0.1, 0.1, 0.1)
    simulation = touch(
        (cube, (0.01, 0.0, Z), turn((0, 1, 0), np.pi / 4)), (cube, (0.0, 0.02, Z + 2 * reach + gap), turn((1, 0, 0), np.pi / 4))
    )
    assert simulation.contacts().normal[0] == pytest.approx([0, 0, 1], abs=1e-12)
    assert gaps(simulation) == pytest.approx([gap], abs=1e-12)
    assert contact_points(simulation) == pytest.approx(np.array([(0.01, 0.02, Z + reach)]), abs=1e-12)


@pytest.mark.parametrize(
    ("orientation", "reach", "count"),
    [
        (UPRIGHT, 0.02, 4),
        (turn((1, 0, 0), np.pi / 4), 0.02 * np.sqrt(2), 2),
        (turn((1, -1, 0), np.arccos(1 / np.sqrt(3))), 0.02 * np.sqrt(3), 1),
    ],
    ids=["face", "edge", "corner"],
)
def test_points_on_the_floor(orientation, reach: float, count: int) -> None:
    simulation = touch(((0.04, 0.04, 0.04), (0.3, -0.2, reach + GAP), orientation))
    contacts = simulation.contacts()
    assert contacts.pair.tolist() == [[0, 1]]  # block 0 and the floor, which counts as the last body
    assert contacts.normal[0] == pytest.approx([0, 0, -1], abs=1e-12)  # from the block into the floor
    assert gaps(simulation) == pytest.approx([GAP] * count, abs=1e-9)
    assert contact_points(simulation)[:, 2] == pytest.approx([GAP] * count, abs=1e-9)


def test_blocks_further_apart_than_the_margin_have_no_contact() -> None:
    beyond = WEIGHTLESS.contact_margin * 1.01
    assert len(touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0, 0, Z + H + beyond), UPRIGHT)).contacts().pair) == 0


def shifted(simulation: Simulation, shift, axis, angle: float) -> int:
    """Move the upper block and build its manifold anew; the number of points."""
    simulation.state.position[0, 1] += shift
    simulation.state.orientation[0, 1] = multiply(turn(axis, angle), simulation.state.orientation[0, 1])
    model, state, bodies, contacts, _ = views(simulation)
    slot = contacts.pair_slot[0]
    rebuild(model, state, bodies, contacts, slot, 0, 1, simulation._stepper.settings)
    return contacts.points[slot]


@pytest.mark.parametrize("orientation", [UPRIGHT, ACROSS], ids=["along", "across"])
def test_points_keep_their_names_and_impulses_under_small_motion(orientation) -> None:
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0.004, 0.003, Z + H), orientation))
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    assert contacts.points[0, slot] == 4
    contacts.impulse[0, slot] = 1.0, 2.0, 3.0, 4.0
    rng = np.random.default_rng(0)
    names = dict(zip(features(simulation).tolist(), (1.0, 2.0, 3.0, 4.0), strict=True))
    assert len(names) == 4  # four points, four names
    for _ in range(20):
        assert shifted(simulation, rng.normal(0, 1e-5, 3) * (1, 1, 0.1), rng.normal(size=3), 1e-5) == 4
        found = zip(features(simulation).tolist(), contacts.impulse[0, slot].tolist(), strict=True)
        assert dict(found) == names


def test_load_is_kept_while_four_of_six_corners_are_chosen_anew() -> None:
    # Askew, the common hexagon is reduced to four points, and a tilt changes which; what they carry stays.
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0.004, 0.003, Z + H), turn((0, 0, 1), 0.3)))
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    contacts.impulse[0, slot] = 1.0, 2.0, 3.0, 4.0
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert shifted(simulation, rng.normal(0, 1e-5, 3) * (1, 1, 0.1), rng.normal(size=3), 1e-5) == 4
        assert contacts.impulse[0, slot].sum() == pytest.approx(10.0, rel=1e-12)


def test_load_of_lost_points_goes_to_new_ones() -> None:
    # The upper block turns by a quarter: other edges meet, and the load is shared anew.
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0, 0, Z + H), UPRIGHT))
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    contacts.impulse[0, slot] = 1.0, 2.0, 3.0, 4.0
    before = set(features(simulation).tolist())
    assert shifted(simulation, (0, 0, 0), (0, 0, 1), np.pi / 2) == 4
    assert set(features(simulation).tolist()) != before
    assert contacts.impulse[0, slot].sum() == pytest.approx(10.0, rel=1e-15)


def test_parted_blocks_forget() -> None:
    simulation = touch((BLOCK, (0, 0, Z), UPRIGHT), (BLOCK, (0, 0, Z + H), UPRIGHT))
    contacts = simulation._contacts
    slot = contacts.pair_slot[0, 0]
    contacts.impulse[0, slot] = 1.0
    assert shifted(simulation, (0, 0, 0.0015), (1, 0, 0), 0.0) == 0
    assert shifted(simulation, (0, 0, -0.0015), (1, 0, 0), 0.0) == 4
    assert contacts.impulse[0, slot].tolist() == [0.0] * 4
