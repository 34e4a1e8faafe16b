"""Debris: collapses as the assignment net reads them, with the slot in which each block stood."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.assignment import FELL_DISTANCE
from anastylosis.dataset import Examples
from anastylosis.structure import BLOCKS_PER_COURSE

USUAL_LAYERS = 18  # of the towers that targets are about


@dataclass(frozen=True, kw_only=True, eq=False)
class Debris:
    """N collapses of up to B blocks; the towers were up to S slots high when they fell."""

    courses: NDArray[np.int64]  # (N,) of the tower as it stood; with the rule "stack" more than it was built with
    friction: Floats  # (N,)
    failure_layer: NDArray[np.int64]  # (N,)
    direction: Floats  # (N, 2) of the fall, a unit vector along x and y
    size: Floats  # (N, B, 3) [m]
    position: Floats  # (N, B, 3) [m] at the end; NaN where nothing lies
    orientation: Floats  # (N, B, 4)
    slot: NDArray[np.int64]  # (N, B) in which each block stood; -1 where nothing lies
    fell: NDArray[np.bool_]  # (N, B)
    removed: NDArray[np.bool_]  # (N, S) slots of the standing tower that were empty before the fatal pull

    def __len__(self) -> int:
        return len(self.courses)

    def take(self, rows: NDArray[Any] | slice) -> "Debris":
        """Return these rows."""
        return Debris(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def gather_debris(examples: Examples) -> Debris:
    """Gather the debris of each example. A block that the hand carried off has left a slot that was not empty."""
    stood, lies = examples.stood, examples.lies
    was, there = np.isfinite(stood[..., 0]), np.isfinite(lies[..., 0])
    courses = np.where(was, examples.slot, -1).max(axis=1) // BLOCKS_PER_COURSE + 1
    way = np.where((was & there)[..., None], lies[..., :3] - stood[..., :3], 0.0)
    mean_way = way[..., :2].sum(axis=1)
    return Debris(
        courses=courses,
        friction=examples.friction,
        failure_layer=examples.failure_layer,
        direction=mean_way / np.maximum(np.linalg.norm(mean_way, axis=1, keepdims=True), 1e-12),
        size=examples.size,
        position=lies[..., :3],
        orientation=lies[..., 3:],
        slot=np.where(was & there, examples.slot, -1),
        fell=np.linalg.norm(way, axis=2) > FELL_DISTANCE,
        removed=find_removed(examples.slot, was, courses),
    )


def find_removed(slot: NDArray[np.int64], was: NDArray[np.bool_], courses: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return (N, S) slots below the top in which no block stood."""
    slots = np.arange(BLOCKS_PER_COURSE * int(courses.max()))
    filled = np.zeros((len(courses), len(slots)), bool)
    rows, columns = np.nonzero(was)
    filled[rows, slot[rows, columns]] = True
    return ~filled & (slots < BLOCKS_PER_COURSE * courses[:, None])
