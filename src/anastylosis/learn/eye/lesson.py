"""A lesson of the eye, from a dataset to a model file."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.learn.examples import Examples, read_examples
from anastylosis.learn.eye.config import EyeConfig
from anastylosis.learn.eye.export import export_finder, export_fitter
from anastylosis.learn.eye.finder_batches import FinderBatches, measure_finder_losses
from anastylosis.learn.eye.finder_net import FinderNet
from anastylosis.learn.eye.fitter_batches import FitterBatches
from anastylosis.learn.eye.fitter_losses import measure_fitter_losses
from anastylosis.learn.eye.fitter_net import FitterNet
from anastylosis.learn.lesson import check_splits
from anastylosis.learn.model_file import store_model
from anastylosis.learn.training import Epoch, Run, Schedule, fit
from anastylosis.predict.eye.card import FINDER, EyeCard, write_eye_card
from anastylosis.structure.tower import BLOCK_SIZE

__all__ = ["EyeLesson", "open_eye_lesson", "train_eye"]

VAL_SEED = 99  # the pictures of the validation split are always the same


@dataclass(frozen=True, kw_only=True, eq=False)
class EyeLesson:
    """What there is to learn from."""

    train: Examples
    val: Examples
    dataset: dict[str, Any]  # for the card


def open_eye_lesson(dataset: Dataset, *, episodes: int | None = None) -> EyeLesson:
    """Read the collapses of a dataset. The test splits are not looked at."""
    examples = read_examples(dataset)
    parts = {"train": examples.of("train").take(slice(0, episodes)), "val": examples.of("val")}
    check_splits(dataset, parts)
    counts = {split: len(part) for split, part in parts.items()}
    about = {"fingerprint": dataset.manifest.fingerprint, "episodes": counts, "seed": dataset.manifest.seed}
    return EyeLesson(train=parts["train"], val=parts["val"], dataset=about)


class Kept:
    """Batches that are drawn once, and then kept."""

    def __init__(self, source: FinderBatches | FitterBatches) -> None:
        self.batches = list(source.in_order())

    def __len__(self) -> int:
        return len(self.batches)

    def in_order(self) -> Iterator[Any]:
        return iter(self.batches)

    def shuffled(self, epoch: int) -> Iterator[Any]:
        raise NotImplementedError("what is judged is not shuffled")


def train_eye(
    config: EyeConfig, lesson: EyeLesson, out: Path, *, resumed: Callable[[int], None] | None = None
) -> Iterator[Epoch]:
    """Train epoch by epoch, then write `out`. Checkpoints are beside it, in a folder of its name that ends in `.run`."""
    torch.manual_seed(config.seed)
    finds = config.preset == FINDER
    net: nn.Module = FinderNet() if finds else FitterNet()
    source: Any = FinderBatches if finds else FitterBatches
    measure: Any = measure_finder_losses if finds else measure_fitter_losses
    schedule = Schedule(
        epochs=config.epochs, rate=config.rate, rate_floor=config.rate_floor, warm_up=config.warm_up,
        weight_decay=config.weight_decay, seed=config.seed,
    )  # fmt: skip
    train = source(lesson.train, pictures=config.pictures, recipe=config.scenes, seed=config.seed)
    val = Kept(source(lesson.val, pictures=config.judged, recipe=config.scenes, seed=VAL_SEED))
    identity = json.loads(json.dumps({"config": asdict(config), "dataset": lesson.dataset}))
    run = Run(out.with_suffix(".run"), net, measure, schedule, identity)
    yield from fit(run, train, val, resumed)
    card = EyeCard(
        kind=config.preset,
        preset=config.preset,
        size=BLOCK_SIZE,
        elevation=config.scenes.elevation,
        config=asdict(config),
        dataset=lesson.dataset,
        metrics={name: value for name, value in min(run.history, key=lambda row: row["val"]).items() if name.startswith("val")},
        version=__version__,
    )
    graph = export_finder(net.cpu()) if finds else export_fitter(net.cpu())
    store_model(out, graph, write_eye_card(card), run.history)
