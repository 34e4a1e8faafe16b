"""Weighing: distances between heaps, probabilities of hypotheses, and what these say together about slots and blocks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.reconstruction.calibration import Calibration
from anastylosis.reconstruction.draws import TowerState

LEAST = 1e-12  # share of the draws
SLIGHT = 0.01  # probability of a slot, below which it is in no set but as the only one
Floats = NDArray[np.float64]
MISSING = 0.1  # [m] what a block without a partner costs; a pair further apart than twice this is two blocks without one


def weigh_states(share: Floats, distance: Floats, calibration: Calibration) -> Floats:
    """(H,) Probabilities of hypotheses among themselves.

    Their share of the draws, to the power of `trust`, times how well their heap agrees with the surveyed one, e to minus the
    distance over the temperature. A distance that is not known (NaN) counts as one that says no more.
    """
    far = np.where(np.isfinite(distance), np.minimum(distance, calibration.farthest), calibration.farthest)
    score = calibration.trust * np.log(np.maximum(share, LEAST)) - far / calibration.temperature
    odds = np.exp(score - score.max())
    return np.asarray(odds / odds.sum())


def join_placed(placed: Floats, votes: Sequence[Floats], weights: Floats, physics: float) -> Floats:
    """(A, S) Probabilities of pairs: `physics` of what the weighed hypotheses say, (A, S) each, the rest of what the net says."""
    return (1 - physics) * placed + physics * np.tensordot(weights, np.array(votes), axes=1)


def join_filled(filled: Floats, states: Sequence[TowerState], weights: Floats, physics: float) -> Floats:
    """(S,) Probabilities that slots were filled, joined in the same way."""
    voted = weights @ np.array([state.filled for state in states], float)
    return np.asarray((1 - physics) * filled + physics * voted)


def find_set(probability: Floats, level: float) -> NDArray[np.int64]:
    """Slots of one block, (S,), the most probable first, until they sum to the level; one at least, and beyond that none that is
    hardly possible: a block that probably stood nowhere has a short list, not all slots."""
    order = np.argsort(-probability, kind="stable")
    count = int(np.searchsorted(np.cumsum(probability[order]), level, side="left")) + 1
    return order[: max(1, min(count, int((probability >= SLIGHT).sum())))]


def measure_telling(weights: Floats, votes: Floats) -> Floats:
    """(A,) How much the slot of each block would tell about which hypothesis is right, in bits.

    The mutual information of both, of hypotheses with `weights` (H,) in which blocks are in slots by `votes` (H, A, S).
    """
    return measure_entropy(np.tensordot(weights, votes, axes=1)) - np.tensordot(weights, measure_entropy(votes), axes=1)


def measure_entropy(probability: Floats) -> Floats:
    """(...) of probabilities (..., S) and of what is missing to 1, in bits."""
    rest = np.clip(1 - probability.sum(axis=-1, keepdims=True), 0, 1)
    every = np.concatenate([probability, rest], axis=-1)
    return np.asarray(-(every * np.log2(np.maximum(every, LEAST))).sum(axis=-1))


def measure_distance(some: Floats, others: Floats, missing: float = MISSING) -> float:
    """The least mean way [m] that turns one heap, (M, 3), into the other, (N, 3).

    Every block of the smaller heap has a partner in the larger one, each pair costs its distance, at most 2 `missing`; the
    blocks that are left over cost `missing` each. The sum is shared among the blocks of the larger heap (Rubner et al. 2000:
    of equal weights the earth mover's distance is an assignment). 0 for two heaps of nothing.
    """
    larger = max(len(some), len(others))
    if not larger:
        return 0.0
    cost, rows, columns = match_centres(some, others, missing)
    return float(cost[rows, columns].sum() + missing * abs(len(some) - len(others))) / larger


def match_centres(some: Floats, others: Floats, missing: float = MISSING) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """(M, N) costs of all pairs, and the rows and columns of the pairs that together cost least."""
    apart = np.linalg.norm(some[:, None, :] - others[None, :, :], axis=2)
    cost = np.minimum(apart, 2 * missing)
    rows, columns = linear_sum_assignment(cost)
    return cost, rows, columns
