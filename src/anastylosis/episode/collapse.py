"""Collapse: displacement, energy and angle, all beyond their thresholds at one instant. Paper §8.2, Eq. (18)."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidConfig
from anastylosis.number import is_number


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """The thresholds of the paper's three conditions."""

    displacement: float = 0.5  # of a block, in block lengths
    energy: float = 5e-5  # kinetic, of all blocks but the one in the hand [J]
    angle: float = math.radians(30)  # turn of a block [rad]

    def __post_init__(self) -> None:
        for name in ("displacement", "energy", "angle"):
            if not is_number(getattr(self, name)) or not 0 < getattr(self, name) < math.inf:
                raise InvalidConfig(f"collapse {name} is {getattr(self, name)!r}; it must be a finite number above 0")


class Motion(NamedTuple):
    """Motion of blocks from where they were, step by step."""

    displacement: Floats  # (T, B) [m]; 0 for blocks that are not watched
    angle: Floats  # (T, B) [rad]; 0 for blocks that are not watched
    energy: Floats  # (T,) of all blocks that are watched [J]


def measure_motion(
    position: Floats, orientation: Floats, energy: Floats, start: tuple[Floats, Floats], watched: NDArray[np.bool_]
) -> Motion:
    """Measure the motion of T poses (T, B, ...) with energies (T, B), from the poses `start`, for the `watched` blocks."""
    displacement = np.linalg.norm(position - start[0], axis=-1)
    cosine = np.abs(np.einsum("tbk,bk->tb", orientation, start[1]))
    angle = 2 * np.arccos(np.minimum(cosine, 1.0))
    return Motion(np.where(watched, displacement, 0.0), np.where(watched, angle, 0.0), np.where(watched, energy, 0.0).sum(axis=1))


def collapse_conditions(motion: Motion, criterion: Criterion, length: float) -> NDArray[np.bool_]:
    """Return (T, 3) which of displacement, energy, angle is beyond its threshold at each step. Paper Eq. (18)."""
    far = motion.displacement.max(axis=1) > criterion.displacement * length
    lively = motion.energy > criterion.energy
    tilted = motion.angle.max(axis=1) > criterion.angle
    return np.stack([far, lively, tilted], axis=1)
