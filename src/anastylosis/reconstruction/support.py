"""Support: which sets of filled slots can have stood, and why a block is not in its most probable slot.

A quick rule for crossed courses is asked first, then the linear programme.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anastylosis.mechanics import CENTRE, Interface, find_interfaces, keep_blocks, solve_equilibrium
from anastylosis.structure import BLOCKS_PER_COURSE, Structure, jenga_tower

if TYPE_CHECKING:
    from anastylosis.reconstruction.draws import TowerState


Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def find_weak_course(filled: Flags) -> int | None:
    """The lowest course of a tower, (S,), that cannot bear what is above it; None: there is none.

    What is above a course has its centre of mass near the axis of the tower. Two blocks bear it, and so does the one in the
    middle; a single one at the side is 14.5 mm away from the axis at its nearest, and an empty course bears nothing.
    """
    courses = filled.reshape(-1, BLOCKS_PER_COURSE)
    loaded = np.flip(np.logical_or.accumulate(np.flip(courses.any(axis=1))))
    loaded = np.append(loaded[1:], False)  # something is above
    weak = loaded & (courses.sum(axis=1) < 2) & ~courses[:, CENTRE]
    return int(weak.argmax()) if weak.any() else None


def can_stand(filled: Flags, friction: float) -> bool:
    """Whether forces exist that hold every block of a tower whose blocks are where their slots are."""
    if not filled.any() or find_weak_course(filled) is not None:
        return not filled.any()
    tower, faces = build_whole(len(filled) // BLOCKS_PER_COURSE, friction)
    return solve_equilibrium(tower.select(filled), keep_blocks(faces, filled)).stands


@lru_cache(maxsize=4)  # many towers of one height are asked about
def build_whole(layers: int, friction: float) -> tuple[Structure, tuple[Interface, ...]]:
    """A tower with every slot filled, and where its blocks touch."""
    tower = jenga_tower(layers, friction=friction)
    return tower, find_interfaces(tower)


def describe_reason(block: int, state: "TowerState", placed: Floats, blocks: Sequence[str], slots: Sequence[str]) -> str:
    """Say why a state puts a block into its slot; "" where that is the most probable one.

    `placed` (B, S): probabilities; `blocks`, `slots`: their names.
    """
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
