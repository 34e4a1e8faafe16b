"""Training of the picture net, from drawn pictures to a model file."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import Answers
from anastylosis.models.picture_model import write_picture_card
from anastylosis.training.calibration import fit_logits
from anastylosis.training.loop import Epoch, Run, Schedule, fit
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.batches import PictureBatch, PictureBatches
from anastylosis.training.picture.config import PictureConfig, build_view
from anastylosis.training.picture.export import CalibratedPictureNet, export_net
from anastylosis.training.picture.job import PictureJob, list_heads, write_card_of
from anastylosis.training.picture.losses import measure_losses
from anastylosis.training.picture.net import PictureNet
from anastylosis.training.picture.resnet import load_imagenet
from anastylosis.training.picture.scale import Scale, measure_scale

LEVELS = len(FRICTION_LEVELS)


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
    net = PictureNet(config.net, job.layers, LEVELS, build_view(recipe), recipe.size)
    if imagenet is not None:
        load_imagenet(net.trunk, imagenet)
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    scale = measure_scale(job.train[0].truth, standardise=config.standardise)
    weights = {name: weight for name, weight in config.weights.items() if weight > 0}

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
    """Calibrate a trained net on the validation split, fit its score of unlikeness, and write it."""
    heads = list_heads(config.weights)
    raw = CalibratedPictureNet(net.cpu(), scale.cpu(), heads).eval()
    truth = job.val.truth
    before = answer_batches(raw, val)
    chance = np.clip(before.removed_locs.astype(np.float64), 1e-9, 1 - 1e-9)
    logits = np.log(chance / (1 - chance))
    logistic = fit_logits(logits[truth.slots], truth.removed_locs[truth.slots])
    final = CalibratedPictureNet(net, scale, heads, *logistic)
    card = write_card_of("picture_net", config, job, answer_batches(final, val), heads, logistic)
    graph, card = job.add_unlikeness(export_net(final, config.pictures.size, LEVELS), card)
    store_model(out, graph, write_picture_card(card), history)


def answer_batches(answering: CalibratedPictureNet, batches: PictureBatches) -> Answers:
    """Return the answers of a net to all batches, in order."""
    parts = []
    with torch.no_grad():
        for batch in batches.in_order():
            parts.append([answer.numpy() for answer in answering(batch.picture, batch.friction, batch.layers)])
    return Answers(**{name: np.concatenate(each) for name, each in zip(answering.heads, zip(*parts, strict=True), strict=True)})
