"""Boxes: how far apart two of them are, or how deep in each other. Fifteen axes, many pairs at once, numpy alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.survey.rotation import make_matrices

__all__ = ["Boxes", "find_near", "measure_gaps", "measure_radius", "measure_squares", "measure_underside"]

PARALLEL = 1e-6  # edges whose cross product is shorter are parallel, and their axis is that of a face
CHUNK = 20_000  # pairs at once: some 20 MB
ROWS = 500  # of all pairs of blocks at once


class Boxes(NamedTuple):
    """N boxes."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    orientation: Floats  # (N, 4) unit quaternions

    def take(self, rows: NDArray[np.int64]) -> "Boxes":
        return Boxes(*(part[rows] for part in self))


def measure_gaps(first: Boxes, second: Boxes) -> Floats:
    """(N,) gaps [m] between boxes, one to one, or one to all; minus the depth where they overlap.

    The largest gap between their shadows on 15 axes: the face normals of both and the cross products of their edges (Gottschalk
    1996). Of boxes that are apart it is at most their distance.
    """
    count = max(len(first.size), len(second.size))
    gaps = np.empty(count)
    for begin in range(0, count, CHUNK):
        part = slice(begin, begin + CHUNK)
        a, b = (boxes if len(boxes.size) == 1 else Boxes(*(each[part] for each in boxes)) for boxes in (first, second))
        gaps[part] = measure_chunk(a, b)
    return gaps


def measure_chunk(first: Boxes, second: Boxes) -> Floats:
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


def find_near(boxes: Boxes, margin: Floats, most: int) -> tuple[NDArray[np.int64], int]:
    """(P, 2) pairs of boxes whose surrounding spheres, each grown by its margin (N,), meet; and how many there are in all.

    No more than `most` are listed.
    """
    reach = measure_radius(boxes.size) + margin
    pairs, listed, total = [], 0, 0
    for begin in range(0, len(reach), ROWS):
        rows = slice(begin, begin + ROWS)
        i, j = np.nonzero(measure_squares(boxes.position[rows], boxes.position) <= (reach[rows, None] + reach) ** 2)
        i += begin
        later = j > i
        total += int(later.sum())
        found = np.stack([i[later], j[later]], axis=1)[: most - listed]
        pairs.append(found)
        listed += len(found)
    return np.concatenate(pairs), total


def measure_squares(some: Floats, others: Floats) -> Floats:
    """(M, N) squared distances [m2] between points (M, 3) and (N, 3)."""
    x, y, z = ((some[:, None, axis] - others[:, axis]) ** 2 for axis in range(3))
    return x + y + z


def measure_radius(size: Floats) -> Floats:
    """(...) [m] half the longest diagonal of boxes (..., 3)."""
    return np.linalg.norm(size, axis=-1) / 2


def measure_underside(boxes: Boxes) -> Floats:
    """(N,) height of the lowest corner of each box [m]."""
    upright = np.abs(make_matrices(boxes.orientation)[:, 2, :])
    return boxes.position[:, 2] - (upright * boxes.size).sum(axis=1) / 2
