"""Separation: how far apart two boxes are, or how deep in each other, on the fifteen axes that can tell (Gottschalk 1996).

The axes are the face normals of both boxes and the cross products of their edges.
"""

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.geometry.box import Boxes
from anastylosis.geometry.quaternion import make_matrices

PARALLEL = 1e-6  # edges whose cross product is shorter are parallel, and their axis is that of a face
CHUNK = 20_000  # pairs at once: some 20 MB


def measure_gaps(first: Boxes, second: Boxes) -> Floats:
    """Return the gaps (N,) [m] between boxes, one to one, or one to all; minus the depth where they overlap.

    A gap is the largest one between their shadows on the fifteen axes. It is at most the distance of boxes that are apart.
    """
    count = max(len(first.size), len(second.size))
    gaps = np.empty(count)
    for begin in range(0, count, CHUNK):
        part = slice(begin, begin + CHUNK)
        a, b = (boxes if len(boxes.size) == 1 else Boxes(*(each[part] for each in boxes)) for boxes in (first, second))
        gaps[part] = measure_chunk(a, b)
    return gaps


def measure_chunk(first: Boxes, second: Boxes) -> Floats:
    """Return the gaps (N,) [m] of so many pairs as fit into memory."""
    a, b = make_matrices(first.orientation), make_matrices(second.orientation)
    half_a, half_b = first.size / 2, second.size / 2
    apart = second.position - first.position
    relative = np.swapaxes(a, -1, -2) @ b  # (N, 3, 3): axes of b seen from a
    absolute = np.abs(relative)
    t_a = np.einsum("nij,ni->nj", np.broadcast_to(a, relative.shape), apart)
    t_b = np.einsum("nij,ni->nj", np.broadcast_to(b, relative.shape), apart)
    gaps = [
        np.abs(t_a) - half_a - np.einsum("nij,nj->ni", absolute, np.broadcast_to(half_b, t_a.shape)),
        np.abs(t_b) - half_b - np.einsum("nij,ni->nj", absolute, np.broadcast_to(half_a, t_a.shape)),
    ]
    for i in range(3):
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            reach = half_a[:, i1] * absolute[:, i2, j] + half_a[:, i2] * absolute[:, i1, j]
            reach = reach + half_b[:, j1] * absolute[:, i, j2] + half_b[:, j2] * absolute[:, i, j1]
            shadow = np.abs(t_a[:, i2] * relative[:, i1, j] - t_a[:, i1] * relative[:, i2, j])
            length = np.hypot(relative[:, i1, j], relative[:, i2, j])  # of edges that are nearly parallel 1 - cos^2 knows little
            crossed = length > PARALLEL
            gaps.append(np.where(crossed, (shadow - reach) / np.where(crossed, length, 1), -np.inf)[:, None])
    return np.concatenate(gaps, axis=1).max(axis=1)
