"""Frames: recorded motion of all worlds."""

from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats


class Frames(NamedTuple):
    """Recorded motion of all worlds."""

    position: Floats  # (T, W, B, 3) [m]
    orientation: Floats  # (T, W, B, 4) wxyz
    servo_force: Floats  # (T, W, B) mean of the step [N]
    kinetic_energy: Floats  # (T, W, B) [J]


def build_frames(worlds: int, count: int, blocks: int) -> Frames:
    """Build room for `count` frames of every world, with the world axis first, as kernels want them."""
    shapes = ((worlds, count, blocks, 3), (worlds, count, blocks, 4), (worlds, count, blocks), (worlds, count, blocks))
    return Frames(*map(np.empty, shapes))
