"""`anastylosis train`: learn from a dataset, and write a model."""

import sys
import textwrap
import time
from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.eye_training import train_eye_net, train_seen
from anastylosis.cli.progress import show_count
from anastylosis.cli.training import Training, in_turn, leads, show_epochs, tell_model, tell_resumed
from anastylosis.cli.words import print_missing
from anastylosis.errors import AnastylosisError, InvalidInput, MissingExtra
from anastylosis.machine import install_line

if TYPE_CHECKING:
    from anastylosis.training.config import TrainConfig
    from anastylosis.training.lesson import Lesson

__all__ = ["train_command"]

REASON_MAX = 200  # letters of why PyTorch cannot be imported


class Preset(StrEnum):
    """Named sets of settings."""

    paper = "paper"
    fast = "fast"
    full = "full"
    ridge = "ridge"
    assign = "assign"
    direct = "direct"
    seen = "seen"
    finder = "finder"
    reader = "reader"
    judge = "judge"
    jury = "jury"


EYE = (Preset.finder, Preset.reader, Preset.judge, Preset.jury)


def train_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    out: Annotated[Path, typer.Option("--out", metavar="MODEL.onnx", help="The model to write.")],
    preset: Annotated[
        Preset,
        typer.Option(
            metavar="NAME",
            help="paper: its ResNet-18 and its settings; fast: half the width and all heads; full: the best net, mirrored "
            "pictures in all kinds of light; ridge: a straight line, no PyTorch; assign: which block stood where, from surveys; "
            "direct: the same net without assignment, only which slots were empty, to compare; finder, reader, judge, jury: the "
            "nets of the eye, which finds blocks in pictures; seen: the net of `assign`, trained on with what it finds.",
        ),
    ] = Preset.fast,
    episodes: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Collapses to learn from, the first of the training split; all.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Times that every episode is seen; as the preset says.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(metavar="X", help="Of the ResNet-18, 1 is the paper's; as the preset says if not given.")
    ] = None,
    size: Annotated[int | None, typer.Option(metavar="PX", help="Sides of the pictures; as the preset says.")] = None,
    views: Annotated[int | None, typer.Option(min=1, metavar="N", help="Pictures of each episode; as the preset says.")] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="Same seed, same machine: same model.")] = 0,
    imagenet: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="ImageNet weights of a ResNet-18, with torchvision's names, to begin from."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=1e-9, max=1, metavar="X", help="Of learning, at its highest; as the preset says.")
    ] = None,
    finder: Annotated[
        Path | None,
        typer.Option(metavar="F.onnx", help="Of `--preset finder`, whose proposals the judge learns from; the one that ships."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="M.onnx",
            help="A model to go on with, of the same preset, for the nets of the eye, or of `assign`, for seen; a smaller "
            "--rate than for one that begins from nothing keeps what it knows.",
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option("--models", metavar="FOLDER", help="With the nets of an eye, for `jury` and `seen`; those that ship."),
    ] = None,
    tensorboard: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the losses for TensorBoard, too.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes that draw; one a core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Train a model on the debris of a dataset. Stop it at any time: the same call goes on from the last epoch.

    Pictures for picture models are drawn once, and kept in DATASET/pictures; checkpoints and losses are in a folder beside the
    model, MODEL.run. The best epoch by validation is written; the test splits are not looked at.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.models.model import Model
    from anastylosis.training.config import PRESETS, change_config, ridge_config
    from anastylosis.training.lesson import open_lesson

    if out.suffix != ".onnx":
        raise InvalidInput(f"--out is {out}; a model is a file that ends in .onnx")
    if preset is Preset.ridge and any(option is not None for option in (epochs, width, views, rate, imagenet, tensorboard)):
        raise InvalidInput(
            "--epochs, --width, --views, --rate, --imagenet and --tensorboard are for nets; leave them out for ridge"
        )
    if find_spec("onnx") is None or find_spec("sklearn") is None:
        raise MissingExtra("onnx or scikit-learn", "train")
    if finder is not None and preset is not Preset.judge:
        raise InvalidInput("--finder is for --preset judge, which learns from what a finder proposes")
    if preset is Preset.seen and start is None:
        raise InvalidInput("--preset seen goes on with a net of --preset assign: name it with --start")
    if start is not None and preset not in (Preset.seen, *EYE):
        raise InvalidInput(f"--start is for finder, reader, judge, jury and seen; --preset {preset.value} begins from nothing")
    if models is not None and preset not in (Preset.seen, Preset.jury):
        raise InvalidInput("--models is for --preset jury and seen, which learn from what other nets find")
    if preset in (Preset.assign, Preset.direct, Preset.seen, *EYE):
        refuse_options(preset, {"--width": width, "--size": size, "--views": views, "--imagenet": imagenet, "--workers": workers})
        if not find_torch():
            raise MissingExtra("PyTorch", "train")
        asked = Training(
            dataset=dataset, out=out, tensorboard=tensorboard, as_json=as_json, episodes=episodes, epochs=epochs, seed=seed,
            rate=rate,
        )  # fmt: skip
        if preset in EYE:
            train_eye_net(asked, preset.value, finder, models, start)
        elif start is not None:
            train_seen(asked, start, models)
        else:
            train_assigner(asked, preset)
        return
    if preset is not Preset.ridge and not find_torch():
        check_fallback(out)
        print(f"PyTorch is not installed, so this is ridge regression; for nets run: {install_line('train')}", file=sys.stderr)
        preset = Preset.ridge
    if imagenet is not None and not imagenet.is_file():
        raise InvalidInput(f"there is no file {imagenet}; --imagenet names the weights of a ResNet-18")
    begin = time.perf_counter()
    base = ridge_config() if preset is Preset.ridge else PRESETS[preset]()
    config = change_config(base, epochs=epochs, width=width, size=size, views=views, seed=seed, rate=rate)
    source = Dataset(dataset)
    print_missing(source)
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with in_turn(), show_count("pictures") as tell:
            lesson = open_lesson(
                source, config.pictures, config.views, episodes=episodes, workers=workers,
                tell=lambda which, done, total: tell(done, total, which),
            )  # fmt: skip
    except KeyboardInterrupt:
        print("stopped while pictures were drawn; the same command goes on", file=sys.stderr)
        raise
    if preset is Preset.ridge:
        from anastylosis.training.ridge import train_ridge

        train_ridge(config, lesson, out)
    else:
        train_net(config, lesson, out, imagenet, tensorboard)
    if not leads():
        return
    tell_model(out, Model.from_file(out).card, time.perf_counter() - begin, as_json)


def find_torch() -> bool:
    """Whether there is a PyTorch; raises when there is one that does not work, before anything is drawn for it."""
    if find_spec("torch") is None:
        return False
    try:
        import_module("torch")
    except Exception as error:  # a library that is missing, or of another machine, fails in ways of its own
        reason = textwrap.shorten(f"{type(error).__name__}: {error}", REASON_MAX, placeholder=" ...")
        raise AnastylosisError(
            f"PyTorch is installed, but cannot be imported ({reason}); install it again, or take --preset ridge, which needs none"
        ) from error
    return True


def check_fallback(out: Path) -> None:
    """Raise when ridge regression, for which nobody asked, would take the place of something else."""
    from anastylosis.models.model import Model

    if not out.exists():
        return
    try:
        card = Model.from_file(out).card
        kind, what = card.kind, f"{card.kind}, preset {card.preset}"
    except InvalidInput:
        kind, what = "", "something else"
    if kind != "ridge":
        raise InvalidInput(
            f"PyTorch is not installed, so this would be ridge regression, and {out} holds {what}, which is not overwritten; "
            f"name another file with --out, say --preset ridge if it may be, or, for nets, run: {install_line('train')}"
        )


def train_net(config: "TrainConfig", lesson: "Lesson", out: Path, imagenet: Path | None, tensorboard: Path | None) -> None:
    """A net that reads pictures."""
    from anastylosis.training.picture_lesson import train_picture_net

    show_epochs(train_picture_net(config, lesson, out, imagenet=imagenet, resumed=tell_resumed), config.epochs, out, tensorboard)


def train_assigner(asked: Training, preset: Preset) -> None:
    """The net that reads surveys: no pictures are drawn."""
    from anastylosis.assignment.model import AssignmentModel
    from anastylosis.training.assignment.config import ASSIGNMENT_PRESETS
    from anastylosis.training.assignment.lesson import open_assignment_lesson, train_assignment_net

    config = asked.settle(ASSIGNMENT_PRESETS[preset]())
    lesson = open_assignment_lesson(asked.open_dataset(), episodes=asked.episodes)
    asked.finish(train_assignment_net(config, lesson, asked.out, resumed=tell_resumed), config.epochs, AssignmentModel)


def refuse_options(preset: Preset, given: Mapping[str, Any]) -> None:
    """Raise when options are given that a training has no use for."""
    unfit = [option for option, value in given.items() if value is not None]
    if unfit:
        raise InvalidInput(
            f"{', '.join(unfit)} {'is' if len(unfit) == 1 else 'are'} for nets that read pictures, not for {preset}"
        )
