"""A picture net's lesson, from pictures to a model file."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from anastylosis.episode import FRICTION_LEVELS
from anastylosis.models.answers import Answers
from anastylosis.models.card import write_card
from anastylosis.training.batches import Batch, Batches
from anastylosis.training.calibration import fit_logits
from anastylosis.training.config import TrainConfig
from anastylosis.training.export import Answering, export_net
from anastylosis.training.lesson import Lesson, list_heads, write_card_of
from anastylosis.training.losses import measure_losses
from anastylosis.training.model_file import store_model
from anastylosis.training.picture_net import PictureNet
from anastylosis.training.resnet import load_imagenet
from anastylosis.training.scale import Scale, measure_scale
from anastylosis.training.training import Epoch, Run, Schedule, fit

__all__ = ["train_picture_net"]

LEVELS = len(FRICTION_LEVELS)


def train_picture_net(
    config: TrainConfig,
    lesson: Lesson,
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
    net = PictureNet(config.net, lesson.layers, LEVELS, recipe.view, recipe.size)
    if imagenet is not None:
        load_imagenet(net.trunk, imagenet)
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    scale = measure_scale(lesson.train[0].truth, standardise=config.standardise)
    weights = {name: weight for name, weight in asdict(config.weights).items() if weight > 0}

    def measure(model: torch.nn.Module, batch: Batch) -> dict[str, torch.Tensor]:
        outputs = model(batch.picture.contiguous(memory_format=torch.channels_last), batch.friction, batch.layers)
        terms = measure_losses(outputs, batch, scale.to(batch.picture.device))
        return {name: weight * terms[name] for name, weight in weights.items()}

    schedule = Schedule(
        epochs=config.epochs, rate=config.rate, rate_floor=config.rate_floor, warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed,
    )  # fmt: skip
    train = Batches(
        lesson.train, size=config.batch, levels=LEVELS, hide_friction=config.hide_friction, hide_height=config.hide_height,
        turns=config.turns, seed=config.seed,
    )  # fmt: skip
    val = Batches([lesson.val], size=2 * config.batch, levels=LEVELS)
    identity = {"config": asdict(config), "dataset": lesson.dataset, "imagenet": str(imagenet) if imagenet else None}
    run = Run(out.with_suffix(".run"), net, measure, schedule, json.loads(json.dumps(identity)))
    yield from fit(run, train, val, resumed)
    if run.ranks.leads:
        finish(config, lesson, net, scale, val, out, run.history)


def finish(
    config: TrainConfig, lesson: Lesson, net: PictureNet, scale: Scale, val: Batches, out: Path, history: list[dict[str, float]]
) -> None:
    """Calibrate a trained net on the validation split, and write it."""
    heads = list_heads(config.weights)
    raw = Answering(net.cpu(), scale.cpu(), heads).eval()
    truth = lesson.val.truth
    before = answer_batches(raw, val)
    chance = np.clip(before.removed_locs.astype(np.float64), 1e-9, 1 - 1e-9)
    logits = np.log(chance / (1 - chance))
    logistic = fit_logits(logits[truth.slots], truth.removed_locs[truth.slots])
    final = Answering(net, scale, heads, *logistic)
    card = write_card_of("picture_net", config, lesson, answer_batches(final, val), heads, logistic)
    store_model(out, export_net(final, config.pictures.size, LEVELS), write_card(card), history)


def answer_batches(answering: Answering, batches: Batches) -> Answers:
    """What a net answers to all batches, in order."""
    parts = []
    with torch.no_grad():
        for batch in batches.in_order():
            parts.append([answer.numpy() for answer in answering(batch.picture, batch.friction, batch.layers)])
    return Answers(**{name: np.concatenate(each) for name, each in zip(answering.heads, zip(*parts, strict=True), strict=True)})
