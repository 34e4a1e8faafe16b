"""Mirror images of boxes: their corners are the mirrored corners."""

import numpy as np
import pytest
from hypothesis import given

from anastylosis.detection.detections import mirror_axes
from anastylosis.geometry import find_corners, make_matrices, mirror_poses
from support.surveys import places, turns

WAYS = [(1, 1), (-1, 1), (1, -1), (-1, -1)]


@pytest.mark.parametrize("signs", WAYS)
@given(turns, places)
def test_corners_of_the_image_are_the_image_of_the_corners(signs: tuple[int, int], orientation, position) -> None:
    size, pose = np.array([[0.081, 0.026, 0.018]]), np.concatenate([position, orientation])[None]
    corners = find_corners(pose[:, :3], size, make_matrices(pose[:, 3:]))[0] * (*signs, 1)
    image = mirror_poses(pose, *signs)
    found = find_corners(image[:, :3], size, make_matrices(image[:, 3:]))[0]
    apart = np.linalg.norm(corners[:, None] - found, axis=-1)
    assert apart.min(axis=0).max() < 1e-9
    assert apart.min(axis=1).max() < 1e-9


@pytest.mark.parametrize("signs", WAYS)
@given(turns)
def test_mirrored_axes_are_those_of_the_mirrored_quaternion(signs: tuple[int, int], orientation: np.ndarray) -> None:
    axes = mirror_axes(make_matrices(orientation), *signs)
    pose = mirror_poses(np.concatenate([np.zeros(3), orientation]), *signs)
    np.testing.assert_allclose(axes * np.linalg.det(axes), axes, atol=1e-12)  # a rotation
    # Either sign of both other axes is the same box.
    np.testing.assert_allclose(np.abs(axes), np.abs(make_matrices(pose[3:])), atol=1e-12)
    np.testing.assert_array_equal(mirror_poses(pose, *signs)[3:], orientation)
