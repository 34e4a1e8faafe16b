"""Matching: the most probable complete assignment, in which no slot is used twice and no block is in two slots."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["UNASSIGNED", "match_blocks"]

UNASSIGNED = -1  # instead of a slot: the block is in none
LEAST = 1e-12  # lower bound of probabilities, before their logarithm


def match_blocks(placed: NDArray[np.floating], unplaced: NDArray[np.floating], empty: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the slot (B,) of each block, or UNASSIGNED: the complete assignment whose probabilities have the largest product.

    `placed` (B, S), `unplaced` (B,) and `empty` (S,). Blocks may stay unassigned and slots empty, each at its own cost, so
    the problem is made square: a column more for each block, a row more for each slot (Hungarian method; Kuhn 1955).
    """
    blocks, slots = placed.shape
    cost = np.full((blocks + slots, slots + blocks), np.inf)
    cost[:blocks, :slots] = -log_of(placed)
    cost[:blocks, slots:][np.diag_indices(blocks)] = -log_of(unplaced)
    cost[blocks:, :slots][np.diag_indices(slots)] = -log_of(empty)
    cost[blocks:, slots:] = 0
    columns = linear_sum_assignment(cost)[1][:blocks]
    return np.where(columns < slots, columns, UNASSIGNED).astype(np.int64)


def log_of(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    return np.log(np.maximum(probability.astype(np.float64), LEAST))
