"""Samples of a picture, as scipy mixes pixels."""

import numpy as np
from scipy.ndimage import map_coordinates

from anastylosis.rendering.sampling import sample


def test_pixels_are_mixed_and_go_on_beyond_the_rim() -> None:
    rng = np.random.default_rng(0)
    picture = rng.random((48, 64, 3), np.float32)
    pixels = rng.uniform(-5, 70, (7, 11, 2)).astype(np.float32)
    at = np.moveaxis(pixels, -1, 0)[::-1] - 0.5
    wanted = np.stack([map_coordinates(picture[..., k], at, order=1, mode="nearest") for k in range(3)], axis=-1)
    np.testing.assert_allclose(sample(picture, pixels), wanted, atol=2e-5)
    assert sample(picture, np.zeros((0, 4, 2))).shape == (0, 4, 3)


def test_what_is_behind_the_camera_is_at_the_rim() -> None:
    picture = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    pixels = np.array([(np.nan, np.nan), (np.nan, 1.5), (1e9, -1e9), (-np.inf, np.inf)], np.float32)
    np.testing.assert_array_equal(sample(picture, pixels), picture[[0, 1, 0, 1], [0, 0, 3, 0]])
