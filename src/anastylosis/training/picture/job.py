"""Training job of a picture model: its pictures, and the card of the model that comes out. Needs no PyTorch."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.dataset import Dataset, Pictures, Recipe, Truth, check_splits, draw_pictures, read_examples
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import HEADS, Answers
from anastylosis.models.picture_model import PictureCalibration, PictureCard
from anastylosis.progress import Progress
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.calibration import half_widths, measure_ranges
from anastylosis.training.picture.config import PRESETS, PictureConfig, build_view
from anastylosis.training.picture.scores import score_answers

if TYPE_CHECKING:
    import onnx

    from anastylosis.training.loop import Epoch

CARD_METRICS = ("mae", "auc", "auc_standing", "auc_collapsed", "mae_mm")  # on the card
KNOWN_VIEWS = 4  # looks of the training in which the validation split is drawn, to tell how unlike a picture may be


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureJob:
    """Pictures of the training split, several views of each episode, and of the validation split."""

    PRESETS: ClassVar = PRESETS

    train: list[Pictures]
    val: Pictures
    layers: int  # of the tallest tower: what the model has slots for
    dataset: dict[str, Any]  # for the card
    known: list[Pictures] = field(default_factory=list)  # the validation split in the looks of the training, for the unlikeness

    @classmethod
    def open(
        cls,
        dataset: Dataset,
        recipe: Recipe,
        views: int,
        *,
        episodes: int | None = None,
        workers: int | None = None,
        progress: Progress,
    ) -> "PictureJob":
        """Read a dataset, and draw the pictures that are not cached. The test splits are not used.

        `episodes`: use so many collapses of the training split only, the first.
        """
        examples = read_examples(dataset)
        parts = {"train": examples.of("train").take(slice(0, episodes)), "val": examples.of("val")}
        check_splits(dataset, parts)
        layers = min(recipe.layers, int(parts["train"].layers.max()))

        looks = range(1, min(views, 1 + KNOWN_VIEWS))  # number 0 is the plain one
        pictures = views * len(parts["train"]) + (1 + len(looks)) * len(parts["val"])
        before = 0

        def draw(split: str, number: int) -> Pictures:
            nonlocal before
            drawn = draw_pictures(
                parts[split], recipe, number, cache=dataset.cache, workers=workers,
                progress=lambda done, total: progress(f"view {number + 1} of the split {split}", before + done, pictures),
            )  # fmt: skip
            before += len(drawn)
            return Pictures(drawn.grey, drawn.truth.cut(BLOCKS_PER_COURSE * layers))

        counts = {split: len(part) for split, part in parts.items()}
        about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
        train = [draw("train", number) for number in range(views)]
        val = draw("val", 0)
        return cls(train=train, val=val, layers=layers, dataset=about, known=[draw("val", number) for number in looks])

    def train_net(
        self, config: PictureConfig, out: Path, *, imagenet: Path | None = None, resumed: Callable[[int], None] | None = None
    ) -> "Iterator[Epoch]":
        """Train a net epoch by epoch, then write `out`. Needs PyTorch."""
        from anastylosis.training.picture.train import train_picture_net

        return train_picture_net(config, self, out, imagenet=imagenet, resumed=resumed)

    def fit_ridge(self, config: PictureConfig, out: Path) -> None:
        """Fit ridge regression, and write `out`."""
        from anastylosis.training.picture.ridge import train_ridge

        train_ridge(config, self, out)

    def add_unlikeness(self, model: "onnx.ModelProto", card: PictureCard) -> "tuple[onnx.ModelProto, PictureCard]":
        """Return the model and its card with the score of unlikeness, fitted on the pictures of this job."""
        from anastylosis.training.picture.unlikeness import add_unlikeness

        judged = [each.grey for each in self.known or [self.val]]
        measured, about = add_unlikeness(model, [each.grey for each in self.train], judged)
        return measured, replace(card, unlikeness=about)


def list_heads(weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the heads that a training has, in the order of `Answers`; the embedding is always there."""
    return tuple(name for name in HEADS if name == "embedding" or weights.get(name, 0.0) > 0)


def write_card_of(
    kind: str, config: PictureConfig, job: PictureJob, answers: Answers, heads: tuple[str, ...], logistic: tuple[float, float]
) -> PictureCard:
    """Return the card of a model that answered the validation split with `answers`, calibrated."""
    truth, known = job.val.truth, job.train[0].truth
    scores = score_answers(truth, answers, resamples=0)
    return PictureCard(
        kind=kind,
        preset=config.preset,
        size=config.pictures.size,
        layers=job.layers,
        frictions=dict(FRICTION_LEVELS),
        heads=heads,
        view=build_view(config.pictures),
        config=asdict(config),
        dataset=job.dataset,
        prior={name: asdict(found) for name, found in measure_ranges(known).items()}
        | {name: [round(float(rate), 6) for rate in rates] for name, rates in measure_rates(known).items()},
        calibration=PictureCalibration(
            slope=logistic[0], offset=logistic[1], half_width=half_widths(truth, answers), examples=len(job.val)
        ),
        metrics={
            f"{score.head}.{score.metric}": score.value
            for score in scores
            if score.metric in CARD_METRICS and math.isfinite(score.value)
        },
        version=__version__,
    )


def measure_rates(truth: Truth) -> dict[str, NDArray[np.float64]]:
    """Return how often each slot was empty, each layer the lowest to give way, and each level the friction.

    Slots count in the towers that had them. One case more of either kind, so that nothing is certain.
    """
    layers = (
        np.bincount(truth.failure_layer, minlength=truth.slots.shape[1] // BLOCKS_PER_COURSE)[
            : truth.slots.shape[1] // BLOCKS_PER_COURSE
        ]
        + 1
    )
    levels = np.bincount(truth.friction_level, minlength=len(FRICTION_LEVELS)) + 1
    return {
        "removed_locs": (truth.removed_locs.sum(axis=0) + 1) / (truth.slots.sum(axis=0) + 2),
        "failure_layer": layers / layers.sum(),
        "friction_level": levels / levels.sum(),
    }
