"""Sync of the public state and the kernels' working copy, once a call."""

import math

from anastylosis.kernel import kernel
from anastylosis.physics.contacts import REPACK
from anastylosis.physics.island import wake_all
from anastylosis.physics.rotation import rotation_matrix, unrotate
from anastylosis.physics.rows import store_rows

MOVED = 1e-6  # [m], or part of a quaternion: further than this from where it fell asleep, a block was moved by hand


@kernel
def begin_call(model, state, control, bodies, contacts):
    """Take velocities and presence from the state; after changes by hand, wake all blocks and collide all pairs."""
    edited = False
    for i in range(bodies.motion.shape[0] - 1):
        if bodies.was_present[i] != state.present[i]:
            edited = True
            bodies.was_present[i] = state.present[i]
        if bodies.asleep[i]:
            edited = edited or control.servo_limit[i] > 0.0
            for k in range(3):
                edited = edited or abs(state.position[i, k] - bodies.seen[i, k]) > MOVED
                edited = edited or control.force[i, k] != 0.0 or control.torque[i, k] != 0.0
            for k in range(4):
                edited = edited or abs(state.orientation[i, k] - bodies.seen[i, 3 + k]) > MOVED
        for k in range(3):
            edited = edited or bodies.motion[i, k] != state.velocity[i, k]
            edited = edited or bodies.motion[i, 3 + k] != state.angular_velocity[i, k]
            bodies.motion[i, k] = state.velocity[i, k] if state.present[i] else 0.0
            bodies.motion[i, 3 + k] = state.angular_velocity[i, k] if state.present[i] else 0.0
    if edited:
        wake_all(bodies)
        for i in range(bodies.motion.shape[0]):
            bodies.reach[i] = -1.0
        contacts.number[REPACK] = 1
    for i in range(bodies.motion.shape[0] - 1):
        bodies.moves[i] = state.present[i] and model.inverse_mass[i] > 0.0 and not bodies.asleep[i]


@kernel
def end_call(state, bodies, contacts, rows):
    """Give velocities back to the state and impulses to the manifolds."""
    store_rows(contacts, rows)
    for i in range(bodies.motion.shape[0] - 1):
        for k in range(3):
            state.velocity[i, k] = bodies.motion[i, k]
            state.angular_velocity[i, k] = bodies.motion[i, 3 + k]


@kernel
def first_bad_block(state, bodies):
    """Return the first block with a non-finite pose or motion, -1 if there is none."""
    for i in range(bodies.motion.shape[0] - 1):
        total = 0.0
        for k in range(3):
            total += state.position[i, k] + bodies.motion[i, k] + bodies.motion[i, 3 + k]
        for k in range(4):
            total += state.orientation[i, k]
        if not math.isfinite(total):
            return i
    return -1


@kernel
def record_frame(model, state, control, bodies, frames, row):
    """Copy poses and servo forces into one row of the frames, and work out the kinetic energies."""
    for i in range(state.position.shape[0]):
        for k in range(3):
            frames.position[row, i, k] = state.position[i, k]
        for k in range(4):
            frames.orientation[row, i, k] = state.orientation[i, k]
        frames.servo_force[row, i] = control.servo_force[i]
        frames.kinetic_energy[row, i] = kinetic_energy_of(model, state, bodies, i) if bodies.moves[i] else 0.0


@kernel
def kinetic_energy_of(model, state, bodies, i):
    """Return m v^2 / 2 + omega . I omega / 2 of one moving block [J]. Paper §8.3."""
    rotation_matrix(state.orientation[i], bodies.scratch)
    v = bodies.motion[i]
    x, y, z = unrotate(bodies.scratch, v[3], v[4], v[5])
    inverse = model.inverse_inertia[i]
    turning = x * x / inverse[0] + y * y / inverse[1] + z * z / inverse[2]
    return 0.5 * ((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / model.inverse_mass[i] + turning)
