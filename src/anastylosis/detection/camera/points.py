"""Points: known places and the pixels that show them, checked."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.detection.camera.start import find_plane
from anastylosis.errors import InvalidInput
from anastylosis.rendering.camera import REACH_MAX

__all__ = ["POINTS_MIN", "Points", "check_points"]

POINTS_MIN = 4
POINTS_MAX = 10_000
LINE = 1e-3  # points whose second extent is less than this share of their first are on one line
OUTSIDE = 0.05  # of the longer side: a corner may be guessed just outside the picture

Floats = NDArray[np.float64]


class Points(NamedTuple):
    """N known places and the pixels that show them."""

    places: Floats  # (N, 3) [m]
    pixels: Floats  # (N, 2)
    names: tuple[str, ...]  # for messages


def check_points(points: ArrayLike, pixels: ArrayLike, width: int, height: int, names: Sequence[str] | None = None) -> Points:
    """Check points from which a camera is to be solved; raise with the reason when it cannot."""
    places, seen = np.asarray(points, np.float64), np.asarray(pixels, np.float64)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or seen.shape != (len(places), 2):
        raise InvalidInput(f"points have shape {places.shape} and pixels {seen.shape}, expected (N, 2) or (N, 3), and (N, 2)")
    count = len(places)
    if count < POINTS_MIN:
        raise InvalidInput(f"there are {count} points; a camera needs {POINTS_MIN} or more, no three of them on one line")
    if count > POINTS_MAX:
        raise InvalidInput(f"there are {count:,} points; at most {POINTS_MAX:,} are read")
    called = tuple(names) if names else tuple(f"point {row}" for row in range(1, count + 1))
    if len(called) != count:
        raise InvalidInput(f"{count} points need {count} names, got {len(called)}")
    places = np.column_stack([places, np.zeros((count, 3 - places.shape[1]))])
    bad = np.flatnonzero(~(np.abs(places) <= REACH_MAX).all(axis=1))
    if len(bad):
        raise InvalidInput(f"{called[bad[0]]} is at {places[bad[0]].tolist()}; places are finite, within {REACH_MAX:g} m")
    slack = OUTSIDE * max(width, height)
    bad = np.flatnonzero(~((seen >= -slack) & (seen <= np.array([width, height]) + slack)).all(axis=1))
    if len(bad):
        column, row = seen[bad[0]]
        raise InvalidInput(
            f"{called[bad[0]]} is seen at column {column:g}, row {row:g}, outside the picture, which has {width} columns and "
            f"{height} rows; are the pixels those of this picture, in this size?",
            kind="points_wrong",
        )
    for values, what in ((places, "the points are"), (np.column_stack([seen, np.zeros(count)]), "the points are seen")):
        _, _, extents = find_plane(values)
        if extents[1] <= LINE * extents[0]:
            raise InvalidInput(
                f"{what} on one line, and many cameras see a line there; take points that surround the debris", kind="points_line"
            )
    return Points(places, seen, called)
