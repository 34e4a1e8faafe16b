"""Contact polygons: which faces meet, where, and what is not a face on a face."""

import math

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.mechanics import Interface, find_interfaces
from anastylosis.mechanics.interface import FLOOR, GAP_TOLERANCE, facing_faces
from anastylosis.structure import Structure, jenga_tower
from support.worlds import box_structure, matrix, multiply, turn

L, W, H = 0.081, 0.026, 0.018
CUBE = (0.1, 0.1, 0.1)


def pairs(found: tuple[Interface, ...]) -> set[tuple[int, int]]:
    return {(face.first, face.second) for face in found}


def move(structure: Structure, axis: tuple[float, float, float], angle: float, shift=(0.0, 0.0, 0.0)) -> Structure:
    """The whole structure turned about the origin, then shifted."""
    q = turn(axis, angle)
    return structure.at(structure.position @ matrix(q).T + shift, [multiply(q, p) for p in structure.orientation])


def test_the_tower_has_its_156_faces() -> None:
    # Three on the floor, nine between courses, none between neighbours 1.5 mm apart: 3 + 17 * 9 = 156.
    tower = jenga_tower(18)
    found = find_interfaces(tower)
    assert len(found) == 156
    assert sum(len(face.vertices) for face in found) == 4 * 156
    assert [face.second for face in found[:3]] == [0, 1, 2]
    for face in found:
        below = -1 if face.first == FLOOR else tower.course[face.first]
        assert tower.course[face.second] == below + 1
        np.testing.assert_allclose(face.normal, (0, 0, 1), atol=1e-12)
        np.testing.assert_allclose(face.vertices[:, 2], H * (below + 1), atol=1e-12)
        assert face.area == pytest.approx(L * W if face.first == FLOOR else W * W, rel=1e-9)
        assert face.friction == pytest.approx(0.40)


def test_one_polygon_by_hand() -> None:
    # b1 stands half off b0 along x: x 0.05..0.1, y -0.05..0.05, at z = 0.1.
    face = find_interfaces(box_structure(CUBE, [(0.05, 0, 0.05), (0.1, 0, 0.15)]))[-1]
    corners = [(0.05, -0.05, 0.1), (0.1, -0.05, 0.1), (0.1, 0.05, 0.1), (0.05, 0.05, 0.1)]
    assert sorted(np.round(face.vertices, 12).tolist()) == sorted(map(list, corners))


def test_polygons_are_counter_clockwise_seen_against_the_normal() -> None:
    for angle in (0.0, 1.0, 2.5):
        for face in find_interfaces(move(jenga_tower(3), (0.3, -0.5, 0.2), angle, (0, 0, 1.0))):
            around = np.cross(face.vertices[1] - face.vertices[0], face.vertices[2] - face.vertices[1])
            assert around @ face.normal > 0


def test_friction_of_a_pair_is_the_geometric_mean() -> None:
    smooth = box_structure(CUBE, [(0, 0, 0.05), (0, 0, 0.15)], friction=0.2)
    rough = box_structure(CUBE, [(0, 0, 0.05), (0, 0, 0.15)], friction=0.8)
    mixed = Structure(
        blocks=type(smooth.blocks)(
            size=smooth.blocks.size, mass=smooth.blocks.mass, friction=[0.2, 0.8], restitution=smooth.blocks.restitution
        ),
        ids=smooth.ids, course=smooth.course, position=smooth.position, orientation=smooth.orientation, floor=rough.floor,
    )  # fmt: skip
    on_floor, between = find_interfaces(mixed)
    assert on_floor.friction == pytest.approx(math.sqrt(0.8 * 0.2))
    assert between.friction == pytest.approx(math.sqrt(0.2 * 0.8))


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0.4, 0.5, -0.7)])
def test_any_orientation(axis: tuple[float, float, float]) -> None:
    # The same tower, turned as one in the air: the same pairs and areas, normals that turn with it.
    tower = jenga_tower(4)
    still = [face for face in find_interfaces(tower) if face.first != FLOOR]
    for angle in (0.3, math.pi / 2, 2.0):
        turned = find_interfaces(move(tower, axis, angle, (0, 0, 1.0)))
        assert [(face.first, face.second) for face in turned] == [(face.first, face.second) for face in still]
        for was, now in zip(still, turned, strict=True):
            assert now.area == pytest.approx(was.area, rel=1e-6)
            np.testing.assert_allclose(now.normal, matrix(turn(axis, angle)) @ was.normal, atol=1e-9)


