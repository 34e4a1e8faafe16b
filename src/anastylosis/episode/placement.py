"""Placement of a block that is put on top: the rule of the real game."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.geometry import make_matrices
from anastylosis.structure import BLOCKS_PER_COURSE, Structure, space_places

DROP = 1e-4  # [m] the block is let go so far above its place


class TopSlot(NamedTuple):
    """A free slot on top of a tower, and the pose of a block in it."""

    course: int
    place: int
    position: NDArray[np.float64]  # (3,) [m]
    orientation: NDArray[np.float64]  # (4,) wxyz


def find_top_slot(standing: Structure, size: NDArray[np.float64]) -> TopSlot:
    """Find the next free place of the top course, or the first of a new one, for a block of `size` (3,) [m]."""
    top = int(standing.course.max())
    filled = set(standing.place[standing.course == top].tolist())
    free = [place for place in range(BLOCKS_PER_COURSE) if place not in filled]
    course, place = (top, free[0]) if free else (top + 1, 0)
    below = standing.select(standing.course == course - 1)
    # A course runs across the one below, and its places along the length of that one.
    across = make_matrices(below.orientation)[:, :, 0].sum(axis=0)
    across[2] = 0.0
    across /= np.sqrt((across**2).sum())  # not `norm`: BLAS gives other bits on other processors
    quarter = 1 if course % 2 else -1  # even courses lie along +x, odd ones along +y, as jenga_tower builds them
    yaw = np.arctan2(across[1], across[0]) + quarter * np.pi / 2
    position = below.position.mean(axis=0) + (place - 1) * space_places(size[0], size[1]) * across
    position[2] = below.corners()[:, :, 2].max() + size[2] / 2 + DROP
    return TopSlot(course, place, position, np.array((np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2))))
