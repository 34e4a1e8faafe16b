"""Truth: what N pictures should have been answered, and which slots count."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.structure.tower import BLOCKS_PER_COURSE

__all__ = ["Truth"]

Floats = NDArray[np.float32]


class Truth(NamedTuple):
    """One row a picture; heads as in `Answers`, P slots. Towers of different heights share the slots from the floor up."""

    slots: NDArray[np.bool_]  # (N, P) the tower had this slot
    num_removed: Floats  # (N,) of all its slots, also those beyond P
    removed_locs: NDArray[np.bool_]  # (N, P) empty just before the fatal pull; False where the tower had no such slot
    imbalance: Floats  # (N,) [m]
    torque_risk: Floats  # (N,)
    failure_layer: NDArray[np.int64]  # (N,)
    friction_level: NDArray[np.int64]  # (N,) the nearest of the levels
    block_set: Floats  # (N, P, 6); presence, and NaN for the rest where the slot was empty
    displacement: Floats  # (N, P, 2) NaN where the slot was empty

    @property
    def collapsed(self) -> NDArray[np.bool_]:
        """(N, P) slots at or above the lowest layer that gave way; the others still stand."""
        layer = np.arange(self.slots.shape[1]) // BLOCKS_PER_COURSE
        return self.slots & (layer >= self.failure_layer[:, None])

    def cut(self, slots: int) -> "Truth":
        """The same for the first slots only; a model has those of the tallest tower that it learned from."""
        per_slot = ("slots", "removed_locs", "block_set", "displacement")
        return self._replace(**{name: getattr(self, name)[:, :slots] for name in per_slot})

    def take(self, rows: NDArray[np.int64] | slice) -> "Truth":
        """The truth of these rows."""
        return Truth._make(part[rows] for part in self)
