"""Survey: fallen stones as boxes, each with its measured pose and the deviations of the measurement."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Flags, Floats, freeze, refuse
from anastylosis.errors import InvalidInput
from anastylosis.geometry import multiply_quaternions, turn_about, unit_quaternions
from anastylosis.text_file import SOURCE_MAX, clean_text

REACH = 10_000.0  # [m] from the foot of the structure; a stone further away, or longer, is a mistake in units or origin
SITE = 1e8  # [m] coordinates of a site, at most: beyond this float64 cannot tell 0.01 mm apart
SEEN = "seen in "  # beginning of the source of a survey made by the detector
ID_MAX, NOTES_MAX = 100, 2_000  # characters
HALF, ROOT = 0.5, np.sqrt(0.5)
# The turn whose new axes are these old ones, but for their signs: a box is the same box either way.
TURNS = {
    (0, 1, 2): (1.0, 0.0, 0.0, 0.0),
    (1, 2, 0): (HALF, HALF, HALF, HALF),
    (2, 0, 1): (HALF, -HALF, -HALF, -HALF),
    (0, 2, 1): (ROOT, ROOT, 0.0, 0.0),
    (1, 0, 2): (ROOT, 0.0, 0.0, ROOT),
    (2, 1, 0): (ROOT, 0.0, -ROOT, 0.0),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Ground:
    """Place of the ground frame in the coordinates of a site.

    The ground frame has its origin at the middle of the foot of the structure, on the ground; z is up, and x runs along the
    length of the blocks of the bottom course.
    """

    origin: Floats = field(default=(0.0, 0.0, 0.0))  # type: ignore[arg-type]  # (3,) [m] in site coordinates
    heading: float = 0.0  # [rad] from the site's x axis to the ground's, counter-clockwise seen from above

    def __post_init__(self) -> None:
        origin = np.array(self.origin, np.float64)
        if origin.shape != (3,) or not (np.abs(origin) <= SITE).all():
            raise InvalidInput(f"origin is {self.origin}; it has x, y and z [m], each within {SITE:.0e} m of zero")
        if not abs(self.heading) <= 4 * np.pi:
            raise InvalidInput(f"heading is {self.heading}; it is an angle in radians, from the site's x axis to the ground's")
        origin.flags.writeable = False
        object.__setattr__(self, "origin", origin)
        object.__setattr__(self, "heading", float(self.heading))

    @property
    def is_site(self) -> bool:
        """Return whether the two frames are the same."""
        return self.heading == 0 and not self.origin.any()

    def from_site(self, position: Floats, orientation: Floats) -> tuple[Floats, Floats]:
        """Convert poses (..., 3) and (..., 4) from site coordinates to the ground frame."""
        return turn_poses(position - self.origin, orientation, -self.heading)

    def to_site(self, position: Floats, orientation: Floats) -> tuple[Floats, Floats]:
        """Convert poses from the ground frame to site coordinates."""
        turned, orientation = turn_poses(position, orientation, self.heading)
        return turned + self.origin, orientation


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """B stones where they lie, in the ground frame. Body axes: x along the length, y along the width, z along the height."""

    ids: tuple[str, ...]  # all different
    size: Floats  # (B, 3) length, width, height [m]
    position: Floats  # (B, 3) centre of the box [m]
    orientation: Floats  # (B, 4) unit quaternion wxyz, body to ground
    position_sd: Floats = field(default=None)  # type: ignore[arg-type]  # (B,) standard deviation along each axis [m]; 0: exact
    orientation_sd: Floats = field(default=None)  # type: ignore[arg-type]  # (B,) of the angle [rad]; 0: exact
    certainty: Floats = field(default=None)  # type: ignore[arg-type]  # (B,) probability that it is there, and as described
    notes: tuple[str, ...] = field(default=None)  # type: ignore[arg-type]  # one a stone, may be empty
    set_aside: Flags = field(default=None)  # type: ignore[arg-type]  # (B,) moved by somebody: its place says nothing
    ground: Ground = field(default_factory=Ground)
    source: str = ""  # who measured, when, with what
    warnings: tuple[str, ...] = ()  # what was ignored in the file

    def __post_init__(self) -> None:
        size = freeze(self.size, "size", (-1, 3))
        count = len(size)
        if count == 0:
            raise InvalidInput("a survey needs at least one stone, got none")
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "position", freeze(self.position, "position", (count, 3)))
        object.__setattr__(self, "orientation", unit_quaternions(freeze(self.orientation, "orientation", (count, 4))))
        aside = np.zeros(count, bool) if self.set_aside is None else np.array(self.set_aside, bool)
        if aside.shape != (count,):
            raise InvalidInput(f"set_aside has shape {aside.shape}; {count} stones need {count} of them")
        aside.flags.writeable = False
        object.__setattr__(self, "set_aside", aside)
        for name, default in (("position_sd", 0.0), ("orientation_sd", 0.0), ("certainty", 1.0)):
            given = getattr(self, name)
            object.__setattr__(self, name, freeze(np.full(count, default) if given is None else given, name, (count,)))
        refuse((size <= 0) | (size > REACH), size, "size", f"must be above 0 and at most {REACH:g} m in each direction")
        refuse(
            np.abs(self.position) > REACH, self.position, "position", f"must be within {REACH:g} m of the foot of the structure"
        )
        refuse((self.position_sd < 0) | (self.position_sd > REACH), self.position_sd, "position_sd", f"must be in 0..{REACH:g} m")
        refuse(
            (self.orientation_sd < 0) | (self.orientation_sd > np.pi), self.orientation_sd, "orientation_sd", "must be in 0..pi"
        )
        refuse((self.certainty <= 0) | (self.certainty > 1), self.certainty, "certainty", "must be above 0 and at most 1")
        self._check_texts(count)

    def _check_texts(self, count: int) -> None:
        ids = tuple(clean_text(text, "id", ID_MAX) for text in self.ids)
        notes = ("",) * count if self.notes is None else tuple(clean_text(text, "notes", NOTES_MAX) for text in self.notes)
        if len(ids) != count or len(set(ids)) != count or "" in ids:
            raise InvalidInput(f"{count} stones need {count} different ids, none of them empty; got {len(set(ids) - {''})}")
        if len(notes) != count:
            raise InvalidInput(f"{count} stones need {count} notes, empty ones where there is nothing to say; got {len(notes)}")
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "source", clean_text(self.source, "source", SOURCE_MAX))

    def __repr__(self) -> str:
        return f"<Survey: {len(self)} blocks{f', {self.source}' if self.source else ''}>"

    def __len__(self) -> int:
        return len(self.size)

    @property
    def seen(self) -> bool:
        """Return whether the detector has found these stones in pictures. It stays so when somebody adds missed ones."""
        return self.source.startswith(SEEN)

    def select(self, rows: ArrayLike) -> "Survey":
        """Return the survey with only these stones (a mask or row numbers), in this order."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        return replace(
            self, ids=tuple(self.ids[row] for row in chosen), notes=tuple(self.notes[row] for row in chosen),
            size=self.size[chosen], position=self.position[chosen], orientation=self.orientation[chosen],
            position_sd=self.position_sd[chosen], orientation_sd=self.orientation_sd[chosen],
            certainty=self.certainty[chosen], set_aside=self.set_aside[chosen],
        )  # fmt: skip


def sort_axes(size: ArrayLike, orientation: ArrayLike) -> tuple[Floats, Floats]:
    """Return the boxes, (..., 3) and (..., 4), with the longest side as length and the shortest as height."""
    sides, quaternion = np.asarray(size, np.float64), np.asarray(orientation, np.float64)
    order = np.argsort(-sides, axis=-1, kind="stable")
    turns = np.zeros(quaternion.shape)
    for axes, turn in TURNS.items():
        turns[(order == axes).all(axis=-1)] = turn
    return np.take_along_axis(sides, order, axis=-1), multiply_quaternions(quaternion, turns)


def turn_poses(position: Floats, orientation: Floats, angle: float) -> tuple[Floats, Floats]:
    """Turn poses about the vertical through the origin by `angle` [rad]."""
    if angle == 0:
        return position, orientation
    cos, sin = np.cos(angle), np.sin(angle)
    turned = position @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    return turned, multiply_quaternions(turn_about(2, angle), orientation)
