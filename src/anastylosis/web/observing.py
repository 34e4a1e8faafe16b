"""Observing: a visitor's file and what they know of it, as the source of a reconstruction."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.detection import Target, read_stored_camera
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.reconstruction import BlockCorner, FloorPoint, Friction, Knowledge, Photographs, Source, SurveyFile
from anastylosis.structure import BLOCK_SIZE
from anastylosis.units import metres_to_millimetres, radians_to_degrees
from anastylosis.web.uploads import InputFile

SourceKind = Literal["survey", "told", "target", "unknown"]  # a survey; or what tells the camera of a picture


@dataclass(frozen=True, kw_only=True)
class VisitorFacts:
    """Facts that a visitor knows. SI units."""

    friction: Friction | None = None
    layers: int | None = None
    complete: bool = False
    hypotheses: int = 12
    points: tuple[FloorPoint, ...] | None = None  # of the floor; None: the camera is in the picture, or its target is
    corners: tuple[BlockCorner, ...] | None = None  # of one block; None: likewise
    block: Vector = BLOCK_SIZE  # of that block [m]
    origin: tuple[float, float] = (0.0, 0.0)  # of the tower's foot
    heading: float = 0.0  # [rad]
    position_sd: float = 0.0  # of surveyed blocks
    orientation_sd: float = 0.0  # [rad]

    @property
    def knowledge(self) -> Knowledge:
        """Return what is known of the tower."""
        return Knowledge(layers=self.layers, friction=self.friction, complete=self.complete)

    @property
    def moved(self) -> bool:
        """Return whether the visitor gave a place or a direction; if not, the file's own declaration counts."""
        return self.origin != (0.0, 0.0) or self.heading != 0.0

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of `anastylosis reconstruct` that say as much, in its units: millimetres and degrees."""
        error = metres_to_millimetres(self.position_sd), radians_to_degrees(self.orientation_sd)
        return {
            "layers": self.layers,
            "friction": None if self.friction is None else "..".join(f"{end:g}" for end in dict.fromkeys(self.friction)),
            "complete": self.complete,
            "points": None if self.points is None else [self.write_point(point) for point in self.points],
            "corners": None if self.corners is None else [{"column": column, "row": row} for column, row in self.corners],
            "block": None if self.corners is None else ",".join(f"{metres_to_millimetres(side):g}" for side in self.block),
            "origin": ",".join(f"{metres:g}" for metres in self.origin) if self.moved else None,
            "heading": radians_to_degrees(self.heading) if self.moved else None,
            "error": ",".join(f"{value:g}" for value in error) if any(error) else None,
            "hypotheses": self.hypotheses,
            "lookup": False,
        }

    @staticmethod
    def write_point(point: FloorPoint) -> dict[str, float]:
        """Write a point of the floor as points files have it."""
        x, y, column, row = point
        return {"x_mm": metres_to_millimetres(x), "y_mm": metres_to_millimetres(y), "column": column, "row": row}


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


def choose_source(given: InputFile, facts: VisitorFacts) -> Source:
    """Choose how a file is read: as a survey, or as a picture whose camera is known in one of four ways."""
    if given.kind == "picture":
        points = () if facts.points is None else facts.points
        return Photographs(
            pictures=(given.path,), floor_points=points, block_corners=facts.corners or (), block=facts.block,
            origin=facts.origin, heading=facts.heading,
        )  # fmt: skip
    return SurveyFile(
        path=given.path,
        origin=(*facts.origin, 0.0) if facts.moved else None,
        heading=facts.heading if facts.moved else None,
        position_sd=facts.position_sd,
        orientation_sd=facts.orientation_sd,
    )
