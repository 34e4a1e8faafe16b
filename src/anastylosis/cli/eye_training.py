"""Trainings of the eye, and of the net that reads what it finds."""

import hashlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from anastylosis.cli.photographs import open_eye
from anastylosis.cli.progress import show_count
from anastylosis.cli.training import Training, in_turn, tell_resumed
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.training.detection.config import EyeConfig
    from anastylosis.training.detection.lesson import EyeLesson, Hearings

__all__ = ["train_eye_net", "train_seen"]

# The nets of the eye by whose findings one learns.
LEARNS_BY = {"judge": ("finder",), "jury": ("finder", "reader", "judge"), "seen": ("finder", "reader", "judge", "jury")}


def train_seen(asked: Training, start: Path, models: Path | None) -> None:
    """The net that reads surveys, trained on with those that the eye makes of pictures; these are kept beside the checkpoints."""
    from anastylosis.assignment.model import AssignmentModel
    from anastylosis.training.assignment.config import seen_config
    from anastylosis.training.assignment.seen_lesson import open_seen_lesson, train_seen_net

    config, used = asked.settle(seen_config()), list_used("seen", models) | {"start": start}
    signed = {name: sign(path) for name, path in used.items()}
    eye, source = open_eye(models), asked.open_dataset()
    folder = asked.out.with_suffix(".run") / "sightings"
    with tell_stopped(), in_turn(), show_count("parts") as tell:
        lesson = open_seen_lesson(
            source, eye, folder, config, episodes=asked.episodes, signed=signed,
            tell=lambda done, total: tell(done, total, "looked at"),
        )  # fmt: skip
    asked.finish(train_seen_net(config, lesson, start, asked.out, resumed=tell_resumed), config.epochs, AssignmentModel)


def train_eye_net(asked: Training, kind: str, finder: Path | None, models: Path | None, start: Path | None) -> None:
    """One of the nets that find blocks in pictures. These are drawn as it learns, and not kept; what a jury hears of is."""
    from anastylosis.detection.card import FINDER, JURY
    from anastylosis.detection.model import EYE_MODELS
    from anastylosis.training.detection.config import EYE_PRESETS
    from anastylosis.training.detection.lesson import open_eye_lesson, train_eye

    config, used = asked.settle(EYE_PRESETS[kind]()), list_used(kind, models) | ({} if finder is None else {FINDER: finder})
    signed = {name: sign(path) for name, path in (used if start is None else used | {"start": start}).items()}
    lesson = open_eye_lesson(asked.open_dataset(), episodes=asked.episodes)
    lesson = replace(lesson, dataset=lesson.dataset | signed)
    hearings = take_hearings(asked, config, lesson, used) if kind == JURY else None
    steps = train_eye(config, lesson, asked.out, finder=used.get(FINDER), hearings=hearings, start=start, resumed=tell_resumed)
    asked.finish(steps, config.epochs, EYE_MODELS[kind])


def list_used(preset: str, models: Path | None) -> dict[str, Path]:
    """Those nets in a folder, or of those that ship."""
    from anastylosis.models.shipped import list_eye

    nets = {path.stem: path for path in list_eye(models)}
    return {name: nets[name] for name in LEARNS_BY.get(preset, ())}


def take_hearings(asked: Training, config: "EyeConfig", lesson: "EyeLesson", nets: Mapping[str, Path]) -> "Hearings":
    """What the other nets of the eye find; it is kept beside the checkpoints."""
    from anastylosis.detection.witness import Witness
    from anastylosis.training.detection.lesson import hear_witness

    witness = Witness.open(nets["finder"], nets["reader"], nets["judge"])
    with tell_stopped(), in_turn(), show_count("looks") as tell:
        return hear_witness(
            lesson, witness, asked.out.with_suffix(".run") / "hearings", config,
            tell=lambda split, done, total: tell(done, total, split),
        )  # fmt: skip


@contextmanager
def tell_stopped() -> Iterator[None]:
    """Who stops it while pictures are looked at hears that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        print("stopped while the other nets looked at pictures; the same command goes on", file=sys.stderr)
        raise


def sign(model: Path) -> str:
    """A short hash of a file: a judge belongs to its finder, and what goes on to what it began with."""
    if not model.is_file():
        raise InvalidInput(f"there is no model {model}; `anastylosis train` writes one")
    return hashlib.sha256(model.read_bytes()).hexdigest()[:16]
