"""Observing: from a visitor's file, and what they know of it, to blocks that a reconstruction can start from."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.camera.photograph import find_camera, read_photograph, read_stored_camera
from anastylosis.detection.camera.pose import solve_camera
from anastylosis.detection.camera.solved import make_ground
from anastylosis.detection.camera.target import find_target
from anastylosis.detection.view import straighten_photo
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.reconstruction.case import Friction
from anastylosis.reconstruction.observation import Observation, observe_photos, observe_survey
from anastylosis.reconstruction.opened import open_detector
from anastylosis.web.uploads import InputFile, naming

__all__ = ["FloorPoint", "Source", "Told", "find_source", "observe"]

Source = Literal["survey", "told", "target", "unknown"]  # a survey; or what tells the camera of a picture
FloorPoint = tuple[float, float, float, float]  # x, y on the floor [m]; column, row in the picture [pixels]
POINTS_MIN = 4


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a visitor knows. SI units."""

    friction: Friction | None = None
    layers: int | None = None
    complete: bool = False
    hypotheses: int = 12
    points: tuple[FloorPoint, ...] | None = None  # of the floor; None: the camera is in the picture, or its target is
    origin: tuple[float, float] = (0.0, 0.0)  # of the tower's foot
    heading: float = 0.0  # [rad]
    position_sd: float = 0.0  # of surveyed blocks
    orientation_sd: float = 0.0  # [rad]


def find_source(given: InputFile, picture: NDArray[np.uint8] | None) -> Source:
    """What a file is known by, as far as that is seen at once; None: it is a survey."""
    if picture is None:
        return "survey"
    try:
        if read_stored_camera(given.path) is not None:
            return "told"
        find_target(picture)
    except (InvalidInput, MissingExtra):  # what is said of it is said when the visitor asks for it
        return "unknown"
    return "target"


def observe(given: InputFile, told: Told) -> Observation:
    """The blocks of a survey, or those that the eye finds in a picture."""
    with naming(given):
        return look_at(given, told)


def look_at(given: InputFile, told: Told) -> Observation:
    moved = told.origin != (0.0, 0.0) or told.heading != 0.0
    if given.kind == "survey":
        place = {"origin": (*told.origin, 0.0), "heading": told.heading} if moved else {}
        reading = {"position_sd": told.position_sd, "orientation_sd": told.orientation_sd}
        return observe_survey(given.path, **reading, **place)
    picture = read_photograph(given.path)
    ground = make_ground(told.origin, told.heading)
    if told.points is None:
        solved = find_camera(given.path, origin=told.origin, heading=told.heading)
    else:
        if len(told.points) < POINTS_MIN:
            raise InvalidInput(f"{len(told.points)} points of the floor are given; {POINTS_MIN} or more tell the camera")
        rows = np.array(told.points)
        height, width = picture.shape[:2]
        solved = solve_camera(rows[:, :2], rows[:, 2:], width, height).move(ground)
    return observe_photos([straighten_photo(picture, solved)], given.path.stem, open_detector(), ground)
