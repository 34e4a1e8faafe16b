"""Measures: what is measured of each head, ready to be weighed by how often each episode was drawn.

Only slots that a tower had count. Slots of one episode are about one tower and are no independent draws, so that a measure
knows its episodes: almost all are quotients of sums over episodes, the rest keep the column of each slot.

removed_locs is judged over all slots and, as most of those that still stand can simply be seen, over standing and collapsed
ones apart; and inside each episode, where it does not help to know that one tower had lost more blocks than another.
block_set is mostly presence, which flatters: F1 is told of absence too. Its blocks are all alike, and `centroid_assigned`
asks whether they were put where blocks were, whichever slot they were given; of pairs alone, so it is to be read beside F1.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import Answers
from anastylosis.structure.tower import BLOCKS_PER_COURSE
from anastylosis.training.metrics import (
    BINS,
    Flags,
    Floats,
    angle_error,
    calibration_error,
    divide,
    episode_aucs,
    place_in_bins,
    rank_items,
    weigh_auc,
    weigh_precision,
    weigh_spearman,
)
from anastylosis.training.picture.truth import Truth

__all__ = [
    "MEASURES",
    "Measure",
    "check_answers",
    "measure_areas",
    "measure_calibration",
    "measure_failure_layer",
    "measure_head",
    "measure_mean",
    "measure_num_removed",
    "measure_ratio",
    "measure_removed_locs",
]

PRESENT = 0.5  # at least this probable: said to be there
Said = NDArray[np.floating]


class TowerTruth(Protocol):
    """What is known of N towers with P slots, whatever it was read off."""

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
    """Of sums over episodes, (N,) each."""
    top, bottom = np.asarray(tops, float), np.asarray(bottoms, float)
    return Measure(count, lambda weights: divide(weights @ top, weights @ bottom))


def measure_mean(values: ArrayLike, counted: Flags | None = None) -> Measure:
    """The mean of values, (N,) or (N, P), over those that count."""
    value = np.asarray(values, float)
    which = np.ones(value.shape, bool) if counted is None else counted
    inside = tuple(range(1, value.ndim))
    return measure_ratio(np.where(which, value, 0.0).sum(axis=inside), which.sum(axis=inside), int(which.sum()))


def measure_f1(labels: Flags, said: Flags, counted: Flags) -> Measure:
    hits, trues, alarms = ((part & counted).sum(axis=1) for part in (labels & said, labels, said))
    return measure_ratio(2 * hits, trues + alarms, int(counted.sum()))


def measure_areas(labels: Flags, scores: Said, counted: Flags, suffix: str = "") -> dict[str, Measure]:
    """AUC and average precision of the slots that count, all episodes together; (N, P) each."""
    ranking = rank_items(labels[counted], scores[counted], np.nonzero(counted)[0])
    count = int(counted.sum())
    return {
        f"auc{suffix}": Measure(count, lambda weights: weigh_auc(ranking, weights)),
        f"ap{suffix}": Measure(count, lambda weights: weigh_precision(ranking, weights)),
    }


def measure_within(labels: Flags, scores: Said, counted: Flags) -> Measure:
    """AUC inside an episode, a mean over the episodes that have both classes."""
    aucs = episode_aucs(labels, scores, counted)
    return measure_mean(aucs, np.isfinite(aucs))


def measure_calibration(labels: Flags, probabilities: Said, counted: Flags) -> Measure:
    """Expected calibration error, from the sums of each episode in each bin."""
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


def measure_imbalance(truth: Truth, said: Said) -> dict[str, Measure]:
    return {"mae_mm": measure_mean(1e3 * np.abs(said - truth.imbalance))}


def measure_torque_risk(truth: Truth, said: Said) -> dict[str, Measure]:
    known = truth.torque_risk
    return {
        "mae": measure_mean(np.abs(said - known)),
        "spearman": Measure(len(known), lambda weights: weigh_spearman(known, said, weights)),
    }


def measure_failure_layer(truth: TowerTruth, said: Said) -> dict[str, Measure]:
    layer = said.argmax(axis=1)
    return {
        "top1": measure_mean(layer == truth.failure_layer),
        "mae": measure_mean(np.abs(layer - truth.failure_layer)),
    }


def measure_friction_level(truth: Truth, said: Said) -> dict[str, Measure]:
    return {"accuracy": measure_mean(said.argmax(axis=1) == truth.friction_level)}


def measure_block_set(truth: Truth, said: Said) -> dict[str, Measure]:
    known, slots = truth.block_set, truth.slots
    present, said_present = known[..., 0] >= PRESENT, said[..., 0] >= PRESENT
    filled = slots & present
    distance, pairs = match_centroids(known[..., 1:3], filled, said[..., 1:3], slots & said_present)
    return {
        "presence_f1": measure_f1(present, said_present, slots),
        "absence_f1": measure_f1(~present, ~said_present, slots),
        "centroid": measure_mean(np.linalg.norm(said[..., 1:3] - known[..., 1:3], axis=-1), filled),
        "centroid_assigned": measure_ratio(distance, pairs, int(pairs.sum())),
        "angle_degrees": measure_mean(angle_error(90 * said[..., 5], 90 * known[..., 5]), filled),
    }


def match_centroids(known: Said, filled: Flags, said: Said, said_filled: Flags) -> tuple[Floats, NDArray[np.int64]]:
    """(N,) Summed distance of blocks from those that they are paired with, at its least, and how many pairs; places (N, P, 2).

    As many pairs as there are blocks on the side that has fewer.
    """
    distance, pairs = np.zeros(len(known)), np.zeros(len(known), np.int64)
    for i in range(len(known)):
        here, there = known[i, filled[i]].astype(float), said[i, said_filled[i]].astype(float)
        apart = np.linalg.norm(here[:, None] - there[None], axis=-1)
        rows, columns = linear_sum_assignment(apart)
        distance[i], pairs[i] = apart[rows, columns].sum(), len(rows)
    return distance, pairs


def measure_displacement(truth: Truth, said: Said) -> dict[str, Measure]:
    known = truth.slots & np.isfinite(truth.displacement).all(axis=-1)
    error = np.linalg.norm(said - truth.displacement, axis=-1)
    return {"error": measure_mean(error, known), "error_collapsed": measure_mean(error, known & truth.collapsed)}


MEASURES: dict[str, Callable[[Truth, Said], dict[str, Measure]]] = {
    "num_removed": measure_num_removed,
    "removed_locs": measure_removed_locs,
    "imbalance": measure_imbalance,
    "torque_risk": measure_torque_risk,
    "failure_layer": measure_failure_layer,
    "friction_level": measure_friction_level,
    "block_set": measure_block_set,
    "displacement": measure_displacement,
}


def measure_head(head: str, truth: Truth, answers: Answers) -> dict[str, Measure]:
    """The metrics of one head by name; none when it was not answered."""
    said = getattr(answers, head)
    return {} if said is None else MEASURES[head](truth, said)


def check_answers(truth: Truth, answers: Answers) -> None:
    """Raise unless answers are about the same pictures and slots, and finite wherever they are judged."""
    pictures, slots = truth.slots.shape
    shapes: dict[str, tuple[int, ...]] = {
        "num_removed": (pictures,),
        "removed_locs": (pictures, slots),
        "imbalance": (pictures,),
        "torque_risk": (pictures,),
        "failure_layer": (pictures, slots // BLOCKS_PER_COURSE),
        "block_set": (pictures, slots, 6),
        "displacement": (pictures, slots, 2),
    }
    for head in MEASURES:
        said = getattr(answers, head)
        if said is None:
            continue
        wanted = shapes.get(head, (pictures, *said.shape[1:]))
        if said.shape != wanted:
            raise InvalidInput(f"the answers of {head} have shape {said.shape}; the truth asks for {wanted}")
        judged = said[truth.slots] if wanted[1:2] == (slots,) else said
        if not np.isfinite(judged).all():
            raise InvalidInput(f"{np.sum(~np.isfinite(judged))} answers of {head} are no finite numbers; look into the model")
    probable = answers.removed_locs[truth.slots]
    if probable.size and not (probable.min() >= 0 and probable.max() <= 1):
        raise InvalidInput(f"probabilities of removed_locs go from {probable.min()} to {probable.max()}; they are in 0..1")
