"""Metrics: how far answers are from the truth. Functions of arrays alone; nothing to compare is NaN, and never a warning.

n items; a *label* is the truth of one (True or False), a *score* grows with the belief in it, a *probability* is such a score in
0..1. `weights (R, C)` weight the same items R times over: an item that counts w times is as good as w copies of it, so the
multiplicities of a bootstrap are weights. Items are sorted once, and each weighting is a pass over them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Flags, Floats, Integers, divide

# Of equal width: they stay where they are when episodes are drawn again and when another model is judged, and a plot of them
# reads as one of probabilities. Few slots lie in the upper ones, and few count for little: each bin weighs as many as it holds.
BINS = 15


class Ranking(NamedTuple):
    """Order of n items, highest score first. Equal scores are one *step*; listed are the H steps with a True label in them."""

    columns: Integers  # (n,) the column of the weights of each item
    before: Integers  # (H,) items above the step
    after: Integers  # (H,) items down to its end
    true_columns: Integers  # (p,) of the items whose label is True, in the same order
    true_after: Integers  # (H,) such items down to the step's end


def rank_items(labels: ArrayLike, scores: ArrayLike, columns: ArrayLike | None = None) -> Ranking:
    """Sort items (n,). Without `columns`, each has its own; items of one episode share that of the episode."""
    truth, score = np.asarray(labels, bool), np.asarray(scores, float)
    column = np.arange(len(truth)) if columns is None else np.asarray(columns, np.int64)
    order = np.argsort(-score, kind="stable")
    truth, score, column = truth[order], score[order], column[order]
    ends = np.flatnonzero(np.append(score[1:] != score[:-1], True)) + 1 if len(score) else np.zeros(0, np.int64)
    begins = np.insert(ends, 0, 0)[:-1]
    trues = np.insert(np.cumsum(truth), 0, 0)
    has = trues[ends] > trues[begins]
    return Ranking(column, begins[has], ends[has], column[truth], trues[ends[has]])


class Steps(NamedTuple):
    """Weights of a ranking's items, R times over."""

    above: Floats  # (R, H) of the items above each step
    down_to: Floats  # (R, H) down to its end
    trues: Floats  # (R, H) of the True ones down to its end
    here: Floats  # (R, H) of the True ones in the step
    total: Floats  # (R,) of all items


def weigh_steps(ranking: Ranking, weights: Floats) -> Steps:
    items = np.zeros((len(weights), len(ranking.columns) + 1))
    np.cumsum(weights.take(ranking.columns, axis=1), axis=1, out=items[:, 1:])
    trues = np.cumsum(weights.take(ranking.true_columns, axis=1), axis=1).take(ranking.true_after - 1, axis=1)
    here = np.diff(trues, axis=1, prepend=0.0)
    return Steps(items.take(ranking.before, axis=1), items.take(ranking.after, axis=1), trues, here, items[:, -1])


def weigh_auc(ranking: Ranking, weights: Floats) -> Floats:
    """Return (R,) the share of pairs, a True and a False one, whose True one scored higher; equal scores are half. NaN without
    pairs.
    """
    above, down_to, trues, here, total = weigh_steps(ranking, weights)
    total_true = here.sum(axis=1)
    total_false = total - total_true
    below = total_false[:, None] - (down_to - trues)
    ties = down_to - above - here
    return divide((here * (below + ties / 2)).sum(axis=1), total_true * total_false)


def weigh_precision(ranking: Ranking, weights: Floats) -> Floats:
    """Return (R,) average precision: that of the items down to each step, a mean over the True ones. NaN without any."""
    _, down_to, trues, here, _ = weigh_steps(ranking, weights)
    precision = np.divide(trues, down_to, out=np.zeros_like(trues), where=down_to > 0)  # nothing down to here: weighs nothing
    return divide((here * precision).sum(axis=1), here.sum(axis=1))


