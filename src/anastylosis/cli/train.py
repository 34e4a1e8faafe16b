"""`anastylosis train`: learn from a dataset, and write a model."""

import hashlib
import os
import sys
import textwrap
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.photographs import open_eye
from anastylosis.cli.progress import show_bar, show_count
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count, tell_missing
from anastylosis.errors import AnastylosisError, InvalidInput, MissingExtra
from anastylosis.machine import install_line

if TYPE_CHECKING:
    from anastylosis.dataset import Dataset
    from anastylosis.learn.config import TrainConfig
    from anastylosis.learn.eye.config import EyeConfig
    from anastylosis.learn.eye.lesson import EyeLesson, Hearings
    from anastylosis.learn.lesson import Lesson
    from anastylosis.learn.training import Epoch
    from anastylosis.predict.assignment.card import AssignmentCard
    from anastylosis.predict.card import ModelCard
    from anastylosis.predict.eye.card import EyeCard

__all__ = ["train_command"]

REASON_MAX = 200  # letters of why PyTorch cannot be imported
SAYS_NOTHING = (
    "calibration found that its scores say nothing about which slots were empty, so every slot gets the same probability; "
    "train longer, or on more episodes"
)


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

    Pictures are drawn from the stored poses and kept in DATASET/pictures; checkpoints and losses are in a folder beside the
    model, MODEL.run. The best epoch by validation is written; the test splits are not looked at.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.learn.config import PRESETS, change_config, ridge_config
    from anastylosis.learn.lesson import open_lesson
    from anastylosis.predict.model import Model

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
            train_eye_net(asked, preset, finder, models, start)
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
    tell_missing(source)
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
        from anastylosis.learn.ridge import train_ridge

        train_ridge(config, lesson, out)
    else:
        train_net(config, lesson, out, imagenet, tensorboard)
    if not leads():
        return
    tell_model(out, Model.from_file(out).card, time.perf_counter() - begin, as_json)


def leads() -> bool:
    """True for the only process of a training, and for the first of those that `torchrun` started."""
    return os.environ.get("RANK", "0") == "0"


