"""Samples of a picture, between its pixels."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["sample"]


def sample(picture: NDArray[np.float32], pixels: NDArray[np.floating]) -> NDArray[np.float32]:
    """(..., 3) colours at pixels (..., 2); those around are mixed, and beyond the rim it goes on as it ends."""
    height, width = picture.shape[:2]
    colours = np.zeros((height, width, 4), np.float32)
    colours[..., :3] = picture
    whole = colours.view(np.complex128).ravel()  # a pixel is fetched as one number of 16 bytes: twice as fast as colour by colour
    x, y = np.moveaxis(pixels.astype(np.float32) - np.float32(0.5), -1, 0)
    left, upper = np.floor(x), np.floor(y)
    across, down = (x - left)[..., None], (y - upper)[..., None]
    columns = [np.clip(left + k, 0, width - 1).astype(np.int32) for k in (0, 1)]
    rows = [np.clip(upper + k, 0, height - 1).astype(np.int32) * np.int32(width) for k in (0, 1)]

    def mix_row(row: NDArray[np.int32]) -> NDArray[np.float32]:
        first, second = (whole.take(row + column).view(np.float32).reshape(*row.shape, 4) for column in columns)
        first += across * (second - first)
        return first

    above, below = mix_row(rows[0]), mix_row(rows[1])
    above += down * (below - above)
    return above[..., :3]
