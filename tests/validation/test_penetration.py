"""The penetration oracle against depths known in closed form."""

import numpy as np
import pytest

from anastylosis.structure import jenga_tower
from anastylosis.validation.penetration import deepest_penetration, overlapping_pair

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
CUBE = (0.1, 0.1, 0.1)
HALF = 0.05


def turn(axis, degrees):
    """The quaternion of a turn about a world axis."""
    half = np.radians(degrees) / 2
    return np.concatenate([[np.cos(half)], np.sin(half) * np.asarray(axis, float) / np.linalg.norm(axis)])


def multiply(p, q):
    """Quaternion product: q first, then p."""
    (a, b, c, d), (w, x, y, z) = p, q
    return np.array([
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
    ])  # fmt: skip


def depth_of(*boxes):
    """Deepest overlap of boxes (centre, orientation, size), one metre above the floor."""
    position, orientation, size = (np.array(values, float) for values in zip(*boxes, strict=True))
    position[:, 2] += 1
    return overlapping_pair(position, orientation, size)


@pytest.mark.parametrize("overlap", [1e-9, 1e-5, 0.003])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_stacked_boxes_overlap_by_what_they_were_pushed(axis, overlap) -> None:
    offset = np.zeros(3)
    offset[axis] = 0.1 - overlap
    assert depth_of((np.zeros(3), UPRIGHT, CUBE), (offset, UPRIGHT, CUBE)) == (pytest.approx(overlap, abs=1e-15), 0, 1)


def test_depth_is_the_shortest_way_out() -> None:
    # 30 mm along x, 20 mm along y, 40 mm along z: the way out is y.
    assert depth_of((np.zeros(3), UPRIGHT, CUBE), ((0.07, 0.08, 0.06), UPRIGHT, CUBE))[0] == pytest.approx(0.02)


def test_box_turned_45_degrees_enters_with_its_edge() -> None:
    # Turned about y, the cube's lowest edge is HALF * sqrt(2) under its centre.
    gap = HALF + HALF * np.sqrt(2)
    turned = turn((0, 1, 0), 45)
    assert depth_of((np.zeros(3), UPRIGHT, CUBE), ((0, 0, gap - 0.004), turned, CUBE))[0] == pytest.approx(0.004)
    assert depth_of((np.zeros(3), UPRIGHT, CUBE), ((0, 0, gap + 1e-9), turned, CUBE)) == (0.0, -1, -1)


@pytest.mark.parametrize("overlap", [0.003, 1e-7])
def test_crossed_edges_meet_along_their_cross_product(overlap) -> None:
    # A stands on an edge along y, B on an edge along x above it: only the axis y x x = z separates them.
    gap = 2 * HALF * np.sqrt(2)
    lower, upper = turn((0, 1, 0), 45), turn((1, 0, 0), 45)
    assert depth_of((np.zeros(3), lower, CUBE), ((0, 0, gap - overlap), upper, CUBE))[0] == pytest.approx(overlap, abs=1e-15)
    assert depth_of((np.zeros(3), lower, CUBE), ((0, 0, gap + overlap), upper, CUBE)) == (0.0, -1, -1)


def test_nearly_parallel_edges_neither_separate_nor_deepen() -> None:
    # A yaw of 1e-7 rad makes cross products of noise; the depth stays that of the faces.
    yawed = turn((0, 0, 1), np.degrees(1e-7))
    assert depth_of((np.zeros(3), UPRIGHT, CUBE), ((0, 0, 0.098), yawed, CUBE))[0] == pytest.approx(0.002, abs=1e-9)


