"""Observation: what a reconstruction starts from. Blocks that were measured, or that the eye has found in pictures."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anastylosis.detection.detector import BlockDetector
from anastylosis.detection.view import Photo
from anastylosis.survey import Ground, Survey, read_survey

__all__ = ["Observation", "observe_photos", "observe_survey"]


class Observation(NamedTuple):
    """Blocks that were found, and where."""

    survey: Survey
    name: str  # of the file, without its ending: episodes are looked up by it
    photos: tuple[Photo, ...] = ()  # that the blocks were found in; none: they were measured


def observe_survey(source: Path, **reading: Any) -> Observation:
    """What is in a file; `reading`: as of `read_survey`."""
    return Observation(read_survey(source, **reading), source.stem)


def observe_photos(photos: Sequence[Photo], name: str, eye: BlockDetector, ground: Ground) -> Observation:
    """What is seen in pictures of one heap. `ground`: where the tower stood, in the coordinates of the site."""
    return Observation(eye.survey(photos, ground=ground), name, tuple(photos))
