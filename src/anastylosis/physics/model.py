"""The tuples the kernels work on: Model (constant), State (changing), Control (from outside), Bodies (working copy).

Public arrays carry a leading world axis W; kernels see the views of one world. B blocks, N = B + 1 bodies:
the last body is the floor, which never moves.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidStructure
from anastylosis.structure import Structure


class Model(NamedTuple):
    """Constants of a world: all that does not change while it runs."""

    half: Floats  # (W, N, 3) half sizes [m]
    radius: Floats  # (W, N) half diagonal [m]
    inverse_mass: Floats  # (W, N) [1/kg], 0: fixed
    inverse_inertia: Floats  # (W, N, 3) body frame [1/(kg m^2)]
    friction: Floats  # (W, N)
    restitution: Floats  # (W, N)


class State(NamedTuple):
    """State of a world at one instant."""

    position: Floats  # (W, B, 3) [m]
    orientation: Floats  # (W, B, 4) wxyz
    velocity: Floats  # (W, B, 3) [m/s]
    angular_velocity: Floats  # (W, B, 3) world frame [rad/s]
    present: NDArray[np.bool_]  # (W, B) False: taken away, not simulated


class Control(NamedTuple):
    """Actions from outside, constant over a call."""

    force: Floats  # (W, B, 3) at the centre of mass [N]
    torque: Floats  # (W, B, 3) [N m]
    servo_axis: Floats  # (W, B, 3) unit vector, world frame
    servo_speed: Floats  # (W, B) speed asked for along the axis [m/s]
    servo_acceleration: Floats  # (W, B) how fast it comes to that speed [m/s^2]; infinite: at once
    servo_limit: Floats  # (W, B) largest force [N]; 0: no servo
    servo_force: Floats  # (W, B) out: force used, mean of the last step [N]


class Bodies(NamedTuple):
    """The kernels' working copy of the blocks and the floor."""

    motion: Floats  # (W, N, 6) velocity, angular velocity
    push: Floats  # (W, N, 6) pseudo-motion that pushes penetration out
    moves: NDArray[np.bool_]  # (W, N) present, not fixed, awake
    rotation: Floats  # (W, N, 9) matrix of the pose last seen
    inverse_inertia: Floats  # (W, N, 6) world frame: xx, xy, xz, yy, yz, zz
    seen: Floats  # (W, N, 7) pose for which rotation and inertia were computed
    moved: NDArray[np.bool_]  # (W, N) seen changed in this substep
    travel: Floats  # (W, N) bound on the path of any point of the body so far [m]
    reach: Floats  # (W, N) travel up to which the pair list holds [m]
    speed: Floats  # (W, N) bound on the speed of any point of the body at the start of the substep [m/s]
    quiet: Floats  # (W, N) time spent slower than the sleeping speed [s]
    asleep: NDArray[np.bool_]  # (W, N)
    island: NDArray[np.int64]  # (W, N) union-find parent
    servo: NDArray[np.int64]  # (W, N) blocks under servo control
    servo_impulse: Floats  # (W, N) [N s]
    servo_speed: Floats  # (W, N) speed asked for now, on its way to the one in the control [m/s]
    was_present: NDArray[np.bool_]  # (W, N) at the last call
    order: NDArray[np.int64]  # (W, N) bodies sorted along the sweep axis
    bounds: Floats  # (W, N, 6) fat box: low x, y, z, high x, y, z [m]
    saved: Floats  # (W, N, 6) motion set aside while the seed is found
    scratch: Floats  # (W, 13) a matrix and a quaternion


def build_model(structures: Sequence[Structure]) -> Model:
    """Stack structures of equal block count into one model."""
    counts = {len(structure) for structure in structures}
    if len(counts) != 1:
        raise InvalidStructure(
            f"worlds of one batch need the same number of blocks, got {sorted(counts)}; run them as separate batches"
        )
    worlds, bodies = len(structures), counts.pop() + 1
    model = Model(
        half=np.zeros((worlds, bodies, 3)),
        radius=np.zeros((worlds, bodies)),
        inverse_mass=np.zeros((worlds, bodies)),
        inverse_inertia=np.zeros((worlds, bodies, 3)),
        friction=np.zeros((worlds, bodies)),
        restitution=np.zeros((worlds, bodies)),
    )
    for w, structure in enumerate(structures):
        blocks = structure.blocks
        model.half[w, :-1] = blocks.size / 2
        model.radius[w, :-1] = np.linalg.norm(blocks.size, axis=1) / 2
        model.inverse_mass[w, :-1] = np.where(blocks.fixed, 0.0, 1.0 / blocks.mass)
        model.inverse_inertia[w, :-1] = np.where(blocks.fixed[:, None], 0.0, 1.0 / blocks.inertia)
        model.friction[w] = np.append(blocks.friction, structure.floor.friction)
        model.restitution[w] = np.append(blocks.restitution, structure.floor.restitution)
    return model


def build_state(structures: Sequence[Structure]) -> State:
    """Build the state of structures at rest in their slots."""
    position = np.stack([structure.position for structure in structures])
    return State(
        position=position,
        orientation=np.stack([structure.orientation for structure in structures]),
        velocity=np.zeros_like(position),
        angular_velocity=np.zeros_like(position),
        present=np.ones(position.shape[:2], np.bool_),
    )


def build_control(worlds: int, blocks: int) -> Control:
    """Build a control in which nothing acts."""
    return Control(
        force=np.zeros((worlds, blocks, 3)),
        torque=np.zeros((worlds, blocks, 3)),
        servo_axis=np.zeros((worlds, blocks, 3)),
        servo_speed=np.zeros((worlds, blocks)),
        servo_acceleration=np.full((worlds, blocks), np.inf),
        servo_limit=np.zeros((worlds, blocks)),
        servo_force=np.zeros((worlds, blocks)),
    )


def build_bodies(worlds: int, bodies: int) -> Bodies:
    """Build an empty working copy."""
    return Bodies(
        motion=np.zeros((worlds, bodies, 6)),
        push=np.zeros((worlds, bodies, 6)),
        moves=np.zeros((worlds, bodies), np.bool_),
        rotation=np.zeros((worlds, bodies, 9)) + np.eye(3).ravel(),
        inverse_inertia=np.zeros((worlds, bodies, 6)),
        seen=np.zeros((worlds, bodies, 7)),
        moved=np.zeros((worlds, bodies), np.bool_),
        travel=np.zeros((worlds, bodies)),
        reach=np.full((worlds, bodies), -1.0),
        speed=np.zeros((worlds, bodies)),
        quiet=np.zeros((worlds, bodies)),
        asleep=np.zeros((worlds, bodies), np.bool_),
        island=np.zeros((worlds, bodies), np.int64),
        servo=np.zeros((worlds, bodies), np.int64),
        servo_impulse=np.zeros((worlds, bodies)),
        servo_speed=np.zeros((worlds, bodies)),
        was_present=np.zeros((worlds, bodies), np.bool_),
        order=np.tile(np.arange(bodies), (worlds, 1)),
        bounds=np.zeros((worlds, bodies, 6)),
        saved=np.zeros((worlds, bodies, 6)),
        scratch=np.zeros((worlds, 13)),
    )


def world_view(batch, w):
    """Return the tuple for world `w` alone: views, no copies."""
    return type(batch)(*(array[w] for array in batch))
