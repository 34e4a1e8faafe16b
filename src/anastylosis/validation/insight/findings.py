"""Findings: the sentences of the paper's "What Does the Model Learn?" as numbers, each with what chance would give.

Intervals are 95 %, from a seeded bootstrap over towers: episodes of one seed at several levels of friction are drawn together.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Flags, Floats, divide
from anastylosis.episode import FRICTION_LEVELS, EpisodeConfig
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.validation.bootstrap import bound, draw_episodes
from anastylosis.validation.insight.embedding import (
    Separation,
    average_neighbours,
    measure_distances,
    measure_separation,
)
from anastylosis.validation.insight.insight import Insight
from anastylosis.validation.interval import Interval
from anastylosis.validation.measures import Measure
from anastylosis.validation.metrics import BINS, place_in_bins, weigh_spearman

RESAMPLES = 1000
PROTECTED = EpisodeConfig.protected_layers  # top layers that players leave alone: they would make "lower" look chosen
FEWEST_VALUES = 2  # different ones of a quantity, to ask neighbours about
PARTS = ("all", "standing", "collapsed")  # of the slots
AREAS = ("auc", "auc_standing", "auc_collapsed", "auc_within_collapsed", "ece")
Weigh = Callable[[Floats], Floats]  # how often each episode counts (R, N) -> a number of each weighing (R,)


class Curve(NamedTuple):
    """Predicted probability of slots and the rate of empty ones, in bins of the probability; NaN in an empty bin."""

    probability: Floats  # (BINS,) mean of what was said
    rate: Floats  # (BINS,) share that was empty
    low: Floats  # (BINS,)
    high: Floats
    items: NDArray[np.int64]  # (BINS,) slots
    error: Interval  # expected calibration error


class PaperFindings(NamedTuple):
    """Every number that is measured of a model, as it is drawn."""

    episodes: int
    towers: int
    correlations: dict[str, Interval]  # of ranks
    places: dict[str, Interval]  # differences of rates, by what is compared
    areas: dict[str, Interval]
    curves: dict[str, Curve]
    dispersal: dict[str, Interval]  # [m] by level of friction
    separation: Separation | None  # of the levels of friction, in the embedding; None without one
    neighbours: dict[str, Interval]  # how much the neighbours in the embedding know of each quantity
    quantities: dict[str, Floats]  # (N,) what an embedding may hold of each episode
    predicted_map: Floats  # (P,) mean probability of each slot over the towers that had it
    true_map: Floats  # (P,) share of them that had it empty
    map_agreement: float  # rank correlation of the two maps

    @classmethod
    def measure(cls, insight: Insight) -> "PaperFindings":
        """Measure every finding."""
        truth, answers, towers = insight.truth, insight.answers, insight.towers
        draws = draw_towers(towers)
        dispersal = measure_dispersal(insight.examples.lies)
        quantities = list_quantities(insight, dispersal)
        separation, neighbours = None, {}
        if answers.embedding is not None and np.ptp(answers.embedding, axis=0).any():
            distances = measure_distances(answers.embedding)
            separation = measure_separation(distances, truth.friction_level)
            for name, values in quantities.items():
                neighbours[name] = correlate(average_neighbours(distances, values, towers), values, draws)
        friction = truth.friction_level  # it is told: answers may follow it without a look at the picture
        heads = {name: (getattr(answers, name), getattr(truth, name)) for name in ("num_removed", "imbalance", "torque_risk")}
        correlations = {f"{name}: said and true": correlate(*pair, draws) for name, pair in heads.items()} | {
            "torque and count: said": correlate(answers.torque_risk, answers.num_removed, draws),
            "torque and count: true": correlate(truth.torque_risk, truth.num_removed, draws),
            "num_removed: said and true, beyond friction": correlate_beyond(
                answers.num_removed, truth.num_removed, friction, draws
            ),
            "torque and count: said, beyond friction": correlate_beyond(
                answers.torque_risk, answers.num_removed, friction, draws
            ),
            "torque and count: true, beyond friction": correlate_beyond(truth.torque_risk, truth.num_removed, friction, draws),
            "torque: said and true, beyond the count said": correlate_beyond(
                answers.torque_risk, truth.torque_risk, answers.num_removed, draws
            ),
            "count and dispersal: said": correlate(answers.num_removed, dispersal, draws),
            "count and dispersal: true": correlate(truth.num_removed, dispersal, draws),
        }
        spread = {
            name: weigh_ratio(np.where(truth.friction_level == k, dispersal, 0), truth.friction_level == k, draws)
            for k, name in enumerate(FRICTION_LEVELS)
            if (truth.friction_level == k).any()
        }
        measures = Measure.removed_locs(truth, answers.removed_locs)
        areas = {name: interval(measures[name].weigh, draws, name) for name in AREAS}
        predicted, true = (mean_map(each, truth.slots) for each in (answers.removed_locs, truth.removed_locs))
        known = np.isfinite(true)
        return cls(
            episodes=len(insight.grey), towers=len(np.unique(towers)), correlations=correlations,
            places=compare_all(insight, draws), areas=areas,
            curves=measure_curves(insight, draws), dispersal=spread, separation=separation, neighbours=neighbours,
            quantities=quantities, predicted_map=predicted, true_map=true,
            map_agreement=correlate(predicted[known], true[known], np.zeros((0, int(known.sum())))).value,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Return the findings as JSON has them: names and numbers, null where there is no number."""
        document: dict[str, Any] = {"episodes": self.episodes, "towers": self.towers}
        for name in ("correlations", "places", "areas", "dispersal", "neighbours"):
            document[name] = {key: describe_interval(value) for key, value in getattr(self, name).items()}
        document["calibration"] = {
            name: {"slots": int(curve.items.sum()), "error": describe_interval(curve.error)}
            for name, curve in self.curves.items()
        }
        document["map_agreement"] = describe_number(self.map_agreement)
        if self.separation is not None:
            numbers: Mapping[str, float] = self.separation._asdict()
            document["silhouette"] = {key: describe_number(value) for key, value in numbers.items()} | {
                "verdict": self.separation.verdict
            }
        return document


