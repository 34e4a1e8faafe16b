"""Boxes and slopes for experiments: small structures put together by hand."""

import math
from collections.abc import Sequence

import numpy as np

from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_MASS, BLOCK_SIZE, Blocks, Floor, Structure
from anastylosis.validation.scene import GRAVITY

FRICTION = 0.4  # of experiments that do not vary it
Vector = Sequence[float]


def place_boxes(
    *centres: Vector,
    size: Vector | Sequence[Vector] = BLOCK_SIZE,
    mass: float | Sequence[float] = BLOCK_MASS,
    friction: float = FRICTION,
    restitution: float = 0.0,
    fixed: Sequence[bool] | None = None,
) -> Structure:
    """Place axis-aligned boxes `B0`, `B1`, ... at `centres` [m]; the floor has their surface, so a pair has it too."""
    count = len(centres)
    return Structure(
        blocks=Blocks(
            size=np.broadcast_to(size, (count, 3)),
            mass=np.broadcast_to(mass, (count,)),
            friction=np.full(count, friction),
            restitution=np.full(count, restitution),
            fixed=np.zeros(count, bool) if fixed is None else np.array(fixed),
        ),
        ids=tuple(f"B{i}" for i in range(count)),
        course=np.arange(count),
        position=np.array(centres, float),
        orientation=np.tile((1.0, 0.0, 0.0, 0.0), (count, 1)),
        floor=Floor(friction=friction, restitution=restitution),
    )


def tilted(angle: float) -> tuple[float, float, float]:
    """Return gravity on a floor that slopes down along x by `angle` [rad]."""
    return GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle)


def single_substeps() -> EngineConfig:
    """Return the default engine with a step for each substep: every substep can be seen."""
    return EngineConfig(timestep=EngineConfig().substep, substeps=1)


def turned_by(simulation: Simulation, world: int = 0) -> np.ndarray:
    """Return the angle (B,) of each block's turn since its structure stood [rad]."""
    q, p = simulation.state.orientation[world], simulation.structures[world].orientation
    # Vector part of conj(p) q: its length is sin(angle / 2), exact for small angles where the scalar part is not.
    vector = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:])
    return 2 * np.arcsin(np.clip(np.linalg.norm(vector, axis=1), 0, 1))
