"""Rotation vectors: the axis of a turn times its angle [rad]."""

import numpy as np

from anastylosis.arrays import Floats


def make_rotations(vector: Floats) -> Floats:
    """Return the rotation matrices (..., 3, 3) of rotation vectors (..., 3) [rad]. Rodrigues' formula."""
    angle = np.linalg.norm(vector, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vector / np.maximum(angle[..., 0], 1e-12), -1, 0)
    zero = np.zeros_like(x)
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * (skew @ skew)


def to_rotation_vectors(matrix: Floats) -> Floats:
    """Return the rotation vectors (..., 3) [rad] of rotation matrices (..., 3, 3) whose turns are below a half."""
    skew = np.stack(
        [
            matrix[..., 2, 1] - matrix[..., 1, 2],
            matrix[..., 0, 2] - matrix[..., 2, 0],
            matrix[..., 1, 0] - matrix[..., 0, 1],
        ],
        axis=-1,
    )
    sine = np.linalg.norm(skew, axis=-1) / 2
    angle = np.arctan2(sine, (np.trace(matrix, axis1=-2, axis2=-1) - 1) / 2)
    return skew * (np.where(sine > 1e-9, angle / np.maximum(sine, 1e-12), 1.0) / 2)[..., None]
