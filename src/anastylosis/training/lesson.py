"""Lesson: from a dataset to a model file. Pictures are drawn, a net is trained on them, calibrated, and written with its card."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, PLACES, Answers
from anastylosis.models.card import Calibration, ModelCard
from anastylosis.training.calibration import half_widths, measure_ranges
from anastylosis.training.config import LossWeights, TrainConfig
from anastylosis.training.examples import Examples, read_examples
from anastylosis.training.pictures import Pictures, draw_pictures
from anastylosis.training.scores import score_answers
from anastylosis.training.truth import Truth
from anastylosis.training.views import Recipe

__all__ = ["CACHE", "Lesson", "check_splits", "list_heads", "open_lesson", "write_card_of"]

CACHE = "pictures"  # folder of the dataset in which drawn pictures are kept
FEWEST = 8  # episodes of a split, below which nothing can be learned or judged
TOLD_METRICS = ("mae", "auc", "auc_standing", "auc_collapsed", "mae_mm")  # on the card

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson:
    """What there is to learn from: pictures of the training split, several views of each, and of the validation split."""

    train: list[Pictures]
    val: Pictures
    layers: int  # of the tallest tower: what the model has slots for
    dataset: dict[str, Any]  # for the card


def open_lesson(
    dataset: Dataset, recipe: Recipe, views: int, *, episodes: int | None = None, workers: int | None = None, tell: Tell
) -> Lesson:
    """Read a dataset, and draw the pictures that are not there yet. The test splits are not looked at.

    `episodes`: learn from so many collapses of the training split only, the first.
    """
    examples = read_examples(dataset)
    parts = {"train": examples.of("train").take(slice(0, episodes)), "val": examples.of("val")}
    check_splits(dataset, parts)
    layers = min(recipe.layers, int(parts["train"].layers.max()))

    pictures = views * len(parts["train"]) + len(parts["val"])
    before = 0

    def draw(split: str, number: int) -> Pictures:
        nonlocal before
        drawn = draw_pictures(
            parts[split], recipe, number, cache=dataset.folder / CACHE, workers=workers,
            tell=lambda done, total: tell(f"view {number + 1} of the split {split}", before + done, pictures),
        )  # fmt: skip
        before += len(drawn)
        return Pictures(drawn.grey, drawn.truth.cut(PLACES * layers))

    counts = {split: len(part) for split, part in parts.items()}
    about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
    train = [draw("train", number) for number in range(views)]
    return Lesson(train=train, val=draw("val", 0), layers=layers, dataset=about)


def check_splits(dataset: Dataset, parts: Mapping[str, Examples]) -> None:
    """Raise when there is too little to learn from, or to judge by."""
    for split, part in parts.items():
        if len(part) < FEWEST:
            raise InvalidInput(
                f"{dataset.folder} has {len(part)} collapses in its split {split!r}; to learn takes {FEWEST} or more, "
                "so simulate more episodes"
            )


def list_heads(weights: LossWeights) -> tuple[str, ...]:
    """The heads that a training has, in the order of `Answers`; the embedding is always there."""
    return tuple(name for name in HEADS if name == "embedding" or getattr(weights, name) > 0)


def write_card_of(
    kind: str, config: TrainConfig, lesson: Lesson, answers: Answers, heads: tuple[str, ...], logistic: tuple[float, float]
) -> ModelCard:
    """The card of a model that answered the validation split with `answers`, calibrated."""
    truth, known = lesson.val.truth, lesson.train[0].truth
    scores = score_answers(truth, answers, resamples=0)
    return ModelCard(
        kind=kind,
        preset=config.preset,
        size=config.pictures.size,
        layers=lesson.layers,
        frictions=dict(FRICTION_LEVELS),
        heads=heads,
        view=config.pictures.view,
        config=asdict(config),
        dataset=lesson.dataset,
        prior={name: asdict(found) for name, found in measure_ranges(known).items()}
        | {name: [round(float(rate), 6) for rate in rates] for name, rates in measure_rates(known).items()},
        calibration=Calibration(
            slope=logistic[0], offset=logistic[1], half_width=half_widths(truth, answers), examples=len(lesson.val)
        ),
        metrics={
            f"{score.head}.{score.metric}": score.value
            for score in scores
            if score.metric in TOLD_METRICS and math.isfinite(score.value)
        },
        version=__version__,
    )


def measure_rates(truth: Truth) -> dict[str, NDArray[np.float64]]:
    """How often each slot was empty, of the towers that had it, each layer the lowest to give way, each level the friction.

    A case more of either kind, so that nothing is certain.
    """
    layers = np.bincount(truth.failure_layer, minlength=truth.slots.shape[1] // PLACES)[: truth.slots.shape[1] // PLACES] + 1
    levels = np.bincount(truth.friction_level, minlength=len(FRICTION_LEVELS)) + 1
    return {
        "removed_locs": (truth.removed_locs.sum(axis=0) + 1) / (truth.slots.sum(axis=0) + 2),
        "failure_layer": layers / layers.sum(),
        "friction_level": levels / levels.sum(),
    }
