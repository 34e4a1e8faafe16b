"""Matches of detected blocks with true ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.detection.detections import BoxProposals
from anastylosis.geometry import measure_rotations

PLACE_NEAR, TURN_NEAR = 0.020, np.radians(20)  # a block so near is found


class Matches(NamedTuple):
    """Pairs of found blocks and true ones."""

    found: NDArray[np.int64]  # (M,) row of each
    true: NDArray[np.int64]  # (M,)
    place: NDArray[np.float64]  # (M,) [m] between them
    turn: NDArray[np.float64]  # (M,) [rad]


def measure_pairs(found: BoxProposals, true: BoxProposals) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return (N, M) [m] between each of N blocks and each of M others; and (N, M, 3) the rotation vectors between them [rad]."""
    place = np.linalg.norm(found.position[:, None] - true.position, axis=-1)
    shape = (*place.shape, 3, 3)
    return place, measure_rotations(np.broadcast_to(found.axes[:, None], shape), np.broadcast_to(true.axes, shape))


def match_blocks(
    found: BoxProposals, true: BoxProposals, place_near: float = PLACE_NEAR, turn_near: float = TURN_NEAR
) -> Matches:
    """Match as many pairs as there are within both distances, each block in one; among those the nearest."""
    if not len(found.size) or not len(true.size):
        none = np.zeros(0)
        return Matches(none.astype(np.int64), none.astype(np.int64), none, none)
    place, turns = measure_pairs(found, true)
    turn = np.linalg.norm(turns, axis=-1)
    near = (place <= place_near) & (turn <= turn_near)
    cost = np.where(near, (place / place_near + turn / turn_near) / 2 - 100.0, 0.0)
    rows, columns = linear_sum_assignment(cost)
    kept = near[rows, columns]
    rows, columns = rows[kept], columns[kept]
    return Matches(rows, columns, place[rows, columns], turn[rows, columns])
