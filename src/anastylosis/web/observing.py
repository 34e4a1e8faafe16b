"""Observing: a visitor's file and what they know of it, as the source of a reconstruction."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection import Target, read_stored_camera
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.reconstruction import FloorPoint, Friction, Knowledge, Photographs, Source, SurveyFile
from anastylosis.web.uploads import InputFile

SourceKind = Literal["survey", "told", "target", "unknown"]  # a survey; or what tells the camera of a picture


@dataclass(frozen=True, kw_only=True)
class Told:
    """Facts that a visitor knows. SI units."""

    friction: Friction | None = None
    layers: int | None = None
    complete: bool = False
    hypotheses: int = 12
    points: tuple[FloorPoint, ...] | None = None  # of the floor; None: the camera is in the picture, or its target is
    origin: tuple[float, float] = (0.0, 0.0)  # of the tower's foot
    heading: float = 0.0  # [rad]
    position_sd: float = 0.0  # of surveyed blocks
    orientation_sd: float = 0.0  # [rad]

    @property
    def knowledge(self) -> Knowledge:
        """Return what is known of the tower."""
        return Knowledge(layers=self.layers, friction=self.friction, complete=self.complete)


def find_kind(given: InputFile, picture: NDArray[np.uint8] | None) -> SourceKind:
    """Find what tells the camera of a picture, as far as that is seen at once; None: it is a survey."""
    if picture is None:
        return "survey"
    try:
        if read_stored_camera(given.path) is not None:
            return "told"
        Target.find(picture)
    except (InvalidInput, MissingExtra):  # the reason is given when the visitor asks for it
        return "unknown"
    return "target"


def choose_source(given: InputFile, told: Told) -> Source:
    """Choose how a file is read: as a survey, or as a picture whose camera is known in one of three ways."""
    if given.kind == "picture":
        points = () if told.points is None else told.points
        return Photographs(pictures=(given.path,), floor_points=points, origin=told.origin, heading=told.heading)
    moved = told.origin != (0.0, 0.0) or told.heading != 0.0  # else the file's own declaration counts
    return SurveyFile(
        path=given.path,
        origin=(*told.origin, 0.0) if moved else None,
        heading=told.heading if moved else None,
        position_sd=told.position_sd,
        orientation_sd=told.orientation_sd,
    )
