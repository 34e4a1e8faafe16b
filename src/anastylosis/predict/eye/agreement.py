"""Agreement: pictures of one scene do not contradict each other."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.predict.eye.evidence import Testimony
from anastylosis.predict.eye.votes import STRIDE

__all__ = ["TWO_SCENES", "check_debris", "check_slots"]

CLEAR, CLASH = 2.0, 0.25  # log odds that are clear; share of slots on which pictures of one scene do not contradict each other
FEWEST = 6  # slots that are clear in both
CONFIRMED = 0.01  # share of the votes of one picture that lie where another shows blocks: of one scene, 118 pairs, it was more
MANY = 20.0  # votes of which that tells something
COLUMN = 0.06  # [m] around the middle of the tower: what is behind that is hidden
TWO_SCENES: Final = "two_scenes"  # kind of the error when they do contradict each other

Floats = NDArray[np.float64]


def check_slots(odds: Floats) -> None:
    """Raise when two views (V, N) clearly contradict each other about what still stands."""
    for second in range(1, len(odds)):
        for first in range(second):
            a, b = odds[first], odds[second]
            clear = (np.abs(a) > CLEAR) & (np.abs(b) > CLEAR) & ((a > 0) | (b > 0))
            clash = clear & (a * b < 0)
            if clear.sum() >= FEWEST and clash.sum() > CLASH * clear.sum():
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} do not show the same debris: of {clear.sum()} slots of the tower "
                    f"that are clear in both, {clash.sum()} are filled in one and empty in the other; survey them one by one, or "
                    "check their cameras",
                    kind=TWO_SCENES,
                )


def check_debris(heard: Sequence[Testimony]) -> None:
    """Raise when hardly anything that fell in one view is where another one shows blocks."""
    for second in range(1, len(heard)):
        for first in range(second):
            told = [confirm(heard[a], heard[b]) for a, b in ((first, second), (second, first))]
            shares = [share for share, votes in told if votes >= MANY]
            if len(shares) == len(told) and min(shares) < CONFIRMED:
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} do not show the same debris: where one shows fallen blocks, the "
                    f"other shows none ({min(shares):.0%} agree); survey them one by one, or check their cameras",
                    kind=TWO_SCENES,
                )


def confirm(one: Testimony, other: Testimony) -> tuple[float, float]:
    """Which share of the votes in one view are for places at which the other shows a block that fell, and how many votes the
    other could confirm: those in its picture, and not behind the tower."""
    place, eye = one.votes.position, np.asarray(other.camera.eye)
    pixels, depth = other.camera.project(place)
    cell = np.floor(np.where((depth > 0)[:, None], pixels, -1) / STRIDE).astype(np.int64)
    height, width = other.chance.shape
    shown = ((cell >= 0) & (cell < (width, height))).all(axis=1) & ~is_behind(place[:, :2], eye[:2])
    weight, (column, row) = one.votes.weight[shown], cell[shown].T
    return float(weight @ other.chance[row, column]) / max(float(weight.sum()), 1e-9), float(weight.sum())


def is_behind(place: Floats, eye: Floats) -> NDArray[np.bool_]:
    """(N,) whether the tower may hide places (N, 2) from an eye (2,): the line between them comes near its middle."""
    way = place - eye
    nearest = np.clip(-(way @ eye) / np.maximum((way**2).sum(axis=1), 1e-9), 0, 1)
    return (np.linalg.norm(eye + nearest[:, None] * way, axis=1) < COLUMN) & (np.linalg.norm(place, axis=1) > COLUMN)
