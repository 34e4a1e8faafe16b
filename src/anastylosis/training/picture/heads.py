"""Heads: the questions that the picture net answers, each declared once. Paper §9.5 and §3.

A head's field in `Answers` and in `Truth` has the same name. Its kind decides its loss (`losses.py`), its answer (`export.py`)
and the answer of baselines (`baselines.py`). `docs/how-to/add-a-head.md` shows how to add one.

`block_set` is mostly presence, which flatters: F1 is measured of absence, too. Its blocks are all alike, and `centroid_assigned`
asks whether they were put where blocks were, whichever slot they were given; of pairs alone, so read it beside F1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.arrays import Flags, Floats, Reals
from anastylosis.dataset import Truth
from anastylosis.validation import Measure

PRESENT = 0.5  # a block of at least this probability is counted as present

# number: learned with mean 0 and deviation 1. slots: a probability for each slot. choice: one of several; layer: the same, of
# towers that gave way below the top layer of the model. boxes: presence, place, size and angle in the picture for each slot.
# shifts: a way in the picture for each slot.
Kind = Literal["number", "slots", "choice", "layer", "boxes", "shifts"]


class Shown(NamedTuple):
    """One row of the page of an evaluation."""

    metric: str
    words: str
    decimals: int
    up: bool  # more is better


@dataclass(frozen=True, kw_only=True)
class Head:
    """One question: how it is learned, measured and shown."""

    name: str  # field of `Answers` and of `Truth`
    kind: Kind
    weight: float  # of its loss. Paper, Eq. (20)
    measure: Callable[[Truth, Reals], dict[str, Measure]]
    shown: Sequence[Shown]  # of the metrics that `measure` gives
    least: float | None = None  # a number is never answered below this
    paper: bool = False  # the paper's net has it
    # Heads that the net computes in layers of several heads have no source. Any other gets a layer of its own, which reads the
    # `embedding`, made from the picture alone, or the `fused` features, which know friction and height if those are told.
    source: Literal["embedding", "fused"] | None = None


def measure_imbalance(truth: Truth, predicted: Reals) -> dict[str, Measure]:
    return {"mae_mm": Measure.mean(1e3 * np.abs(predicted - truth.imbalance))}


def measure_torque_risk(truth: Truth, predicted: Reals) -> dict[str, Measure]:
    known = truth.torque_risk
    return {
        "mae": Measure.mean(np.abs(predicted - known)),
        "spearman": Measure.spearman(known, predicted),
    }


def measure_friction_level(truth: Truth, predicted: Reals) -> dict[str, Measure]:
    return {"accuracy": Measure.mean(predicted.argmax(axis=1) == truth.friction_level)}


def measure_block_set(truth: Truth, predicted: Reals) -> dict[str, Measure]:
    known, slots = truth.block_set, truth.slots
    present, predicted_present = known[..., 0] >= PRESENT, predicted[..., 0] >= PRESENT
    filled = slots & present
    distance, pairs = match_centroids(known[..., 1:3], filled, predicted[..., 1:3], slots & predicted_present)
    return {
        "presence_f1": Measure.f1(present, predicted_present, slots),
        "absence_f1": Measure.f1(~present, ~predicted_present, slots),
        "centroid": Measure.mean(np.linalg.norm(predicted[..., 1:3] - known[..., 1:3], axis=-1), filled),
        "centroid_assigned": Measure.ratio(distance, pairs, int(pairs.sum())),
        "angle_degrees": Measure.mean(angle_error(90 * predicted[..., 5], 90 * known[..., 5]), filled),
    }


def angle_error(first: ArrayLike, second: ArrayLike) -> Floats:
    """Return angles between lines without a direction [degrees], 0 to 90: a block turned by 180 degrees is the same block."""
    return np.abs((np.asarray(first, float) - np.asarray(second, float) + 90) % 180 - 90)


def match_centroids(known: Reals, filled: Flags, predicted: Reals, predicted_filled: Flags) -> tuple[Floats, NDArray[np.int64]]:
    """Return (N,) the least summed distance of blocks from those that they are paired with, and the number of pairs.

    Places are (N, P, 2). There are as many pairs as blocks on the side that has fewer.
    """
    distance, pairs = np.zeros(len(known)), np.zeros(len(known), np.int64)
    for i in range(len(known)):
        here, there = known[i, filled[i]].astype(float), predicted[i, predicted_filled[i]].astype(float)
        apart = np.linalg.norm(here[:, None] - there[None], axis=-1)
        rows, columns = linear_sum_assignment(apart)
        distance[i], pairs[i] = apart[rows, columns].sum(), len(rows)
    return distance, pairs


def measure_displacement(truth: Truth, predicted: Reals) -> dict[str, Measure]:
    known = truth.slots & np.isfinite(truth.displacement).all(axis=-1)
    error = np.linalg.norm(predicted - truth.displacement, axis=-1)
    return {"error": Measure.mean(error, known), "error_collapsed": Measure.mean(error, known & truth.collapsed)}


# In the order of `Answers`. Weights of the paper's heads: Eq. (20).
PICTURE_HEADS = (
    Head(
        name="num_removed", kind="number", weight=0.4, paper=True, least=0.0, measure=Measure.num_removed,
        shown=[
            Shown("mae", "blocks removed, mean error", 2, False),
            Shown("coverage", "in the range of nine in ten, share", 3, True),
        ],
    ),
    Head(
        name="removed_locs", kind="slots", weight=0.8, paper=True, measure=Measure.removed_locs,
        shown=[
            Shown("auc", "empty slots, AUC", 3, True),
            Shown("auc_standing", "AUC, layers that stand", 3, True),
            Shown("auc_collapsed", "AUC, layers that fell", 3, True),
            Shown("auc_within", "AUC within an episode", 3, True),
            Shown("auc_within_collapsed", "the same, layers that fell", 3, True),
            Shown("ap", "average precision", 3, True),
            Shown("brier", "Brier score", 3, False),
            Shown("ece", "calibration error", 3, False),
        ],
    ),
    Head(
        name="imbalance", kind="number", weight=0.4, paper=True, measure=measure_imbalance,
        shown=[
            Shown("mae_mm", "imbalance, mean error [mm]", 2, False),
            Shown("coverage", "in the range of nine in ten, share", 3, True),
        ],
    ),
    Head(
        name="torque_risk", kind="number", weight=0.4, paper=True, least=0.0, measure=measure_torque_risk,
        shown=[
            Shown("mae", "torque moves, mean error", 2, False),
            Shown("spearman", "torque moves, rank correlation", 2, True),
        ],
    ),
    Head(
        name="failure_layer", kind="layer", weight=0.2, measure=Measure.failure_layer,
        shown=[
            Shown("top1", "failure layer, share right", 3, True),
            Shown("mae", "failure layer, mean error", 2, False),
        ],
    ),
    Head(
        name="friction_level", kind="choice", weight=0.2, measure=measure_friction_level,
        shown=[Shown("accuracy", "friction level, share right", 3, True)],
    ),
    Head(
        name="block_set", kind="boxes", weight=0.4, measure=measure_block_set,
        shown=[
            Shown("presence_f1", "block set, F1 of presence", 3, True),
            Shown("absence_f1", "block set, F1 of absence", 3, True),
            Shown("centroid", "block set, centre [share of side]", 4, False),
            Shown("centroid_assigned", "the same, best assignment", 4, False),
            Shown("angle_degrees", "block set, angle [degrees]", 2, False),
        ],
    ),
    Head(
        name="displacement", kind="shifts", weight=0.4, measure=measure_displacement,
        shown=[
            Shown("error", "displacement [share of side]", 4, False),
            Shown("error_collapsed", "the same, layers that fell", 4, False),
        ],
    ),
)  # fmt: skip


def default_weights(*, paper: bool = False) -> dict[str, float]:
    """Return the weight of each head's loss by name; `paper`: 0 for those that the paper's net has not."""
    return {head.name: head.weight if head.paper or not paper else 0.0 for head in PICTURE_HEADS}
