"""Neighbours: pairs of stones that are near each other, and how far each is from its nearest."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.geometry import Boxes

ROWS = 500  # of all pairs of stones at once


def find_near(boxes: Boxes, margin: Floats, most: int) -> tuple[NDArray[np.int64], int]:
    """Return the pairs (P, 2) of boxes whose surrounding spheres, each grown by its margin (N,) [m], meet; and their number.

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


def find_nearest(position: Floats) -> Floats:
    """Return the distance (B,) [m] from each centre (B, 3) to the nearest other one."""
    nearest = np.empty(len(position))
    for begin in range(0, len(position), ROWS):
        rows = slice(begin, begin + ROWS)
        square = measure_squares(position[rows], position)
        square[np.arange(len(square)), begin + np.arange(len(square))] = np.inf
        nearest[rows] = np.sqrt(square.min(axis=1))
    return nearest


def measure_radius(size: Floats) -> Floats:
    """Return half the longest diagonals (...) [m] of boxes (..., 3)."""
    return np.linalg.norm(size, axis=-1) / 2


def measure_squares(some: Floats, others: Floats) -> Floats:
    """Return the squared distances (M, N) [m2] between points (M, 3) and (N, 3)."""
    x, y, z = ((some[:, None, axis] - others[:, axis]) ** 2 for axis in range(3))
    return x + y + z
