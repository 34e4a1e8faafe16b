"""Boxes: their corners and undersides."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.geometry.quaternion import make_matrices

CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])  # of the unit cube


class Boxes(NamedTuple):
    """N boxes, oriented by quaternions."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    orientation: Floats  # (N, 4) unit quaternions

    def take(self, rows: NDArray[np.int64]) -> "Boxes":
        """Return the boxes of these rows."""
        return Boxes(*(part[rows] for part in self))

    def measure_underside(self) -> Floats:
        """Return the height (N,) [m] of the lowest corner of each box."""
        upright = np.abs(make_matrices(self.orientation)[:, 2, :])
        return self.position[:, 2] - (upright * self.size).sum(axis=1) / 2


def find_corners(position: Floats, size: Floats, axes: Floats) -> Floats:
    """Return the corners (N, 8, 3) [m] of boxes at positions (N, 3) with sizes (N, 3) and rotation matrices (N, 3, 3).

    Bits 4, 2 and 1 of a corner's number say on which side of x, y and z it is.
    """
    corners = CORNERS * size[:, None, :]
    return position[:, None, :] + corners @ np.swapaxes(axes, -1, -2)
