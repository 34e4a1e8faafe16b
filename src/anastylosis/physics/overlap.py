"""Overlaps: blocks that stand in each other are refused before a simulation starts."""

from collections.abc import Sequence

import numpy as np

from anastylosis.errors import InvalidStructure
from anastylosis.kernel import entry
from anastylosis.physics.box_box import separate_boxes
from anastylosis.physics.model import Model, State
from anastylosis.physics.rotation import rotation_matrix
from anastylosis.structure import Structure

OVERLAP_MAX = 1e-3  # [m] deeper than any survey's rounding, shallower than any block


@entry
def deepest_overlap(half, inverse_mass, position, orientation, rotation, order, widest):
    """Return (depth, a, b) of the worst overlap in one world; b = number of blocks: the floor."""
    count = position.shape[0]
    depth, first, second = 0.0, -1, -1
    for i in range(count):
        rotation_matrix(orientation[i], rotation[i])
    for m in range(count):
        i = order[m]
        reach = abs(rotation[i, 6]) * half[i, 0] + abs(rotation[i, 7]) * half[i, 1] + abs(rotation[i, 8]) * half[i, 2]
        if inverse_mass[i] > 0.0 and reach - position[i, 2] > depth:
            depth, first, second = reach - position[i, 2], i, count
        for n in range(m + 1, count):
            j = order[n]
            if position[j, 2] - position[i, 2] > widest:
                break
            if inverse_mass[i] + inverse_mass[j] == 0.0:
                continue
            gap, _, edge_gap, _ = separate_boxes(position, rotation, half, i, j, 0.0, -1)
            gap = max(gap, edge_gap)
            if -gap > depth:
                depth, first, second = -gap, min(i, j), max(i, j)
    return depth, first, second


def refuse_overlaps(structures: Sequence[Structure], model: Model, state: State) -> None:
    """Raise `InvalidStructure` when two blocks, or a block and the floor, overlap by more than 1 mm."""
    for w, structure in enumerate(structures):
        rotation = np.zeros((len(structure), 9))
        depth, a, b = deepest_overlap(
            model.half[w],
            model.inverse_mass[w],
            state.position[w],
            state.orientation[w],
            rotation,
            np.argsort(state.position[w, :, 2]),
            2.0 * model.radius[w].max(),
        )
        if depth > OVERLAP_MAX:
            other = "the floor" if b == len(structure) else f"block {structure.ids[b]!r}"
            raise InvalidStructure(
                f"block {structure.ids[a]!r} and {other} (world {w}) overlap by {depth * 1e3:.3g} mm; "
                f"move them apart: at most {OVERLAP_MAX * 1e3:g} mm is taken as rounding"
            )