def draw_towers(towers: NDArray[np.int64], resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Return (R, N) how often each episode counts when towers are drawn with replacement."""
    return draw_episodes(int(towers.max()) + 1, resamples, seed)[:, towers]


def interval(weigh: Weigh, draws: Floats, metric: str = "") -> Interval:
    """Return a number of all episodes, with its interval."""
    value = float(weigh(np.ones((1, draws.shape[1])))[0])
    parts = [weigh(draws[begin : begin + 50]) for begin in range(0, len(draws), 50)]
    return bound(metric, value, np.concatenate([np.zeros(0), *parts]))


def correlate(first: ArrayLike, second: ArrayLike, draws: Floats) -> Interval:
    """Return the rank correlation (Spearman); NaN when one side is constant."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    return interval(lambda weights: weigh_spearman(a, b, weights), draws)


def correlate_beyond(first: ArrayLike, second: ArrayLike, given: ArrayLike, draws: Floats) -> Interval:
    """Return the partial rank correlation, given a third quantity."""
    a, b, c = (np.asarray(each, float) for each in (first, second, given))

    def weigh(weights: Floats) -> Floats:
        ab, ac, bc = (weigh_spearman(*pair, weights) for pair in ((a, b), (a, c), (b, c)))
        rest = np.maximum((1 - ac**2) * (1 - bc**2), 0)
        return divide(ab - ac * bc, np.where(rest > 1e-12, np.sqrt(rest), 0))

    return interval(weigh, draws)


def weigh_ratio(tops: ArrayLike, bottoms: ArrayLike, draws: Floats) -> Interval:
    top, bottom = np.asarray(tops, float), np.asarray(bottoms, float)
    return interval(lambda weights: divide(weights @ top, weights @ bottom), draws)


def measure_dispersal(lies: Floats) -> Floats:
    """Return (N,) how far blocks lie from the middle of the tower, along the floor: root mean square [m]."""
    there = np.isfinite(lies[:, :, 0])
    squares = np.where(there, (np.nan_to_num(lies[:, :, :2]) ** 2).sum(axis=2), 0)
    return np.asarray(np.sqrt(divide(squares.sum(axis=1), there.sum(axis=1))))


def list_quantities(insight: Insight, dispersal: Floats) -> dict[str, Floats]:
    """Return the quantities that an embedding may hold, for each episode; constant ones are left out."""
    truth, examples = insight.truth, insight.examples
    quantities = {
        "friction": examples.friction,
        "blocks removed": truth.num_removed.astype(float),
        "failure layer": truth.failure_layer.astype(float),
        "torque moves": truth.torque_risk.astype(float),
        "dispersal": dispersal,
        "height of the tower": examples.layers.astype(float),
    }
    return {name: values for name, values in quantities.items() if len(np.unique(values)) >= FEWEST_VALUES}


def mean_map(values: NDArray[Any], slots: Flags) -> Floats:
    """Return (P,) the mean of each slot over the towers that had it; NaN where none had."""
    return divide((values * slots).sum(axis=0), slots.sum(axis=0))


def compare_all(insight: Insight, draws: Floats) -> dict[str, Interval]:
    """Compare lower with upper layers and side with centre blocks: true and predicted, in all layers and in those that fell."""
    truth = insight.truth
    found = {}
    for part, counted in (("all layers", truth.slots), ("layers that fell", truth.collapsed)):
        for name, values in (("true", truth.removed_locs), ("said", insight.answers.removed_locs)):
            for what, difference in compare_places(values, counted, insight.examples.layers, draws).items():
                found[f"{what}, {part}: {name}"] = difference
    return found


def compare_places(values: NDArray[Any], counted: Flags, layers: NDArray[np.int64], draws: Floats) -> dict[str, Interval]:
    """Return differences of the rates at which slots were empty; a tower's protected layers are left out."""
    layer, place = np.divmod(np.arange(counted.shape[1]), BLOCKS_PER_COURSE)
    free = layers[:, None] - PROTECTED
    open_slots = counted & (layer < free)
    lower, side = layer + 0.5 < free / 2, np.broadcast_to(place != 1, counted.shape)
    return {
        "lower half - upper half": compare_rates(values, open_slots & lower, open_slots & ~lower, draws),
        "side - centre": compare_rates(values, open_slots & side, open_slots & ~side, draws),
    }


def compare_rates(values: NDArray[Any], first: Flags, second: Flags, draws: Floats) -> Interval:
    """Return the rate in the first slots minus the rate in the second."""
    tops = [(values * chosen).sum(axis=1).astype(float) for chosen in (first, second)]
    bottoms = [chosen.sum(axis=1).astype(float) for chosen in (first, second)]

    def weigh(weights: Floats) -> Floats:
        rates = [divide(weights @ top, weights @ bottom) for top, bottom in zip(tops, bottoms, strict=True)]
        return np.asarray(rates[0] - rates[1])

    return interval(weigh, draws)


def measure_curves(insight: Insight, draws: Floats) -> dict[str, Curve]:
    """Measure the reliability of all slots, of those that still stand and of those that fell."""
    truth = insight.truth
    counted = (truth.slots, truth.slots & ~truth.collapsed, truth.collapsed)
    return {
        name: measure_reliability(truth.removed_locs, insight.answers.removed_locs, chosen, draws)
        for name, chosen in zip(PARTS, counted, strict=True)
    }


def measure_reliability(labels: Flags, predicted: NDArray[np.floating], counted: Flags, draws: Floats) -> Curve:
    """Measure the rate of empty slots beside the predicted probability, (N, P) each, with intervals over towers."""
    size = len(labels) * BINS
    cell = np.nonzero(counted)[0] * BINS + place_in_bins(predicted[counted])
    held, trues, sums = (
        np.bincount(cell, weight, size).reshape(-1, BINS).astype(float)
        for weight in (None, labels[counted].astype(float), predicted[counted].astype(float))
    )
    rates = divide(draws @ trues, draws @ held)
    low, high = np.full(BINS, np.nan), np.full(BINS, np.nan)
    for k in range(BINS):
        finite = rates[np.isfinite(rates[:, k]), k]
        if len(finite):
            low[k], high[k] = np.quantile(finite, (0.025, 0.975))
    excess = sums - trues
    error = interval(lambda weights: divide(np.abs(weights @ excess).sum(axis=1), (weights @ held).sum(axis=1)), draws, "ece")
    error = error._replace(low=max(error.low, 0.0))  # NaN stays
    count = held.sum(axis=0)
    return Curve(divide(sums.sum(axis=0), count), divide(trues.sum(axis=0), count), low, high, count.astype(np.int64), error)


def describe_interval(found: Interval) -> dict[str, float | None]:
    return {key: describe_number(value) for key, value in found._asdict().items()}


def describe_number(value: float) -> float | None:
    """Round to six digits; None where there is no number."""
    if isinstance(value, int):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None
