"""Where the axes and corners of the blocks are in the world."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.structure import Structure

__all__ = ["box_axes", "box_corners"]

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])  # of the unit cube


def box_axes(orientation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rotation matrices of unit quaternions wxyz, (..., 4) -> (..., 3, 3); column i is body axis i. Paper Eq. (1)."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    entries = (
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return np.stack(entries, axis=-1).reshape(*orientation.shape[:-1], 3, 3)


def box_corners(structure: Structure) -> NDArray[np.float64]:
    """Corners of every block in world axes, (B, 8, 3) [m]."""
    corners = CORNERS * structure.blocks.size[:, None, :]
    return structure.position[:, None, :] + corners @ box_axes(structure.orientation).swapaxes(-1, -2)
