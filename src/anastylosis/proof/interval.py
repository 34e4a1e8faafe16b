"""Intervals: how far a rate or a mean may be from the truth, by chance."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Interval", "bootstrap_mean", "mcnemar", "wilson"]

Z = 1.959963984540054  # two-sided 95 % of the normal distribution
RESAMPLES = 4000


class Interval(NamedTuple):
    """An estimate with the 95 % interval around it."""

    value: float
    low: float
    high: float


def wilson(successes: int, trials: int) -> Interval:
    """Wilson score interval of a rate: right also for few trials and rates near 0 or 1."""
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    p, z2 = successes / trials, Z * Z
    middle = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z / (1 + z2 / trials) * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials))
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


def bootstrap_mean(values: Sequence[float], seed: int = 0) -> Interval:
    """Percentile bootstrap of a mean."""
    sample = np.asarray(values, float)
    rng = np.random.default_rng(seed)
    means = sample[rng.integers(len(sample), size=(RESAMPLES, len(sample)))].mean(axis=1)
    return Interval(float(sample.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975)))


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p of paired yes/no outcomes: how likely the pairs that differ would be split so unevenly by a coin."""
    trials, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(math.comb(trials, k) for k in range(fewer + 1)) / 2**trials
    return min(1.0, 2 * tail)
