"""`anastylosis train picture`: the net that answers from one picture, or ridge regression on its pixels."""

import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_count
from anastylosis.cli.training import (
    DatasetFolder,
    Episodes,
    Epochs,
    JsonFlag,
    ModelFile,
    Rate,
    Seed,
    Tensorboard,
    check_extra,
    check_out,
    find_torch,
    in_turn,
    leads,
    print_model,
    print_resumed,
    show_epochs,
)  # fmt: skip
from anastylosis.cli.words import print_missing
from anastylosis.errors import InvalidInput
from anastylosis.machine import install_line


class PicturePreset(StrEnum):
    """Named settings of a picture model."""

    paper = "paper"
    fast = "fast"
    full = "full"
    ridge = "ridge"


def train_picture_command(
    dataset: DatasetFolder,
    out: ModelFile,
    preset: Annotated[
        PicturePreset,
        typer.Option(
            metavar="NAME",
            help="paper: the paper's ResNet-18 and settings; fast: half the width, all heads; full: the best net, mirrored "
            "pictures in light of all kinds; ridge: linear regression on pixels, without PyTorch.",
        ),
    ] = PicturePreset.fast,
    episodes: Episodes = None,
    epochs: Epochs = None,
    width: Annotated[
        float | None, typer.Option(metavar="X", help="Width of the ResNet-18, relative to the paper's (default: the preset's).")
    ] = None,
    size: Annotated[
        int | None, typer.Option(metavar="PX", help="Side of the pictures in pixels (default: the preset's).")
    ] = None,
    views: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pictures of each episode (default: the preset's).")
    ] = None,
    rate: Rate = None,
    seed: Seed = 0,
    imagenet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from these ImageNet weights of a ResNet-18 (a file of torchvision)."),
    ] = None,
    tensorboard: Tensorboard = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes that draw pictures (default: one per core).")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the picture net, or ridge regression.

    Pictures are drawn once and kept in DATASET/pictures. Checkpoints and losses are kept in MODEL.run, a folder beside the model.
    The model of the epoch with the least validation loss is written. The test splits are not used.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.models import PictureModel
    from anastylosis.training import PictureJob

    check_out(out)
    if preset is PicturePreset.ridge and any(given is not None for given in (epochs, width, views, rate, imagenet, tensorboard)):
        raise InvalidInput(
            "--epochs, --width, --views, --rate, --imagenet and --tensorboard are for nets; leave them out for ridge"
        )
    check_extra()
    if preset is not PicturePreset.ridge and not find_torch():
        check_fallback(out)
        print(f"PyTorch is not installed, so this is ridge regression; for nets run: {install_line('train')}", file=sys.stderr)
        preset = PicturePreset.ridge
    if imagenet is not None and not imagenet.is_file():
        raise InvalidInput(f"there is no file {imagenet}; --imagenet names the weights of a ResNet-18")
    begin = time.perf_counter()
    config = PictureJob.PRESETS[preset]().change(
        epochs=epochs, width=width, size=size, views=views, seed=seed, learning_rate=rate
    )
    source = Dataset(dataset)
    print_missing(source)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with in_turn(), show_count("pictures") as progress:
            job = PictureJob.open(
                source, config.pictures, config.views, episodes=episodes, workers=workers,
                progress=lambda which, done, total: progress(done, total, which),
            )  # fmt: skip
    except KeyboardInterrupt:
        print("stopped while pictures were drawn; the same command goes on", file=sys.stderr)
        raise
    if preset is PicturePreset.ridge:
        job.fit_ridge(config, out)
    else:
        steps = job.train_net(config, out, imagenet=imagenet, resumed=print_resumed)
        show_epochs(steps, config.epochs, out, tensorboard)
    if leads():
        print_model(out, PictureModel.from_file(out).card, time.perf_counter() - begin, as_json)


def check_fallback(out: Path) -> None:
    """Raise when ridge regression, as a fallback, would overwrite another model."""
    from anastylosis.models import PictureModel

    if not out.exists():
        return
    try:
        card = PictureModel.from_file(out).card
        kind, what = card.kind, f"{card.kind}, preset {card.preset}"
    except InvalidInput:
        kind, what = "", "something else"
    if kind != "ridge":
        raise InvalidInput(
            f"PyTorch is not installed, so this would be ridge regression, and {out} holds {what}, which is not overwritten; "
            f"name another file with --out, say --preset ridge if it may be, or, for nets, run: {install_line('train')}"
        )
