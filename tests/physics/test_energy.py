"""Energy and angular momentum against closed forms."""

import numpy as np
import pytest

from anastylosis.physics import Simulation
from anastylosis.physics.energy import angular_momentum
from support.worlds import BLOCK, MASS, WEIGHTLESS, G, box_structure, matrix, random_turns

INERTIA = MASS / 12 * (np.sum(np.square(BLOCK)) - np.square(BLOCK))


def moving_world() -> Simulation:
    rng = np.random.default_rng(0)
    structure = box_structure(
        BLOCK, [(0, 0, 1), (0, 0, 2), (0, 0, 3), (0, 0, 4)], random_turns(rng, 4), fixed=[False, False, True, False]
    )
    simulation = Simulation(structure)
    simulation.state.velocity[:] = rng.normal(size=(1, 4, 3))
    simulation.state.angular_velocity[:] = rng.normal(size=(1, 4, 3))
    simulation.remove("b3")
    return simulation


def test_kinetic_energy() -> None:
    # E = sum of m v^2 / 2 + omega_body . I omega_body / 2; fixed and removed blocks have none.
    simulation = moving_world()
    expected = 0.0
    for i in (0, 1):
        omega = matrix(simulation.state.orientation[0, i]).T @ simulation.state.angular_velocity[0, i]
        expected += 0.5 * MASS * (simulation.state.velocity[0, i] ** 2).sum() + 0.5 * (INERTIA * omega**2).sum()
    assert simulation.kinetic_energy() == pytest.approx([expected], rel=1e-13)


def test_energy_adds_weight_times_height() -> None:
    simulation = moving_world()
    # E_pot = m g z
    assert simulation.energy() - simulation.kinetic_energy() == pytest.approx([MASS * G * (1 + 2)], rel=1e-13)
    weightless = Simulation(simulation.structures, WEIGHTLESS)
    assert weightless.energy() == pytest.approx([0.0], abs=0)


def test_angular_momentum() -> None:
    # L = R I R^T omega
    simulation = moving_world()
    r = matrix(simulation.state.orientation[0, 1])
    expected = r @ np.diag(INERTIA) @ r.T @ simulation.state.angular_velocity[0, 1]
    found = angular_momentum(simulation.model, simulation.state)
    assert found[0, 1] == pytest.approx(expected, rel=1e-12, abs=1e-18)
    assert np.array_equal(found[0, 2:], np.zeros((2, 3)))


def test_frames_hold_the_energy_and_the_pull_of_every_step() -> None:
    simulation = moving_world()
    simulation.pull("b1", (1, 0, 0), speed=0.0, force_limit=0.01)
    frames = simulation.run(3 * simulation.config.timestep, record_every=1)
    assert frames.kinetic_energy.shape == (3, 1, 4)
    assert frames.kinetic_energy[-1].sum(axis=1) == pytest.approx(simulation.kinetic_energy(), rel=1e-13)
    assert (frames.kinetic_energy[:, 0, :2] > 0).all()
    assert not frames.kinetic_energy[:, 0, 2:].any()  # fixed; taken away
    assert np.abs(frames.servo_force[:, 0]) == pytest.approx(np.tile((0, 0.01, 0, 0), (3, 1)), rel=1e-12)
