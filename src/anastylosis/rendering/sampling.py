"""Samples of a picture, between its pixels."""

import math

import numpy as np
from numpy.typing import NDArray

from anastylosis.kernel import announce_compilation, entry


def sample(picture: NDArray[np.float32], pixels: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return colours (..., 3) of a picture (H, W, 3) at pixels (..., 2), mixed from those around; beyond the rim it goes on as it
    ends. A pixel's middle is at its number and a half."""
    announce_compilation("rendering", "about ten seconds")
    at = np.ascontiguousarray(pixels, np.float32).reshape(-1, 2)
    colours = np.empty((len(at), 3), np.float32)
    mix(np.ascontiguousarray(picture, np.float32), at, colours)
    return colours.reshape(*pixels.shape[:-1], 3)


@entry
def mix(picture, pixels, colours):
    """Fill `colours` (N, 3) with those of a picture (H, W, 3) at pixels (N, 2)."""
    bottom, right = picture.shape[0] - 1, picture.shape[1] - 1
    for n in range(pixels.shape[0]):
        x, y = min(pixels[n, 0] - np.float32(0.5), np.float32(right)), min(pixels[n, 1] - np.float32(0.5), np.float32(bottom))
        if not (x > 0 and y > 0):  # of NaN, neither; what is behind a camera is at the rim, like all that is in no picture
            x, y = x if x > 0 else np.float32(0), y if y > 0 else np.float32(0)
        i, j = math.floor(x), math.floor(y)
        next_i, next_j = min(i + 1, right), min(j + 1, bottom)
        across, down = x - np.float32(i), y - np.float32(j)
        for k in range(3):
            above = picture[j, i, k] + across * (picture[j, next_i, k] - picture[j, i, k])
            below = picture[next_j, i, k] + across * (picture[next_j, next_i, k] - picture[next_j, i, k])
            colours[n, k] = above + down * (below - above)
