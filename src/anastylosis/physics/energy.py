"""Energy and momentum of worlds, in NumPy: measured between calls, never inside the step."""

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.physics.model import Model, State


def masses(model: Model, state: State) -> Floats:
    """Return masses (W, B) [kg]; 0 for blocks that are fixed or taken away."""
    inverse = model.inverse_mass[:, :-1]
    moving = (inverse > 0) & state.present
    return np.where(moving, 1.0 / np.where(moving, inverse, 1.0), 0.0)


def rotations(orientation: Floats) -> Floats:
    """Return the rotation matrices (W, B, 3, 3) of the quaternions. Paper Eq. (1)."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def angular_momentum(model: Model, state: State) -> Floats:
    """Return momenta (W, B, 3) [kg m^2/s] about each block's centre, world frame; 0 for blocks fixed or taken away."""
    turn = rotations(state.orientation)
    body = np.einsum("wbji,wbj->wbi", turn, state.angular_velocity)
    inverse = model.inverse_inertia[:, :-1]
    moving = (inverse > 0) & state.present[..., None]
    return np.einsum("wbij,wbj->wbi", turn, np.where(moving, body / np.where(moving, inverse, 1.0), 0.0))


def kinetic_energy(model: Model, state: State) -> Floats:
    """Return the sums (W,) of m v^2 / 2 + omega . I omega / 2 [J]. Paper §8.3."""
    linear = masses(model, state) * (state.velocity**2).sum(axis=-1)
    angular = (state.angular_velocity * angular_momentum(model, state)).sum(axis=-1)
    return 0.5 * (linear + angular).sum(axis=1)


def potential_energy(model: Model, state: State, gravity: tuple[float, float, float]) -> Floats:
    """Return minus the sums (W,) of m g . x [J]."""
    return -(masses(model, state)[..., None] * state.position * np.asarray(gravity)).sum(axis=(1, 2))
