"""Intervals: how far a rate or a mean may be from the truth, by chance."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats

Z = 1.959963984540054  # two-sided 95 % of the normal distribution
RESAMPLES = 4000
AT_ONCE = 200  # resamples held in memory: of 10,000 episodes, 16 MB


class Interval(NamedTuple):
    """An estimate with the 95 % interval around it."""

    value: float
    low: float
    high: float

    @classmethod
    def wilson(cls, successes: int, trials: int) -> "Interval":
        """Return the Wilson score interval of a rate: right also for few trials and rates near 0 or 1."""
        if trials == 0:
            return cls(math.nan, 0.0, 1.0)
        p, z2 = successes / trials, Z * Z
        middle = (p + z2 / (2 * trials)) / (1 + z2 / trials)
        half = Z / (1 + z2 / trials) * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials))
        return cls(p, max(0.0, middle - half), min(1.0, middle + half))

    @classmethod
    def bootstrap_mean(cls, values: Sequence[float], seed: int = 0) -> "Interval":
        """Return the percentile bootstrap of a mean: of a ratio to one."""
        return cls.bootstrap_ratio(values, np.ones(len(values)), seed)

    @classmethod
    def bootstrap_ratio(cls, tops: ArrayLike, bottoms: ArrayLike, seed: int = 0) -> "Interval":
        """Return the percentile bootstrap of sum(tops) / sum(bottoms), an item a cluster, drawn as a whole.

        For shares of rounds, which are no independent draws: those of one game are about one tower and end with its fall.
        From fewer than two clusters, or clusters in which the thing was never seen, resampling says nothing about chance: the
        bounds are NaN.
        """
        top, bottom = np.asarray(tops, float), np.asarray(bottoms, float)
        value = float(top.sum() / bottom.sum()) if bottom.sum() else math.nan
        if len(top) < 2 or not bottom.sum() or not top.any():
            return cls(value, math.nan, math.nan)
        return cls(value, *find_bounds(resample_ratio(top, bottom, seed)))

    @classmethod
    def bootstrap_gain(cls, one: tuple[ArrayLike, ArrayLike], other: tuple[ArrayLike, ArrayLike], seed: int = 0) -> "Interval":
        """Bootstrap the difference of two ratios, (tops, bottoms) each, of the same clusters.

        Both are drawn together, so that what is hard for both does not count as chance.
        """
        top, bottom, other_top, other_bottom = (np.asarray(part, float) for part in (*one, *other))
        if not bottom.any() or not other_bottom.any():
            return cls(math.nan, math.nan, math.nan)
        value = float(top.sum() / bottom.sum() - other_top.sum() / other_bottom.sum())
        if len(top) < 2:
            return cls(value, math.nan, math.nan)
        drawn = resample_ratio(top, bottom, seed) - resample_ratio(other_top, other_bottom, seed)
        return cls(value, *find_bounds(drawn))


def resample_ratio(top: Floats, bottom: Floats, seed: int) -> Floats:
    """Return ratios (RESAMPLES,) of clusters drawn with replacement; NaN where the drawn clusters sum to 0."""
    rng = np.random.default_rng(seed)
    ratios = []
    for begin in range(0, RESAMPLES, AT_ONCE):
        rows = rng.integers(len(top), size=(min(AT_ONCE, RESAMPLES - begin), len(top)))
        above, below = top[rows].sum(axis=1), bottom[rows].sum(axis=1)
        ratios.append(np.divide(above, below, out=np.full(len(below), math.nan), where=below > 0))
    return np.concatenate(ratios)


def find_bounds(drawn: Floats) -> tuple[float, float]:
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p of paired yes/no outcomes: the chance that a coin splits differing pairs so unevenly."""
    trials, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(trials, k) for k in range(fewer + 1)) / 2**trials
    return min(1.0, 2 * tail)
