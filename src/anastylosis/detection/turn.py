"""Turns of boxes: a box that is turned by a half about any of its axes is the same box."""

import numpy as np

from anastylosis.arrays import Floats

__all__ = ["make_axes", "make_rotations", "measure_rotations", "to_rotation_vectors"]

SYMMETRIES = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)  # signs of the axes of one box


def measure_rotations(axes: Floats, others: Floats) -> Floats:
    """(..., 3) the smallest turns that bring boxes to others [rad, in the world]; axes (..., 3, 3) are columns."""
    parts = np.einsum("...ij,...ij->...j", axes, others)  # cosines between axis and axis
    best = np.argmax(parts @ SYMMETRIES.T, axis=-1)
    return to_rotation_vectors((others * SYMMETRIES[best][..., None, :]) @ np.swapaxes(axes, -1, -2))


def to_rotation_vectors(matrix: Floats) -> Floats:
    """(..., 3) turns of rotation matrices (..., 3, 3), below a half turn."""
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


def make_rotations(vector: Floats) -> Floats:
    """(..., 3, 3) rotation matrices of turns (..., 3) [rad]. Rodrigues' formula."""
    angle = np.linalg.norm(vector, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vector / np.maximum(angle[..., 0], 1e-12), -1, 0)
    zero = np.zeros_like(x)
    skew = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * (skew @ skew)


def make_axes(long: Floats, thin: Floats) -> Floats:
    """(..., 3, 3) axes of boxes along two directions (..., 3) that need not be quite at right angles; `long` is kept."""
    first = long / np.linalg.norm(long, axis=-1, keepdims=True)
    third = thin - np.einsum("...i,...i->...", thin, first)[..., None] * first
    third = third / np.maximum(np.linalg.norm(third, axis=-1, keepdims=True), 1e-12)
    return np.stack([first, np.cross(third, first), third], axis=-1)
