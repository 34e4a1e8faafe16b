"""The second lesson of an assignment net: what the eye finds in pictures, which is much less than what a surveyor finds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from anastylosis.assignment.model import AssignmentModel
from anastylosis.dataset import Dataset
from anastylosis.detection.eye import Eye
from anastylosis.errors import InvalidInput
from anastylosis.training.assignment.config import AssignmentConfig
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.lesson import AssignmentLesson, teach
from anastylosis.training.assignment.net import AssignmentNet
from anastylosis.training.assignment.seen_batches import SeenBatches
from anastylosis.training.detection.lesson import EyeLesson, open_eye_lesson
from anastylosis.training.detection.sightings import Sighting, gather_sightings
from anastylosis.training.examples import Examples
from anastylosis.training.training import Epoch
from anastylosis.training.weights import restore_weights

__all__ = ["SeenLesson", "open_seen_lesson", "train_seen_net"]

VAL_SEED = 99  # the pictures of the validation split are always the same


class SeenLesson(NamedTuple):
    """What there is to learn from."""

    collapses: EyeLesson
    train: list[Sighting]
    val: list[Sighting]


def open_seen_lesson(
    dataset: Dataset,
    eye: Eye,
    folder: Path,
    config: AssignmentConfig,
    *,
    episodes: int | None = None,
    signed: Mapping[str, str] = MappingProxyType({}),
    tell: Callable[[int, int], None] | None = None,
) -> SeenLesson:
    """Read the collapses of a dataset, and look at pictures of them; what was seen is kept in `folder`.

    `signed`: hashes of the files that are used, which the folder and the card of the net remember.
    """
    collapses = open_eye_lesson(dataset, episodes=episodes)
    return look_at(replace(collapses, dataset=collapses.dataset | dict(signed)), eye, folder, config, tell)


def look_at(
    collapses: EyeLesson, eye: Eye, folder: Path, config: AssignmentConfig, tell: Callable[[int, int], None] | None = None
) -> SeenLesson:
    def see(split: str, examples: Examples, looks: int, seed: int) -> list[Sighting]:
        sightings = gather_sightings(
            examples, eye, folder / split, looks=looks, seed=seed, identity=collapses.identity, tell=tell
        )
        if not sightings:
            raise InvalidInput(f"the eye has found nothing in any picture of the {split} split; there is nothing to learn from")
        return sightings

    train = see("train", collapses.train, config.looks, config.seed)
    return SeenLesson(collapses, train, see("val", collapses.val, 1, VAL_SEED))


def train_seen_net(
    config: AssignmentConfig, lesson: SeenLesson, start: Path, out: Path, *, resumed: Callable[[int], None] | None = None
) -> Iterator[Epoch]:
    """Go on with the net of the model file `start`, which `train_assignment_net` wrote, then write `out`."""
    net, hide = AssignmentNet(config.net), config.surveys.hide_friction
    train, val = gather_debris(lesson.collapses.train), gather_debris(lesson.collapses.val)
    to_learn = SeenBatches(train, lesson.train, size=config.batch, hide_friction=hide, seed=config.seed)
    AssignmentModel.from_file(start)  # refuses what is another net
    restore_weights(net, start, [(next(to_learn.in_order()).sheet,)])
    yield from teach(
        config,
        AssignmentLesson(train=train, val=val, dataset=lesson.collapses.dataset),
        net,
        to_learn,
        SeenBatches(val, lesson.val, size=2 * config.batch, hide_friction=hide),
        out,
        resumed,
    )
