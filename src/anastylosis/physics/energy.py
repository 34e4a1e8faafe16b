"""Energy and momentum of worlds, in numpy: looked at between calls, never inside the step."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.physics.model import Model, State

__all__ = ["angular_momentum", "kinetic_energy", "potential_energy"]

Floats = NDArray[np.float64]


def masses(model: Model, state: State) -> Floats:
    """(W, B) [kg]; 0 for blocks that are fixed or taken away."""
    inverse = model.inverse_mass[:, :-1]
    moving = (inverse > 0) & state.present
    return np.where(moving, 1.0 / np.where(moving, inverse, 1.0), 0.0)


def spin(model: Model, state: State) -> tuple[Floats, Floats]:
    """Angular velocity and angular momentum of each block about its centre, body frame, (W, B, 3)."""
    w, x, y, z = np.moveaxis(state.orientation, -1, 0)
    rows = np.stack(
        [
            1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
        ],
        axis=-1,
    ).reshape(*w.shape, 3, 3)  # fmt: skip
    body = np.einsum("wbji,wbj->wbi", rows, state.angular_velocity)
    inverse = model.inverse_inertia[:, :-1]
    moving = (inverse > 0) & state.present[..., None]
    momentum = np.where(moving, body / np.where(moving, inverse, 1.0), 0.0)
    return np.where(moving, body, 0.0), np.einsum("wbij,wbj->wbi", rows, momentum), momentum  # type: ignore[return-value]


def kinetic_energy(model: Model, state: State) -> Floats:
    """(W,) sum of m v^2 / 2 + omega . I omega / 2 [J]. Paper §8.3."""
    linear = 0.5 * masses(model, state) * (state.velocity**2).sum(axis=-1)
    body, _, momentum = spin(model, state)
    return linear.sum(axis=1) + 0.5 * (body * momentum).sum(axis=(1, 2))


def potential_energy(model: Model, state: State, gravity: tuple[float, float, float]) -> Floats:
    """(W,) -sum of m g . x [J]."""
    return -(masses(model, state)[..., None] * state.position * np.asarray(gravity)).sum(axis=(1, 2))


def angular_momentum(model: Model, state: State) -> Floats:
    """(W, B, 3) of each block about its own centre, world frame [kg m^2/s]."""
    return spin(model, state)[1]
