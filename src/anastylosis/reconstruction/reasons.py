"""Reasons: why a block is put back into a slot that is not its own most probable one, in words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anastylosis.reconstruction.draws import State
from anastylosis.reconstruction.support import find_weak_course
from anastylosis.structure.tower import BLOCKS_PER_COURSE

__all__ = ["tell_reason"]

Floats = NDArray[np.float64]


def tell_reason(block: int, state: State, placed: Floats, blocks: Sequence[str], slots: Sequence[str]) -> str:
    """Of a block that a state puts into a slot; "" where that is the most probable one. `placed` (B, S): probabilities;
    `blocks`, `slots`: their names."""
    slot, best = int(state.slot[block]), int(placed[block].argmax())
    if placed[block, slot] >= placed[block, best]:
        return ""
    others = np.flatnonzero(state.slot == best)
    if len(others):
        other = int(others[0])
        better = placed[other, best] >= placed[block, best]
        return f"{blocks[other]} fits better into {slots[best]}" if better else f"{slots[best]} is needed for {blocks[other]}"
    without = state.filled.copy()
    without[slot] = False
    if find_weak_course(without) is not None:
        return f"layer {slot // BLOCKS_PER_COURSE} could not have borne what is above it without"
    return f"{slots[best]} is {'of a block that was not found' if state.filled[best] else 'empty'} in this proposal"