def in_turn() -> AbstractContextManager[None]:
    """Of several processes that train together the first draws the pictures, and the others find them drawn."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return nullcontext()
    from anastylosis.learn.ranks import leader_first

    return leader_first()


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
    from anastylosis.predict.model import Model

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
    from anastylosis.learn.picture_lesson import train_picture_net

    show_epochs(train_picture_net(config, lesson, out, imagenet=imagenet, resumed=tell_resumed), config.epochs, out, tensorboard)


@dataclass(frozen=True, kw_only=True)
class Training:
    """What was asked of a training for which no pictures are drawn and kept."""

    dataset: Path
    out: Path
    tensorboard: Path | None
    as_json: bool
    episodes: int | None
    epochs: int | None
    seed: int
    rate: float | None
    begun: float = field(default_factory=time.perf_counter)

    def settle(self, config: Any) -> Any:
        """The settings of a preset, as they were asked for."""
        return replace(config, epochs=self.epochs or config.epochs, rate=self.rate or config.rate, seed=self.seed)

    def open_dataset(self) -> "Dataset":
        from anastylosis.dataset import Dataset

        source = Dataset(self.dataset)
        tell_missing(source)
        self.out.parent.mkdir(parents=True, exist_ok=True)
        return source

    def finish(self, epochs: "Iterable[Epoch]", total: int, model: Any) -> None:
        """Train, and tell what came of it; `model` opens the file."""
        show_epochs(epochs, total, self.out, self.tensorboard)
        if leads():
            tell_model(self.out, model.from_file(self.out).card, time.perf_counter() - self.begun, self.as_json)


def train_assigner(asked: Training, preset: Preset) -> None:
    """The net that reads surveys: no pictures are drawn."""
    from anastylosis.learn.assignment.config import ASSIGNMENT_PRESETS
    from anastylosis.learn.assignment.lesson import open_assignment_lesson, train_assignment_net
    from anastylosis.predict.assignment.model import AssignmentModel

    config = asked.settle(ASSIGNMENT_PRESETS[preset]())
    lesson = open_assignment_lesson(asked.open_dataset(), episodes=asked.episodes)
    asked.finish(train_assignment_net(config, lesson, asked.out, resumed=tell_resumed), config.epochs, AssignmentModel)


def train_seen(asked: Training, start: Path, models: Path | None) -> None:
    """The net that reads surveys, trained on with those that the eye makes of pictures; these are kept beside the checkpoints."""
    from anastylosis.learn.assignment.config import seen_config
    from anastylosis.learn.assignment.seen_lesson import open_seen_lesson, train_seen_net
    from anastylosis.predict.assignment.model import AssignmentModel

    config, began = asked.settle(seen_config()), sign(start)
    eye = open_eye(models)
    source = asked.open_dataset()
    folder = asked.out.with_suffix(".run") / "sightings"
    folder.mkdir(parents=True, exist_ok=True)
    with in_turn(), show_count("parts") as tell:
        lesson = open_seen_lesson(
            source, eye, folder, config, episodes=asked.episodes, tell=lambda done, total: tell(done, total, "looked at")
        )
    lesson = lesson._replace(collapses=replace(lesson.collapses, dataset=lesson.collapses.dataset | {"start": began}))
    asked.finish(train_seen_net(config, lesson, start, asked.out, resumed=tell_resumed), config.epochs, AssignmentModel)


def train_eye_net(asked: Training, preset: Preset, finder: Path | None, models: Path | None, start: Path | None) -> None:
    """One of the nets that find blocks in pictures. These are drawn as it learns, and not kept; what a jury hears of is."""
    from anastylosis.learn.eye.config import EYE_PRESETS
    from anastylosis.learn.eye.lesson import open_eye_lesson, train_eye
    from anastylosis.predict.eye.model import EYE_MODELS
    from anastylosis.predict.shipped import list_eye

    config = asked.settle(EYE_PRESETS[preset]())
    proposes = finder or list_eye()[0] if preset is Preset.judge else None
    heard = dict(zip(("finder", "reader", "judge"), list_eye(models)[:3], strict=True)) if preset is Preset.jury else {}
    lesson = open_eye_lesson(asked.open_dataset(), episodes=asked.episodes)
    used: dict[str, Path | None] = {"finder": proposes, "start": start, **heard}
    lesson = replace(lesson, dataset=lesson.dataset | {name: sign(path) for name, path in used.items() if path is not None})
    hearings = take_hearings(asked, config, lesson, list_eye(models)) if heard else None
    steps = train_eye(config, lesson, asked.out, finder=proposes, hearings=hearings, start=start, resumed=tell_resumed)
    asked.finish(steps, config.epochs, EYE_MODELS[preset])


def take_hearings(asked: Training, config: "EyeConfig", lesson: "EyeLesson", nets: Sequence[Path]) -> "Hearings":
    """What the other nets of the eye find; it is kept beside the checkpoints."""
    from anastylosis.learn.eye.lesson import hear_witness
    from anastylosis.predict.eye.witness import Witness

    finder, reader, judge, _ = nets
    try:
        with in_turn(), show_count("looks") as tell:
            return hear_witness(
                lesson, Witness.open(finder, reader, judge), asked.out.with_suffix(".run") / "hearings", config,
                tell=lambda split, done, total: tell(done, total, split),
            )  # fmt: skip
    except KeyboardInterrupt:
        print("stopped while the other nets looked at pictures; the same command goes on", file=sys.stderr)
        raise


def sign(model: Path) -> str:
    """A short hash of a file: a judge belongs to its finder, and what goes on to what it began with."""
    if not model.is_file():
        raise InvalidInput(f"there is no model {model}; `anastylosis train` writes one")
    return hashlib.sha256(model.read_bytes()).hexdigest()[:16]


def refuse_options(preset: Preset, given: Mapping[str, Any]) -> None:
    """Raise when options are given that a training has no use for."""
    unfit = [option for option, value in given.items() if value is not None]
    if unfit:
        raise InvalidInput(
            f"{', '.join(unfit)} {'is' if len(unfit) == 1 else 'are'} for nets that read pictures, not for {preset}"
        )


def show_epochs(epochs: "Iterable[Epoch]", total: int, out: Path, tensorboard: Path | None) -> None:
    """Epoch by epoch, with a bar; of several processes that train together the first alone speaks."""
    if not leads():
        for _ in epochs:
            pass
        return
    from anastylosis.learn.training import count_epochs, open_board

    board = open_board(tensorboard) if tensorboard else None
    done = count_epochs(out.with_suffix(".run"))
    try:
        with show_bar("epoch", total, done) as advance:
            for epoch in epochs:
                train, val = epoch.losses["train"], epoch.losses["val"]
                best = ", best so far" if epoch.best else ""
                advance(f"loss {train:.4f}, validation {val:.4f}{best} ({epoch.seconds:.0f} s)")
                if board:
                    for name, value in epoch.losses.items():
                        board.add_scalar(name, value, epoch.number)
    except KeyboardInterrupt:
        print("stopped; the same command goes on after the last epoch", file=sys.stderr)
        raise
    finally:
        if board:
            board.close()


def tell_resumed(done: int) -> None:
    print(f"going on after epoch {done}", file=sys.stderr)


def tell_model(out: Path, card: "ModelCard | AssignmentCard | EyeCard", seconds: float, as_json: bool) -> None:
    """Say what came of it."""
    if card.calibration.slope == 0:
        print(f"{out}: {SAYS_NOTHING}", file=sys.stderr)
    if as_json:
        document = {"model": str(out), "kind": card.kind, "preset": card.preset, "seconds": round(seconds, 1)}
        print_json(document | {"dataset": card.dataset, "metrics": card.metrics})
        return
    episodes = card.dataset["episodes"]
    print(
        f"{out}: {card.kind}, {count(episodes['train'], 'collapse')} to learn from, {episodes['val']:,} to choose and calibrate; "
        f"{seconds:.0f} s",
        file=sys.stderr,
    )
    for name, value in card.metrics.items():
        print(f"{name}\t{value:.4g}")
