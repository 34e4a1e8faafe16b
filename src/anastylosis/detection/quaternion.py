"""Quaternions of rotation matrices."""

import numpy as np

from anastylosis.arrays import Floats

__all__ = ["to_quaternions"]


def to_quaternions(matrix: Floats) -> Floats:
    """(..., 4) unit quaternions wxyz of rotation matrices (..., 3, 3). The eigenvector of Bar-Itzhack (2000)."""
    m = np.asarray(matrix, np.float64)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (tuple(m[..., i, j] for j in range(3)) for i in range(3))
    k = np.stack(
        [
            np.stack([xx + yy + zz, zy - yz, xz - zx, yx - xy], -1),
            np.stack([zy - yz, xx - yy - zz, xy + yx, xz + zx], -1),
            np.stack([xz - zx, xy + yx, yy - xx - zz, yz + zy], -1),
            np.stack([yx - xy, xz + zx, yz + zy, zz - xx - yy], -1),
        ],
        -2,
    )
    return np.linalg.eigh(k)[1][..., -1]
