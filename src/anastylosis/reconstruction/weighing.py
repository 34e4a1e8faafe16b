"""Weighing: what hypotheses are worth beside each other, and what they say together about slots and blocks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anastylosis.reconstruction.calibration import Calibration
from anastylosis.reconstruction.draws import TowerState

__all__ = ["SLIGHT", "find_set", "join_filled", "join_placed", "measure_telling", "weigh_states"]

LEAST = 1e-12  # share of the draws
SLIGHT = 0.01  # probability of a slot, below which it is in no set but as the only one
Floats = NDArray[np.float64]


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