def roc_auc(labels: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the area under the ROC curve of n items; NaN when they are all of one class."""
    return float(weigh_auc(rank_items(labels, scores), one_weighing(labels, weights))[0])


def average_precision(labels: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the area under the precision-recall curve, in steps and not in trapezes, which flatter; NaN when nothing is True."""
    return float(weigh_precision(rank_items(labels, scores), one_weighing(labels, weights))[0])


def one_weighing(labels: ArrayLike, weights: ArrayLike | None) -> Floats:
    return np.ones((1, np.size(np.asarray(labels)))) if weights is None else np.asarray(weights, float)[None]


def episode_aucs(labels: Flags, scores: NDArray[np.floating], counted: Flags) -> Floats:
    """Return (N,) the AUC inside each episode, over the slots that count; all (N, P). NaN where those are of one class."""
    return np.array([roc_auc(labels[i, counted[i]], scores[i, counted[i]]) for i in range(len(labels))], float)


def within_episode_auc(labels: Flags, scores: NDArray[np.floating], counted: Flags) -> float:
    """Return the mean AUC inside an episode, over those with both classes: telling towers apart adds nothing to it."""
    aucs = episode_aucs(labels, scores, counted)
    return float(divide(np.nansum(aucs), np.isfinite(aucs).sum()))


def brier(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean squared distance of probabilities from outcomes, 1 or 0."""
    squares = (np.asarray(probabilities, float) - np.asarray(labels, bool)) ** 2
    return float(divide(squares.sum(), squares.size))


class Reliability(NamedTuple):
    """Items by their probability, in `BINS` bins from 0 to 1; NaN in an empty one. Calibrated is where the two are equal."""

    probability: Floats  # (BINS,) mean of the items' probabilities
    rate: Floats  # (BINS,) share of them that were True
    items: Integers  # (BINS,) how many


def place_in_bins(probabilities: ArrayLike) -> Integers:
    """Return the bin of each probability; 1 is in the last one."""
    return np.minimum((np.asarray(probabilities, float) * BINS).astype(np.int64), BINS - 1)


def reliability(labels: ArrayLike, probabilities: ArrayLike) -> Reliability:
    """Return the rate of True labels beside the mean probability, in bins."""
    truth, predicted = np.ravel(np.asarray(labels, bool)), np.ravel(np.asarray(probabilities, float))
    place = place_in_bins(predicted)
    count = np.bincount(place, minlength=BINS)
    return Reliability(
        divide(np.bincount(place, predicted, BINS), count), divide(np.bincount(place, truth, BINS), count), count.astype(np.int64)
    )


def calibration_error(excess: Floats, count: Floats) -> Floats:
    """Return the error (...) from the bins' sums of probability minus label, and their items, both (..., BINS)."""
    return divide(np.abs(excess).sum(axis=-1), count.sum(axis=-1))


def expected_calibration_error(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean distance of probability and rate over bins, weighted by items. Too high by chance when items are few."""
    predicted, rate, count = reliability(labels, probabilities)
    return float(calibration_error(np.nan_to_num(predicted - rate) * count, count.astype(float)))


def f1_score(labels: ArrayLike, answers: ArrayLike) -> float:
    """Return 2 hits / (2 hits + misses + false alarms); NaN when nothing is True and nothing was predicted."""
    truth, predicted = np.asarray(labels, bool), np.asarray(answers, bool)
    return float(divide(2 * (truth & predicted).sum(), truth.sum() + predicted.sum()))


def weigh_spearman(first: ArrayLike, second: ArrayLike, weights: Floats) -> Floats:
    """Return (R,) correlations of the ranks of n pairs, equal values sharing the middle one; weights (R, n). NaN when one is
    constant.
    """
    a, b = weigh_ranks(np.asarray(first, float), weights), weigh_ranks(np.asarray(second, float), weights)
    spread = np.sqrt((weights * a * a).sum(axis=1) * (weights * b * b).sum(axis=1))
    return divide((weights * a * b).sum(axis=1), spread)


def weigh_ranks(values: Floats, weights: Floats) -> Floats:
    """Return (R, n) the rank of each value among weighted ones, from the middle of all ranks: their weighted mean is 0."""
    step = np.unique(values, return_inverse=True)[1]
    order = np.argsort(step, kind="stable")
    ends = np.cumsum(np.bincount(step))
    down_to = np.zeros((len(weights), len(ends) + 1))
    down_to[:, 1:] = np.cumsum(weights.take(order, axis=1), axis=1).take(ends - 1, axis=1)
    middles = (down_to[:, 1:] + down_to[:, :-1] - down_to[:, -1:]) / 2
    return middles.take(step, axis=1)


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Return the rank correlation of n pairs; NaN when one side is constant."""
    return float(weigh_spearman(first, second, np.ones((1, np.size(np.asarray(first)))))[0])
