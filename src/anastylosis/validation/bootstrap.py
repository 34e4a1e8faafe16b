"""Scores of models, each with a 95 % interval from a bootstrap over episodes.

Intervals are percentiles of a seeded bootstrap that draws whole EPISODES: the slots of one tower are no independent draws, and an
interval of slots would be too narrow. Draws for which a metric says nothing (only one class) are left out. One seed draws the
same episodes for every model, so that differences are paired. With fewer than two episodes the bounds are NaN; a metric that
cannot be computed is NaN with a count of 0.
"""

import math

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.validation.interval import Interval


def draw_episodes(episodes: int, resamples: int, seed: int) -> Floats:
    """Return (R, N) how often each episode was drawn, N times with replacement; R is 0 when there are not two to draw from."""
    if episodes < 2:
        return np.zeros((0, episodes))
    rows = np.random.default_rng(seed).integers(episodes, size=(resamples, episodes))
    cells = rows + episodes * np.arange(resamples)[:, None]
    return np.bincount(cells.ravel(), minlength=resamples * episodes).reshape(resamples, episodes).astype(float)


def bound(metric: str, value: float, drawn: Floats) -> Interval:
    """Return the 95 % interval of a value, from the values of the draws.

    The calibration error is a sum of distances: chance makes it larger, and drawing once more makes it larger again, so that the
    percentiles lie too high, at times all above the value. They are mirrored at it (the basic bootstrap), and keep it inside.
    """
    finite = drawn[np.isfinite(drawn)]
    if not math.isfinite(value) or len(finite) == 0:
        return Interval(value, math.nan, math.nan)
    low, high = (float(edge) for edge in np.quantile(finite, (0.025, 0.975)))
    if metric == "ece":
        low, high = min(2 * value - high, value), max(2 * value - low, value)
    return Interval(value, low, high)
