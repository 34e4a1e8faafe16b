"""Quaternions wxyz: products, turns about an axis, and rotation matrices of them and back."""

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidStructure

UNIT_TOLERANCE = 1e-6  # how far a quaternion's length may be from 1 and still be taken (and normalised)


def multiply_quaternions(first: Floats, second: Floats) -> Floats:
    """Return the products (..., 4) of quaternions: the turn `second`, then `first`."""
    a, b, c, d = np.moveaxis(first, -1, 0)
    w, x, y, z = np.moveaxis(second, -1, 0)
    parts = (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )
    return np.stack(parts, axis=-1)


def turn_about(axis: int, angle: ArrayLike) -> Floats:
    """Return the quaternions (..., 4) of turns about x (0), y (1) or z (2) by angles (...) [rad]."""
    half = np.asarray(angle, np.float64) / 2
    quaternion = np.zeros((*half.shape, 4))
    quaternion[..., 0], quaternion[..., 1 + axis] = np.cos(half), np.sin(half)
    return quaternion


def make_matrices(orientation: Floats) -> Floats:
    """Return the rotation matrices (..., 3, 3) of unit quaternions (..., 4). Paper Eq. (1)."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    rows = [
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_quaternions(matrix: Floats) -> Floats:
    """Return unit quaternions (..., 4) of rotation matrices (..., 3, 3), of either sign: an eigenvector. Bar-Itzhack (2000)."""
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


def unit_quaternions(orientation: Floats) -> Floats:
    """Return quaternions (B, 4) divided by their lengths, read-only; raise when a length is not about 1."""
    length = np.linalg.norm(orientation, axis=1)
    worst = int(np.abs(length - 1).argmax())
    if abs(length[worst] - 1) > UNIT_TOLERANCE:
        raise InvalidStructure(
            f"orientation of block {worst} has length {length[worst]:.6g}: a rotation is a unit quaternion "
            "(w, x, y, z); divide it by its length"
        )
    unit = np.asarray(orientation / length[:, None])
    unit.flags.writeable = False
    return unit
