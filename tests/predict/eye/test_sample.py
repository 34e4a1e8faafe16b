"""Samples of a picture: as scipy mixes pixels, and where a camera at the same place has them."""

import numpy as np
from scipy.ndimage import map_coordinates

from anastylosis.predict.eye.sample import sample
from anastylosis.predict.eye.view import aim_at_debris, find_pixels
from anastylosis.render import Camera

CROOKED = Camera(eye=(1.2, -0.7, 0.8), target=(0.05, 0.1, 0.0), up=(0.2, 0.1, 1.0), field_of_view=0.7, width=64, height=48)


def test_pixels_are_mixed_and_go_on_beyond_the_rim() -> None:
    rng = np.random.default_rng(0)
    picture = rng.random((48, 64, 3), np.float32)
    pixels = rng.uniform(-5, 70, (7, 11, 2)).astype(np.float32)
    at = np.moveaxis(pixels, -1, 0)[::-1] - 0.5
    wanted = np.stack([map_coordinates(picture[..., k], at, order=1, mode="nearest") for k in range(3)], axis=-1)
    np.testing.assert_allclose(sample(picture, pixels), wanted, atol=2e-5)
    assert sample(picture, np.zeros((0, 4, 2))).shape == (0, 4, 3)


def test_a_camera_at_the_same_place_has_what_another_one_sees() -> None:
    wanted = aim_at_debris(CROOKED)
    pixels, depth = CROOKED.project(np.add(CROOKED.eye, wanted.rays()))
    assert (depth > 0).all()
    np.testing.assert_allclose(find_pixels(CROOKED, wanted), pixels, atol=1e-3)
