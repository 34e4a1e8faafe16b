"""Grids of samples, as a camera and a box would have them one by one."""

import numpy as np

from anastylosis.rendering import Camera
from anastylosis.rendering.grid import BEHIND, meet_faces, project_grid

CAMERA = Camera(eye=(1.0, -0.5, 0.8), target=(0.0, 0.1, 0.0), field_of_view=0.7, width=64, height=48)
COUNT = (5, 7)


def lay_out(middle: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """(N, *COUNT, 3) the samples in the world."""
    down, across = (np.arange(each) - (each - 1) / 2 for each in COUNT)
    return middle[:, None, None] + across[:, None] * steps[:, None, None, 0] + down[:, None, None] * steps[:, None, None, 1]


def test_a_grid_is_where_the_camera_has_its_samples() -> None:
    rng = np.random.default_rng(0)
    middle, steps = rng.normal(0, 0.1, (4, 3)), rng.normal(0, 0.01, (4, 2, 3))
    axes = np.stack(CAMERA.axes, axis=-1)
    wanted, depth = CAMERA.project(lay_out(middle, steps))
    assert (depth > 0).all()
    np.testing.assert_allclose(project_grid((middle - CAMERA.eye) @ axes, steps @ axes, COUNT, CAMERA), wanted, atol=1e-3)


def test_what_is_behind_the_camera_is_in_no_picture() -> None:
    pixels = project_grid([[0.0, 0.0, -1.0]], np.zeros((1, 2, 3)), COUNT, CAMERA)
    assert (pixels == BEHIND).all()
    assert project_grid(np.zeros((0, 3)), np.zeros((0, 2, 3)), COUNT, CAMERA).shape == (0, *COUNT, 2)


def test_rays_meet_the_face_that_is_turned_to_the_eye() -> None:
    half = np.array([[0.04, 0.013, 0.009]])
    grid = np.array([[[0.01, 0.0, 0.0], [0.0, 0.01, 0.0]]])  # seen from above, along its height
    faces = meet_faces([[0.0, 0.0, -1.0]], grid, half, COUNT)
    inside = np.abs(np.arange(7) - 3) * 0.01 <= 0.04
    rows = np.abs(np.arange(5) - 2) * 0.01 <= 0.013
    np.testing.assert_array_equal(faces[0, 2], np.outer(rows, inside))
    assert not faces[0, :2].any()
    away = meet_faces([[0.0, 0.0, -1.0]], grid, half / 100, (2, 2))
    assert not away.any()  # no sample is in the middle
    slanted = meet_faces([[-1.0, 0.0, -1.0]], 1.2 * grid, half, COUNT)
    assert slanted.sum(axis=1).max() == 1  # a ray enters once
    assert slanted[0, 0].any()
    assert slanted[0, 2].any()
