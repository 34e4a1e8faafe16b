"""Separation: how far apart two boxes are, or how deep in each other, on the fifteen axes that can tell (Gottschalk 1996).

The axes are the face normals of both boxes and the cross products of their edges. `measure_gaps` computes distances for many
pairs without listing axes; `list_separating_axes` lists them for those who move boxes along them. They round differently.
"""

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.geometry.box import Boxes
from anastylosis.geometry.quaternion import make_matrices

PARALLEL = 1e-6  # edges whose cross product is shorter are parallel, and their axis is that of a face
NEARLY_PARALLEL = 0.1  # sine of the angle between edges below which the axes of faces tell as much
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


def list_separating_axes(
    size: Floats, axes: Floats, first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the axes (P, 15, 3) on which pairs of boxes may be apart, and how far apart their centres are when they touch.

    `size` (N, 3) [m] and `axes` (N, 3, 3) are those of all boxes, `first` and `second` (P,) the rows of the pairs. The distances
    (P, 15) [m] are infinite for edges that are nearly parallel.
    """
    here, there = (np.swapaxes(axes[rows], -1, -2) for rows in (first, second))  # (P, 3, 3) an axis a row
    crossed = np.cross(here[:, :, None], there[:, None]).reshape(-1, 9, 3)
    length = np.linalg.norm(crossed, axis=-1)
    directions = np.concatenate([here, there, crossed / np.maximum(length, NEARLY_PARALLEL)[..., None]], axis=1)
    reach = sum(
        np.einsum("pkj,pj->pk", np.abs(np.einsum("pki,pji->pkj", directions, own)), size[rows] / 2)
        for own, rows in ((here, first), (there, second))
    )
    reach[:, 6:][length < NEARLY_PARALLEL] = np.inf
    return directions, reach
