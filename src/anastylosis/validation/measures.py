"""Measures of answers, ready to be weighed by how often each episode was drawn.

Only slots that a tower had count. Slots of one episode are about one tower and are no independent draws, so that a measure
knows its episodes: almost all are quotients of sums over episodes, the rest keep the column of each slot.

removed_locs is measured over all slots and, as most of those that still stand can simply be seen, over standing and collapsed
ones apart; and inside each episode, where it does not help to know that one tower had lost more blocks than another.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.validation.metrics import (
    BINS,
    Flags,
    Floats,
    calibration_error,
    divide,
    episode_aucs,
    place_in_bins,
    rank_items,
    weigh_auc,
    weigh_precision,
)

Said = NDArray[np.floating]


class TowerTruth(Protocol):
    """The truth of N towers with P slots, as pictures and surveys share it."""

    @property
    def slots(self) -> Flags: ...  # (N, P) the tower had this slot
    @property
    def removed_locs(self) -> Flags: ...  # (N, P)
    @property
    def collapsed(self) -> Flags: ...  # (N, P)
    @property
    def num_removed(self) -> NDArray[np.floating]: ...  # (N,)
    @property
    def failure_layer(self) -> NDArray[np.int64]: ...  # (N,)


class Measure(NamedTuple):
    """One metric of N episodes."""

    compared: int  # episodes, slots or pairs
    weigh: Callable[[Floats], Floats]  # how often each episode counts (R, N) -> the metric of each weighing (R,)


def measure_ratio(tops: ArrayLike, bottoms: ArrayLike, count: int) -> Measure:
    """Measure a quotient of sums over episodes, (N,) each."""
    top, bottom = np.asarray(tops, float), np.asarray(bottoms, float)
    return Measure(count, lambda weights: divide(weights @ top, weights @ bottom))


def measure_mean(values: ArrayLike, counted: Flags | None = None) -> Measure:
    """Measure the mean of values, (N,) or (N, P), over those that count."""
    value = np.asarray(values, float)
    which = np.ones(value.shape, bool) if counted is None else counted
    inside = tuple(range(1, value.ndim))
    return measure_ratio(np.where(which, value, 0.0).sum(axis=inside), which.sum(axis=inside), int(which.sum()))


def measure_f1(labels: Flags, said: Flags, counted: Flags) -> Measure:
    hits, trues, alarms = ((part & counted).sum(axis=1) for part in (labels & said, labels, said))
    return measure_ratio(2 * hits, trues + alarms, int(counted.sum()))


def measure_areas(labels: Flags, scores: Said, counted: Flags, suffix: str = "") -> dict[str, Measure]:
    """Measure AUC and average precision of the slots that count, all episodes together; (N, P) each."""
    ranking = rank_items(labels[counted], scores[counted], np.nonzero(counted)[0])
    count = int(counted.sum())
    return {
        f"auc{suffix}": Measure(count, lambda weights: weigh_auc(ranking, weights)),
        f"ap{suffix}": Measure(count, lambda weights: weigh_precision(ranking, weights)),
    }


def measure_within(labels: Flags, scores: Said, counted: Flags) -> Measure:
    """Measure the AUC inside an episode, a mean over the episodes that have both classes."""
    aucs = episode_aucs(labels, scores, counted)
    return measure_mean(aucs, np.isfinite(aucs))


def measure_calibration(labels: Flags, probabilities: Said, counted: Flags) -> Measure:
    """Measure the expected calibration error, from the sums of each episode in each bin."""
    cell = np.nonzero(counted)[0] * BINS + place_in_bins(probabilities[counted])
    size = len(labels) * BINS
    excess = np.bincount(cell, probabilities[counted].astype(float) - labels[counted], size).reshape(-1, BINS)
    held = np.bincount(cell, minlength=size).reshape(-1, BINS).astype(float)
    return Measure(int(counted.sum()), lambda weights: calibration_error(weights @ excess, weights @ held))


def measure_num_removed(truth: TowerTruth, said: Said) -> dict[str, Measure]:
    return {"mae": measure_mean(np.abs(said - truth.num_removed))}


def measure_removed_locs(truth: TowerTruth, said: Said) -> dict[str, Measure]:
    labels, slots, collapsed = truth.removed_locs, truth.slots, truth.collapsed
    return {
        **measure_areas(labels, said, slots),
        "brier": measure_mean((said.astype(float) - labels) ** 2, slots),
        "ece": measure_calibration(labels, said, slots),
        **measure_areas(labels, said, slots & ~collapsed, "_standing"),
        **measure_areas(labels, said, collapsed, "_collapsed"),
        "auc_within": measure_within(labels, said, slots),
        "auc_within_collapsed": measure_within(labels, said, collapsed),
    }


def measure_failure_layer(truth: TowerTruth, said: Said) -> dict[str, Measure]:
    layer = said.argmax(axis=1)
    return {
        "top1": measure_mean(layer == truth.failure_layer),
        "mae": measure_mean(np.abs(layer - truth.failure_layer)),
    }
