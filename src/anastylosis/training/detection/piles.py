"""Piles: blocks dropped on the floor in no order, which lie in ways that a fall seldom leaves."""

import math

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.detection.detections import BoxProposals
from anastylosis.geometry import make_matrices
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_MASS, BLOCK_RESTITUTION, BLOCK_SIZE, Blocks, Structure

FEWEST, MOST = 2, 54  # blocks
WIDE, LEVELS = 3, 8  # blocks side by side in the air, at most; one over the other
APART = 0.090  # [m] centres of blocks in the air: more than the diagonal of a block, so that none reaches into another
SPEED = 0.3  # [m/s] sideways
FRICTION = 0.3, 0.9
SECONDS = 2.0  # after which they lie still
ENGINE = EngineConfig(substeps=4, seed_passes=0)  # nothing rests on anything when it begins


def drop_pile(rng: np.random.Generator, size: Vector = BLOCK_SIZE) -> BoxProposals:
    """Drop blocks of one size turned in any way, and return the poses in which they come to rest."""
    count = int(rng.integers(FEWEST, MOST + 1))
    turned = rng.normal(size=(count, 4))
    structure = Structure(
        blocks=Blocks(
            size=np.tile(size, (count, 1)), mass=np.full(count, BLOCK_MASS * np.prod(size) / np.prod(BLOCK_SIZE)),
            friction=np.full(count, rng.uniform(*FRICTION)), restitution=np.full(count, BLOCK_RESTITUTION),
        ),
        ids=tuple(f"b{row}" for row in range(count)), course=np.zeros(count, np.int64),
        position=lay_out(count, int(rng.integers(math.ceil(math.sqrt(count / LEVELS)), WIDE + 1))),
        orientation=turned / np.linalg.norm(turned, axis=1, keepdims=True),
    )  # fmt: skip
    simulation = Simulation(structure, ENGINE, threads=1)
    simulation.state.velocity[0, :, :2] = rng.uniform(-SPEED, SPEED, (count, 2))
    simulation.run(SECONDS)
    state = simulation.state
    return BoxProposals(structure.blocks.size, state.position[0].copy(), make_matrices(state.orientation[0]))


def lay_out(count: int, wide: int) -> NDArray[np.float64]:
    """Return (count, 3) [m] places in the air, in squares of `wide` by `wide`, one over the other."""
    level, rest = np.divmod(np.arange(count), wide**2)
    return APART * np.column_stack([rest % wide - (wide - 1) / 2, rest // wide - (wide - 1) / 2, level + 1.0])
