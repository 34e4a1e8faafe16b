"""Calibration on the validation split: slope and offset of logits, and half widths of intervals."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Reals
from anastylosis.dataset import Truth
from anastylosis.models.answers import Answers
from anastylosis.models.picture_model import SCALARS, Range

COVERAGE = 0.9  # of the intervals
STEPS = 50  # of Newton's method
RIDGE = 1e-3  # keeps the slope finite where classes are parted without error


def fit_logits(logits: Reals, happened: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope, 0 or more, and offset of the logistic curve through scores (K,) and outcomes (K,). Platt (1999).

    A calibration may flatten a ranking, never reverse it. Where the best slope is below 0, the scores carry no information: the
    slope is 0 (the loss is convex, so that is the best of those allowed), and the offset is the logit of the rate.
    """
    middle, spread = float(np.mean(logits)), max(float(np.std(logits)), 1e-9)
    x = np.stack([(logits - middle) / spread, np.ones_like(logits)], axis=1).astype(np.float64)
    slope, offset = descend(x, happened)
    if slope <= 0:
        return 0.0, float(descend(x[:, 1:], happened)[0])
    return float(slope / spread), float(offset - slope * middle / spread)


def descend(x: Reals, happened: NDArray[np.bool_]) -> Reals:
    """Return the weights (D,) of features (K, D) with the least loss: Newton's method, steps halved until they go downhill."""
    weights = np.zeros(x.shape[1])
    loss = logistic_loss(x, happened, weights)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (chance - happened) + RIDGE * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        while (next_loss := logistic_loss(x, happened, weights - step)) > loss and np.abs(step).max() > 1e-9:
            step /= 2
        if np.abs(step).max() <= 1e-9:
            break
        weights, loss = weights - step, next_loss
    return weights


def logistic_loss(x: Reals, happened: NDArray[np.bool_], weights: Reals) -> float:
    score = x @ weights
    return float((np.logaddexp(0, score) - happened * score).sum() + RIDGE / 2 * weights @ weights)


def half_widths(truth: Truth, answers: Answers) -> dict[str, float]:
    """Return the half width of the interval of each number."""
    return {name: half_width(getattr(truth, name), getattr(answers, name)) for name in SCALARS}


def half_width(truth: Reals, predicted: Reals) -> float:
    """Return the distance on both sides of a number within which the truth is nine times in ten.

    The quantile of a split conformal interval (Vovk et al. 2005): the ceil((n + 1) 0.9)-th smallest error of n.
    """
    error = np.sort(np.abs(predicted - truth))
    rank = int(np.ceil((len(error) + 1) * COVERAGE))
    return float(error[min(rank, len(error)) - 1])


def measure_ranges(truth: Truth) -> dict[str, Range]:
    """Return mean and range of each number in a split: the answers of the prior."""
    ends = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)
    ranges = {}
    for name in SCALARS:
        values = getattr(truth, name).astype(np.float64)
        low, high = np.quantile(values, ends)
        ranges[name] = Range(mean=float(values.mean()), low=float(low), high=float(high))
    return ranges
