"""Measures of answers, ready to be weighed by how often each episode was drawn.

Only slots that a tower had count. Slots of one episode are about one tower and are no independent draws, so that a measure
knows its episodes: almost all are quotients of sums over episodes, the rest keep the column of each slot.

removed_locs is measured over all slots and, as most of those that still stand can simply be seen, over standing and collapsed
ones apart; and inside each episode, where it does not help to know that one tower had lost more blocks than another.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Flags, Floats, Reals, divide
from anastylosis.validation.bootstrap import bound, draw_episodes
from anastylosis.validation.interval import Interval
from anastylosis.validation.metrics import (
    BINS,
    calibration_error,
    episode_aucs,
    place_in_bins,
    rank_items,
    weigh_auc,
    weigh_precision,
    weigh_spearman,
)

AT_ONCE = 8  # draws weighed together: 54,000 slots of them stay in the cache, and more take three times as long


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


class Score(NamedTuple):
    """One metric of one head."""

    head: str  # a field of Answers
    metric: str
    value: float
    low: float
    high: float
    count: int  # type: ignore[assignment]  # episodes, slots or pairs that were compared


class Measure(NamedTuple):
    """One metric of N episodes."""

    compared: int  # episodes, slots or pairs
    weigh: Callable[[Floats], Floats]  # how often each episode counts (R, N) -> the metric of each weighing (R,)

    @classmethod
    def ratio(cls, tops: ArrayLike, bottoms: ArrayLike, count: int) -> "Measure":
        """Measure a quotient of sums over episodes, (N,) each."""
        top, bottom = np.asarray(tops, float), np.asarray(bottoms, float)
        return cls(count, lambda weights: divide(weights @ top, weights @ bottom))

    @classmethod
    def mean(cls, values: ArrayLike, counted: Flags | None = None) -> "Measure":
        """Measure the mean of values, (N,) or (N, P), over those that count."""
        value = np.asarray(values, float)
        which = np.ones(value.shape, bool) if counted is None else counted
        inside = tuple(range(1, value.ndim))
        return cls.ratio(np.where(which, value, 0.0).sum(axis=inside), which.sum(axis=inside), int(which.sum()))

    @classmethod
    def f1(cls, labels: Flags, predicted: Flags, counted: Flags) -> "Measure":
        """Measure the F1 of the slots that count; (N, P) each."""
        hits, trues, alarms = ((part & counted).sum(axis=1) for part in (labels & predicted, labels, predicted))
        return cls.ratio(2 * hits, trues + alarms, int(counted.sum()))

    @classmethod
    def calibration(cls, labels: Flags, probabilities: Reals, counted: Flags) -> "Measure":
        """Measure the expected calibration error, from the sums of each episode in each bin."""
        cell = np.nonzero(counted)[0] * BINS + place_in_bins(probabilities[counted])
        size = len(labels) * BINS
        excess = np.bincount(cell, probabilities[counted].astype(float) - labels[counted], size).reshape(-1, BINS)
        held = np.bincount(cell, minlength=size).reshape(-1, BINS).astype(float)
        return cls(int(counted.sum()), lambda weights: calibration_error(weights @ excess, weights @ held))

    @classmethod
    def spearman(cls, first: Reals, second: Reals) -> "Measure":
        """Measure the rank correlation of two numbers of each episode, (N,) each."""
        return cls(len(first), lambda weights: weigh_spearman(first, second, weights))

    @classmethod
    def areas(cls, labels: Flags, scores: Reals, counted: Flags, suffix: str = "") -> dict[str, "Measure"]:
        """Measure AUC and average precision of the slots that count, all episodes together; (N, P) each."""
        ranking = rank_items(labels[counted], scores[counted], np.nonzero(counted)[0])
        count = int(counted.sum())
        return {
            f"auc{suffix}": cls(count, lambda weights: weigh_auc(ranking, weights)),
            f"ap{suffix}": cls(count, lambda weights: weigh_precision(ranking, weights)),
        }

    @classmethod
    def within(cls, labels: Flags, scores: Reals, counted: Flags) -> "Measure":
        """Measure the AUC inside an episode, a mean over the episodes that have both classes."""
        aucs = episode_aucs(labels, scores, counted)
        return cls.mean(aucs, np.isfinite(aucs))

    @classmethod
    def num_removed(cls, truth: TowerTruth, predicted: Reals) -> dict[str, "Measure"]:
        """Measure the number of blocks that were removed."""
        return {"mae": cls.mean(np.abs(predicted - truth.num_removed))}

    @classmethod
    def removed_locs(cls, truth: TowerTruth, predicted: Reals) -> dict[str, "Measure"]:
        """Measure the probability of each slot that its block was removed."""
        labels, slots, collapsed = truth.removed_locs, truth.slots, truth.collapsed
        return {
            **cls.areas(labels, predicted, slots),
            "brier": cls.mean((predicted.astype(float) - labels) ** 2, slots),
            "ece": cls.calibration(labels, predicted, slots),
            **cls.areas(labels, predicted, slots & ~collapsed, "_standing"),
            **cls.areas(labels, predicted, collapsed, "_collapsed"),
            "auc_within": cls.within(labels, predicted, slots),
            "auc_within_collapsed": cls.within(labels, predicted, collapsed),
        }

    @classmethod
    def failure_layer(cls, truth: TowerTruth, predicted: Reals) -> dict[str, "Measure"]:
        """Measure the lowest layer that gave way, the one with the highest score."""
        layer = predicted.argmax(axis=1)
        return {
            "top1": cls.mean(layer == truth.failure_layer),
            "mae": cls.mean(np.abs(layer - truth.failure_layer)),
        }

    @staticmethod
    def draw_episodes(episodes: int, resamples: int, seed: int) -> Floats:
        """Return (R, N) how often each episode counts in each draw of a bootstrap."""
        return draw_episodes(episodes, resamples, seed)

    def weigh_once(self, draws: Floats) -> float:
        """Return the metric of all episodes, each once."""
        return float(self.weigh(np.ones((1, draws.shape[1])))[0])

    def weigh_draws(self, draws: Floats) -> Floats:
        """Return (R,) the metric of each draw."""
        parts = [self.weigh(draws[begin : begin + AT_ONCE]) for begin in range(0, len(draws), AT_ONCE)]
        return np.concatenate([np.zeros(0), *parts])

    def score(self, head: str, metric: str, draws: Floats) -> Score:
        """Return the value with its interval; NaN where there is nothing to measure."""
        value = self.weigh_once(draws)
        if not math.isfinite(value):
            return Score(head, metric, math.nan, math.nan, math.nan, 0)
        _, low, high = bound(metric, value, self.weigh_draws(draws))
        return Score(head, metric, value, max(low, 0.0) if metric == "ece" else low, high, self.compared)

    def compare(self, other: "Measure", metric: str, draws: Floats) -> Interval:
        """Return this measure minus another one, on the same episodes in each draw."""
        value = self.weigh_once(draws) - other.weigh_once(draws)
        return bound(metric, value, self.weigh_draws(draws) - other.weigh_draws(draws))
