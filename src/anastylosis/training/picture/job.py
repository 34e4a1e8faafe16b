"""Training job of the picture net: pictures are drawn, a net is trained, calibrated and written with its card."""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import HEADS, Answers
from anastylosis.models.picture_card import PictureCalibration, PictureCard, write_picture_card
from anastylosis.structure.tower import BLOCKS_PER_COURSE
from anastylosis.training.calibration import fit_logits, half_widths, measure_ranges
from anastylosis.training.examples import check_splits, read_examples
from anastylosis.training.loop import Epoch, Run, Schedule, fit
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.batches import PictureBatch, PictureBatches
from anastylosis.training.picture.config import LossWeights, PictureConfig
from anastylosis.training.picture.export import CalibratedPictureNet, export_net
from anastylosis.training.picture.losses import measure_losses
from anastylosis.training.picture.net import PictureNet
from anastylosis.training.picture.pictures import Pictures, draw_pictures
from anastylosis.training.picture.resnet import load_imagenet
from anastylosis.training.picture.scale import Scale, measure_scale
from anastylosis.training.picture.truth import Truth
from anastylosis.training.picture.views import Recipe
from anastylosis.training.scores import score_answers

__all__ = ["CACHE", "PictureJob", "list_heads", "measure_rates", "open_picture_job", "train_picture_net", "write_card_of"]

CACHE = "pictures"  # folder of the dataset in which drawn pictures are kept
TOLD_METRICS = ("mae", "auc", "auc_standing", "auc_collapsed", "mae_mm")  # on the card
Tell = Callable[[str, int, int], None]
LEVELS = len(FRICTION_LEVELS)


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureJob:
    """What there is to learn from: pictures of the training split, several views of each, and of the validation split."""

    train: list[Pictures]
    val: Pictures
    layers: int  # of the tallest tower: what the model has slots for
    dataset: dict[str, Any]  # for the card


def open_picture_job(
    dataset: Dataset, recipe: Recipe, views: int, *, episodes: int | None = None, workers: int | None = None, tell: Tell
) -> PictureJob:
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
        return Pictures(drawn.grey, drawn.truth.cut(BLOCKS_PER_COURSE * layers))

    counts = {split: len(part) for split, part in parts.items()}
    about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
    train = [draw("train", number) for number in range(views)]
    return PictureJob(train=train, val=draw("val", 0), layers=layers, dataset=about)


def list_heads(weights: LossWeights) -> tuple[str, ...]:
    """The heads that a training has, in the order of `Answers`; the embedding is always there."""
    return tuple(name for name in HEADS if name == "embedding" or getattr(weights, name) > 0)


def write_card_of(
    kind: str, config: PictureConfig, job: PictureJob, answers: Answers, heads: tuple[str, ...], logistic: tuple[float, float]
) -> PictureCard:
    """The card of a model that answered the validation split with `answers`, calibrated."""
    truth, known = job.val.truth, job.train[0].truth
    scores = score_answers(truth, answers, resamples=0)
    return PictureCard(
        kind=kind,
        preset=config.preset,
        size=config.pictures.size,
        layers=job.layers,
        frictions=dict(FRICTION_LEVELS),
        heads=heads,
        view=config.pictures.view,
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
            if score.metric in TOLD_METRICS and math.isfinite(score.value)
        },
        version=__version__,
    )


def measure_rates(truth: Truth) -> dict[str, NDArray[np.float64]]:
    """How often each slot was empty, of the towers that had it, each layer the lowest to give way, each level the friction.

    A case more of either kind, so that nothing is certain.
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


def train_picture_net(
    config: PictureConfig,
    job: PictureJob,
    out: Path,
    *,
    imagenet: Path | None = None,
    resumed: Callable[[int], None] | None = None,
) -> Iterator[Epoch]:
    """Train epoch by epoch, then write `out`. Checkpoints are beside it, in a folder of its name that ends in `.run`.

    `resumed`: as of `fit`.
    """
    torch.manual_seed(config.seed)
    recipe = config.pictures
    net = PictureNet(config.net, job.layers, LEVELS, recipe.view, recipe.size)
    if imagenet is not None:
        load_imagenet(net.trunk, imagenet)
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    scale = measure_scale(job.train[0].truth, standardise=config.standardise)
    weights = {name: weight for name, weight in asdict(config.weights).items() if weight > 0}

    def measure(model: torch.nn.Module, batch: PictureBatch) -> dict[str, torch.Tensor]:
        outputs = model(batch.picture.contiguous(memory_format=torch.channels_last), batch.friction, batch.layers)
        terms = measure_losses(outputs, batch, scale.to(batch.picture.device))
        return {name: weight * terms[name] for name, weight in weights.items()}

    schedule = Schedule(
        epochs=config.epochs, learning_rate=config.learning_rate, learning_rate_floor=config.learning_rate_floor,
        warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed,
    )  # fmt: skip
    train = PictureBatches(
        job.train, size=config.batch, levels=LEVELS, hide_friction=config.hide_friction, hide_height=config.hide_height,
        turns=config.turns, seed=config.seed,
    )  # fmt: skip
    val = PictureBatches([job.val], size=2 * config.batch, levels=LEVELS)
    identity = {"config": asdict(config), "dataset": job.dataset, "imagenet": str(imagenet) if imagenet else None}
    run = Run(out.with_suffix(".run"), net, measure, schedule, json.loads(json.dumps(identity)))
    yield from fit(run, train, val, resumed)
    if run.ranks.leads:
        finish(config, job, net, scale, val, out, run.history)


def finish(
    config: PictureConfig,
    job: PictureJob,
    net: PictureNet,
    scale: Scale,
    val: PictureBatches,
    out: Path,
    history: list[dict[str, float]],
) -> None:
    """Calibrate a trained net on the validation split, and write it."""
    heads = list_heads(config.weights)
    raw = CalibratedPictureNet(net.cpu(), scale.cpu(), heads).eval()
    truth = job.val.truth
    before = answer_batches(raw, val)
    chance = np.clip(before.removed_locs.astype(np.float64), 1e-9, 1 - 1e-9)
    logits = np.log(chance / (1 - chance))
    logistic = fit_logits(logits[truth.slots], truth.removed_locs[truth.slots])
    final = CalibratedPictureNet(net, scale, heads, *logistic)
    card = write_card_of("picture_net", config, job, answer_batches(final, val), heads, logistic)
    store_model(out, export_net(final, config.pictures.size, LEVELS), write_picture_card(card), history)


def answer_batches(answering: CalibratedPictureNet, batches: PictureBatches) -> Answers:
    """What a net answers to all batches, in order."""
    parts = []
    with torch.no_grad():
        for batch in batches.in_order():
            parts.append([answer.numpy() for answer in answering(batch.picture, batch.friction, batch.layers)])
    return Answers(**{name: np.concatenate(each) for name, each in zip(answering.heads, zip(*parts, strict=True), strict=True)})