def test_depth_does_not_depend_on_the_frame_or_the_order() -> None:
    rng = np.random.default_rng(3)
    boxes = [((0, 0, 0), UPRIGHT, (0.08, 0.03, 0.02)), ((0.02, 0.01, 0.012), turn((1, 2, 3), 20), (0.06, 0.05, 0.01))]
    depth = depth_of(*boxes)[0]
    assert depth > 0.001
    assert depth_of(*boxes[::-1])[0] == pytest.approx(depth, rel=1e-12)
    for _ in range(5):
        axis, angle = rng.normal(size=3), rng.uniform(0, 180)
        k = axis / np.linalg.norm(axis)
        moved = []
        for centre, orientation, size in boxes:
            c = np.array(centre, float)
            a = np.radians(angle)  # Rodrigues: c cos a + (k x c) sin a + k (k . c)(1 - cos a)
            c = c * np.cos(a) + np.cross(k, c) * np.sin(a) + k * (k @ c) * (1 - np.cos(a))
            moved.append((c, multiply(turn(axis, angle), orientation), size))
        assert depth_of(*moved)[0] == pytest.approx(depth, rel=1e-9)


def test_no_direction_offers_a_shorter_way_out() -> None:
    rng = np.random.default_rng(5)
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T / 2
    for _ in range(20):
        size = rng.uniform(0.02, 0.1, (2, 3))
        orientation = rng.normal(size=(2, 4))
        orientation /= np.linalg.norm(orientation, axis=1, keepdims=True)
        position = rng.normal((0, 0, 1), 0.015, (2, 3))
        depth, a, b = overlapping_pair(position, orientation, size)
        points = [p + rotate(q, corners * s) for p, q, s in zip(position, orientation, size, strict=True)]
        # Along any direction the shadows overlap by at least the depth, which is the least of all directions.
        direction = rng.normal(size=(4000, 3))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        shadow = [direction @ p.T for p in points]
        overlap = np.minimum(shadow[0].max(1) - shadow[1].min(1), shadow[1].max(1) - shadow[0].min(1)).min()
        assert depth <= max(overlap, 0) + 1e-12
        if depth:
            assert (a, b) == (0, 1)
            assert overlap < 1.2 * depth + 0.002  # 4,000 directions come close to the best one


def rotate(q, points):
    """`points` (N, 3) turned by the quaternion q."""
    w, u = q[0], q[1:]
    return points + 2 * w * np.cross(u, points) + 2 * np.cross(u, np.cross(u, points))


def test_floor_depth_is_that_of_the_lowest_corner() -> None:
    size = np.array([[0.08, 0.03, 0.02]])
    assert overlapping_pair([[0, 0, 0.009]], [UPRIGHT], size) == (pytest.approx(0.001), 0, -1)
    # Pitched by 30 degrees: the lowest corner is (0.08 sin 30 + 0.02 cos 30) / 2 under the centre.
    reach = (0.08 * 0.5 + 0.02 * np.sqrt(0.75)) / 2
    assert overlapping_pair([[0, 0, reach - 0.002]], [turn((0, 1, 0), 30)], size) == (pytest.approx(0.002), 0, -1)
    assert overlapping_pair([[0, 0, reach + 1e-9]], [turn((0, 1, 0), 30)], size) == (0.0, -1, -1)


def test_deepest_pair_is_named() -> None:
    centres = [(0, 0, 0), (0.2, 0, 0), (0.4, 0, 0), (0.6, 0, 0), (0.6, 0, 0.095), (0.2, 0, 0.099)]
    assert depth_of(*((centre, UPRIGHT, CUBE) for centre in centres)) == (pytest.approx(0.005), 3, 4)


def test_frames_are_measured_one_by_one() -> None:
    tower = jenga_tower(18)
    position, orientation = np.repeat(tower.position[None], 4, axis=0), np.repeat(tower.orientation[None], 4, axis=0)
    position[1, :, 2] -= 0.0005  # all of it into the floor
    position[2, -3:, 2] -= 0.0002  # the top course into the next
    position[3, 7, 1] = np.nan
    depth = deepest_penetration(position, 3 * orientation, tower.blocks.size)  # any length of quaternion will do
    assert depth[:3] == pytest.approx([0, 0.0005, 0.0002], abs=1e-12)
    assert np.isnan(depth[3])  # never a quiet 0
