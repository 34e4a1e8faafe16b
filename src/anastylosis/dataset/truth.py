"""True answers to N pictures, head by head, and which slots count."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Singles
from anastylosis.dataset.examples import Examples
from anastylosis.dataset.level import nearest_level
from anastylosis.dataset.shots import Mirror
from anastylosis.episode import FRICTION_LEVELS
from anastylosis.structure import BLOCKS_PER_COURSE, mirror_slots

LEVELS = list(FRICTION_LEVELS)


class Truth(NamedTuple):
    """One row a picture; heads as in `Answers`, P slots. Towers of different heights share the slots from the floor up."""

    slots: NDArray[np.bool_]  # (N, P) the tower had this slot
    num_removed: Singles  # (N,) of all its slots, also those beyond P
    removed_locs: NDArray[np.bool_]  # (N, P) empty just before the fatal pull; False where the tower had no such slot
    imbalance: Singles  # (N,) [m]
    torque_risk: Singles  # (N,)
    failure_layer: NDArray[np.int64]  # (N,)
    friction_level: NDArray[np.int64]  # (N,) the nearest of the levels
    block_set: Singles  # (N, P, 6); presence, and NaN for the rest where the slot was empty
    displacement: Singles  # (N, P, 2) NaN where the slot was empty

    @property
    def collapsed(self) -> NDArray[np.bool_]:
        """Return (N, P) slots at or above the lowest layer that gave way; the others still stand."""
        layer = np.arange(self.slots.shape[1]) // BLOCKS_PER_COURSE
        return self.slots & (layer >= self.failure_layer[:, None])

    def cut(self, slots: int) -> "Truth":
        """Return the truth of the first slots only; a model has those of the tallest tower that it learned from."""
        per_slot = [name for name, part in self._asdict().items() if part.ndim > 1]
        return self._replace(**{name: getattr(self, name)[:, :slots] for name in per_slot})

    def take(self, rows: NDArray[np.int64] | slice) -> "Truth":
        """Return the truth of these rows."""
        return Truth._make(part[rows] for part in self)


def gather_truth(examples: Examples, layers: int, mirror: NDArray[np.bool_], boxes: Singles) -> Truth:
    """Return the true answers to one picture of each example.

    `layers`: of the tallest tower that the pictures show. `mirror` (N, 2): whether the picture is mirrored in x and in y; its
    slots are relabelled. `boxes` (N, P, 7): the box of each slot's block in the picture, and its displacement.
    """
    slots = BLOCKS_PER_COURSE * layers
    there = np.arange(slots) < BLOCKS_PER_COURSE * examples.layers[:, None]
    removed = np.zeros((len(examples), slots), bool)
    known = min(slots, examples.removed.shape[1])
    removed[:, :known] = examples.removed[:, :known]
    for sides in (Mirror(x, y) for x in (False, True) for y in (False, True)):
        rows = (mirror == sides).all(axis=1)
        removed[rows] = removed[rows][:, mirror_slots(np.arange(slots), *sides.signs)]  # a mirror undoes itself
    boxes = np.where(there[:, :, None], boxes, np.nan)
    presence = (there & ~removed)[:, :, None].astype(np.float32)
    return Truth(
        slots=there,
        num_removed=examples.removed_count.astype(np.float32),
        removed_locs=removed & there,
        imbalance=examples.imbalance.astype(np.float32),
        torque_risk=examples.torque_moves.astype(np.float32),
        failure_layer=examples.failure_layer,
        friction_level=np.array([LEVELS.index(nearest_level(friction)) for friction in examples.friction]),
        block_set=np.concatenate([presence, boxes[:, :, :5]], axis=2),
        displacement=boxes[:, :, 5:],
    )
