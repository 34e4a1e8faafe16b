"""Variation: how the blocks of one episode differ from the ideal ones, drawn from its seed."""

import math
from dataclasses import dataclass, replace

import numpy as np

from anastylosis.arrays import Vector
from anastylosis.errors import InvalidConfig
from anastylosis.geometry import multiply_quaternions, turn_about
from anastylosis.number import is_number
from anastylosis.structure import BLOCK_RESTITUTION, BLOCK_SIZE, BLOCKS_PER_COURSE, Floor, Structure, jenga_tower

GAP = (BLOCK_SIZE[0] - BLOCKS_PER_COURSE * BLOCK_SIZE[1]) / 2  # [m] between neighbours of a course; blocks must not meet there
TURN_OF_JITTER = 5.0  # [rad/m] a block put down 0.2 mm off is turned by about 1 mrad


@dataclass(frozen=True, kw_only=True)
class Variation:
    """Random variation, drawn for each episode or block. All off: the paper's ideal blocks."""

    restitution: tuple[float, float] = (BLOCK_RESTITUTION, BLOCK_RESTITUTION)  # range, one value an episode
    friction: float = 0.0  # half range of each block's friction, as a share
    mass: float = 0.0  # half range of each block's mass, as a share
    tolerance: float = 0.0  # standard deviation of each block's width and height [m]
    jitter: float = 0.0  # standard deviation of each block's place along x and y [m], cut at two deviations

    def __post_init__(self) -> None:
        if not is_range(self.restitution):
            raise InvalidConfig(f"restitution is {self.restitution!r}; give a range (low, high) within 0..1")
        for name in ("friction", "mass"):
            if not is_number(getattr(self, name)) or not 0 <= getattr(self, name) < 1:
                raise InvalidConfig(f"variation of {name} is {getattr(self, name)!r}; it is a share, 0 or more and below 1")
        for name in ("tolerance", "jitter"):
            if not is_number(getattr(self, name)) or not 0 <= getattr(self, name) < math.inf:
                raise InvalidConfig(f"{name} is {getattr(self, name)!r} m; it must be a finite number, 0 or above")
        # Two neighbours at two deviations each: wider, nearer, and turned towards each other.
        if 2 * self.tolerance + 4 * self.jitter * (1 + TURN_OF_JITTER * BLOCK_SIZE[0] / 2) >= GAP:
            raise InvalidConfig(
                f"tolerance is {self.tolerance} m and jitter {self.jitter} m; neighbours, {GAP:g} m apart, could meet: "
                "keep 2 tolerance + 4.81 jitter below that"
            )


def is_range(value: object) -> bool:
    """Return True for two numbers of 0..1, the smaller first."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(map(is_number, value)):
        return False
    low, high = value
    return bool(0 <= low <= high <= 1)


def learning_variation() -> Variation:
    """Return the mix to learn from: a model that has seen one exact simulator only fails on any other."""
    return Variation(restitution=(0.05, 0.30), friction=0.15, mass=0.05, tolerance=1e-4, jitter=2e-4)


def vary_tower(
    layers: int, friction: float, variation: Variation, rng: np.random.Generator, size: Vector = BLOCK_SIZE
) -> Structure:
    """Build a standing tower of blocks that differ as `variation` says. Every draw is made, also when it has no effect,
    so that one setting never changes what another one draws."""
    low, high = variation.restitution
    restitution = low + (high - low) * rng.random()
    sizes = np.random.default_rng(rng.integers(2**63))
    floor = Floor(friction=friction, restitution=restitution)
    tower = jenga_tower(
        layers, size=size, friction=friction, restitution=restitution, floor=floor, tolerance=variation.tolerance, rng=sizes
    )  # fmt: skip
    count = len(tower)
    rough, heavy = rng.uniform(-1, 1, (2, count))
    shift = variation.jitter * np.clip(rng.standard_normal((count, 3)), -2, 2)
    blocks = replace(
        tower.blocks,
        friction=tower.blocks.friction * (1 + variation.friction * rough),
        mass=tower.blocks.mass * (1 + variation.mass * heavy),
    )
    position = tower.position + shift * (1, 1, 0)
    return replace(
        tower,
        blocks=blocks,
        position=position,
        orientation=multiply_quaternions(turn_about(2, TURN_OF_JITTER * shift[:, 2]), tower.orientation),
    )