def test_side_faces_meet() -> None:
    low, _, between = find_interfaces(box_structure(CUBE, [(0, 0, 0.05), (0.1, 0.02, 0.05)]))
    assert (low.first, between.first, between.second) == (FLOOR, 0, 1)
    np.testing.assert_allclose(between.normal, (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(between.vertices[:, 0], 0.05)
    assert between.area == pytest.approx(0.08 * 0.1)


def test_crossed_boxes_meet_in_a_rhombus() -> None:
    # Strips of width W that cross at 60 degrees overlap in a rhombus of W^2 / sin 60, with half diagonals
    # W / 2 / sin 30 = 26 mm and W / 2 / cos 30 = 15 mm: all of it within the blocks' half length of 40.5 mm.
    places, turns = [(0, 0, H / 2), (0, 0, 3 * H / 2)], [(1, 0, 0, 0), turn((0, 0, 1), math.pi / 3)]
    rhombus = find_interfaces(box_structure((L, W, H), places, turns))[-1]
    assert rhombus.area == pytest.approx(W * W / math.sin(math.pi / 3))
    reach = np.sort(np.linalg.norm(rhombus.vertices[:, :2], axis=1))
    np.testing.assert_allclose(reach, [W / 2 / math.cos(math.pi / 6)] * 2 + [W] * 2)


@pytest.mark.parametrize(("gap", "touches"), [(2.9e-4, True), (-2.9e-4, True), (3.1e-4, False), (-3.1e-4, False)])
def test_gaps_and_penetrations_up_to_the_tolerance(gap: float, touches: bool) -> None:
    found = find_interfaces(box_structure(CUBE, [(0, 0, 0.05), (0, 0, 0.15 + gap)]))
    assert ((0, 1) in pairs(found)) is touches
    if touches:  # midway between the faces
        np.testing.assert_allclose(found[-1].vertices[:, 2], 0.1 + gap / 2)
    floating = find_interfaces(box_structure(CUBE, [(0, 0, 0.05 + gap)]))
    assert ((FLOOR, 0) in pairs(floating)) is touches


def test_tolerance_can_be_given() -> None:
    apart = box_structure(CUBE, [(0, 0, 0.05), (0, 0, 0.151)])
    assert (0, 1) not in pairs(find_interfaces(apart))
    assert (0, 1) in pairs(find_interfaces(apart, tolerance=2e-3))
    with pytest.raises(InvalidInput, match="tolerance is 0 m: it must be above 0"):
        find_interfaces(apart, tolerance=0.0)


@pytest.mark.parametrize("first_is_floor", [True, False])
def test_a_tilted_face_touches_only_where_it_is_near(first_is_floor: bool) -> None:
    # Tilted by 1 degree about y, its lowest edge on the plane: near over 0.3 mm / tan 1 degree = 17.19 mm of 100 mm.
    angle = math.radians(1)
    lowest = 0.05 * (math.cos(angle) + math.sin(angle))
    base = 0.0 if first_is_floor else 0.1
    boxes = [(0, 0, 0.05)] * (not first_is_floor) + [(0, 0, base + lowest)]
    turns = [(1, 0, 0, 0)] * (not first_is_floor) + [turn((0, 1, 0), angle)]
    face = find_interfaces(box_structure([(0.2, 0.2, 0.1)] * (not first_is_floor) + [CUBE], boxes, turns))[-1]
    width = np.ptp(face.vertices[:, 0])
    assert width == pytest.approx(3e-4 / math.tan(angle), rel=1e-6)
    assert face.area == pytest.approx(width * 0.1, rel=1e-3)
    np.testing.assert_allclose(face.normal, (math.sin(angle / 2), 0, math.cos(angle / 2)), atol=1e-9)  # half of the tilt


def test_faces_too_far_from_parallel_do_not_meet() -> None:
    for angle, touches in ((math.radians(2.9), True), (math.radians(3.1), False)):
        lowest = 0.05 * (math.cos(angle) + math.sin(angle))
        assert bool(find_interfaces(box_structure(CUBE, [(0, 0, lowest)], [turn((0, 1, 0), angle)]))) is touches


def test_edges_and_corners_are_no_interfaces() -> None:
    # On its edge on the floor; edge on edge; diagonal neighbours that share an edge and are 0.1 mm inside each other.
    assert find_interfaces(box_structure(CUBE, [(0, 0, 0.05 * math.sqrt(2))], [turn((1, 0, 0), math.pi / 4)])) == ()
    assert pairs(find_interfaces(box_structure(CUBE, [(0, 0, 0.05), (0.1, 0, 0.15)]))) == {(FLOOR, 0)}
    assert pairs(find_interfaces(box_structure(CUBE, [(0, 0, 0.05), (0.0999, 0, 0.1499)]))) == {(FLOOR, 0)}


def test_disturbed_poses_keep_their_faces() -> None:
    # As a settled simulated tower: 0.1 mm, 0.05 degrees of tilt, 2 degrees of yaw.
    rng = np.random.default_rng(0)
    tower = jenga_tower(18)
    tilt, yaw = rng.normal(0, math.radians(0.03), (54, 2)), rng.normal(0, math.radians(1.0), 54)
    turns = [multiply(turn((*t, 1e-12), np.linalg.norm(t)), multiply(turn((0, 0, 1), a), q))
             for t, a, q in zip(tilt, yaw, tower.orientation, strict=True)]  # fmt: skip
    disturbed = tower.at(tower.position + rng.normal(0, 3e-5, (54, 3)), turns)
    assert pairs(find_interfaces(tower)) <= pairs(find_interfaces(disturbed))


@pytest.mark.parametrize("layers", [2, 18, 36])
def test_only_faces_that_meet_are_clipped(layers: int) -> None:
    # Nine pairs between two courses and no others: the work, which `anastylosis bench` times, grows with the tower.
    tower = jenga_tower(layers)
    assert len(facing_faces(tower, make_matrices(tower.orientation), tower.corners(), GAP_TOLERANCE)) == 9 * (layers - 1)


def test_interfaces_of_a_part_are_those_of_the_whole_that_are_left() -> None:
    tower = jenga_tower(5)
    whole = find_interfaces(tower)
    keep = np.random.default_rng(3).random(len(tower)) < 0.7
    part, kept = find_interfaces(tower.select(keep)), Interface.keep_blocks(whole, keep)
    assert [(face.first, face.second, face.area) for face in kept] == [(face.first, face.second, face.area) for face in part]
    assert all((one.vertices == other.vertices).all() for one, other in zip(kept, part, strict=True))
    assert {face.first for face in kept} >= {FLOOR}
