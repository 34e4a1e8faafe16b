"""Settling: blocks of a heap that lose what they lie on while others are put back. They come down; none hangs in the air.

Boxes around the blocks, along the axes, stand for them: this is a picture of the work on a site, not physics.
"""

import numpy as np

from anastylosis.arrays import Flags, Floats
from anastylosis.geometry import find_corners, make_matrices

SLACK = 3e-3  # [m] by which boxes may reach into each other, and by which a block may be above what bears it


def find_boxes(size: Floats, position: Floats, orientation: Floats) -> tuple[Floats, Floats]:
    """Return the lowest and the highest corner (N, 3) of the box around each block."""
    corners = find_corners(position, size, make_matrices(orientation))
    return corners.min(axis=1), corners.max(axis=1)


def settle(size: Floats, position: Floats, orientation: Floats, present: Flags, loose: Flags) -> Floats:
    """Return positions (N, 3) in which loose blocks came down to what is below them, the lowest first."""
    low, high = find_boxes(size, position, orientation)
    position = position.copy()
    for row in np.flatnonzero(loose & present)[np.argsort(low[loose & present, 2], kind="stable")]:
        beside = (low[:, :2] < high[row, :2] - SLACK) & (high[:, :2] > low[row, :2] + SLACK)
        below = present & beside.all(axis=1) & (low[:, 2] < low[row, 2])
        below[row] = False
        rest = min(float(high[below, 2].max(initial=0.0)), float(low[row, 2]))  # what reaches higher is beside it, too
        drop = float(low[row, 2]) - rest
        if drop > SLACK:
            position[row, 2] -= drop
            low[row, 2] -= drop
            high[row, 2] -= drop
    return position


def find_pierced(size: Floats, position: Floats, orientation: Floats, others: Flags, row: int) -> Flags:
    """Find those of the other blocks, (N,), that are where the block `row` is put."""
    low, high = find_boxes(size, position, orientation)
    return others & ((low < high[row] - SLACK) & (high > low[row] + SLACK)).all(axis=1)
