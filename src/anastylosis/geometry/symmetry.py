"""Symmetry of a box: a half turn about any of its axes leaves it as it is."""

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.geometry.quaternion import make_matrices
from anastylosis.geometry.rotation_vector import to_rotation_vectors

# Diagonals of the rotation matrices that leave a box as it is: none, and a half turn about its length, width, height.
HALF_TURNS = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)


def measure_turns(first: Floats, second: Floats) -> Floats:
    """Return the smallest angles (...) [rad] between boxes with orientations (..., 4), modulo half turns."""
    a, b = make_matrices(first), make_matrices(second)
    diagonal = np.einsum("...ki,...ki->...i", *np.broadcast_arrays(a, b))
    trace = (diagonal @ HALF_TURNS.T).max(axis=-1)  # of a turn: 1 + 2 cos of its angle
    return np.asarray(np.arccos(np.clip((trace - 1) / 2, -1.0, 1.0)))


def measure_rotations(axes: Floats, others: Floats) -> Floats:
    """Return the smallest turns, (..., 3) rotation vectors in the world, from boxes to others, modulo half turns.

    `axes` and `others` are rotation matrices (..., 3, 3).
    """
    parts = np.einsum("...ij,...ij->...j", axes, others)  # cosines between axis and axis
    best = np.argmax(parts @ HALF_TURNS.T, axis=-1)
    return to_rotation_vectors((others * HALF_TURNS[best][..., None, :]) @ np.swapaxes(axes, -1, -2))
