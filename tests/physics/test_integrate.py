"""Free motion against closed forms. Far from everything, so that no contact acts."""

import dataclasses

import numpy as np
import pytest

from anastylosis.physics import EngineConfig, Simulation, default_config
from anastylosis.physics.energy import angular_momentum
from support.worlds import BLOCK, MASS, WEIGHTLESS, G, box_structure, matrix, random_turns, turn

INERTIA = MASS / 12 * (np.sum(np.square(BLOCK)) - np.square(BLOCK))  # of a box [kg m^2]
FINE = 8  # substeps a step of the spin tests


def one_block(config: EngineConfig, orientation=(1.0, 0.0, 0.0, 0.0), height: float = 100.0) -> Simulation:
    return Simulation(box_structure(BLOCK, [(0.0, 0.0, height)], [orientation]), config)


def spinning(omega, *, substeps: int = FINE) -> Simulation:
    """A weightless block, turned anyhow, spinning with the world-frame `omega`."""
    simulation = one_block(dataclasses.replace(WEIGHTLESS, substeps=substeps), random_turns(np.random.default_rng(2), 1)[0])
    simulation.state.angular_velocity[0, 0] = omega
    return simulation


@pytest.mark.parametrize("seconds", [1 / 240, 0.5, 2.0])
def test_free_fall(seconds: float) -> None:
    # Semi-implicit Euler, n substeps of h: v_n = v_0 - g h n, z_n = z_0 + v_0 h n - g h^2 n (n + 1) / 2, exactly.
    config = default_config()
    simulation = one_block(config)
    simulation.state.velocity[0, 0] = 1.0, -2.0, 3.0
    simulation.run(seconds)
    h, n = config.substep, round(seconds / config.timestep) * config.substeps
    assert simulation.state.velocity[0, 0] == pytest.approx([1.0, -2.0, 3.0 - G * h * n], abs=n * 1e-15)
    fall = 3.0 * h * n - G * h**2 * n * (n + 1) / 2
    # Each of n sums rounds a number below 128 by at most 2^-47 m.
    assert simulation.state.position[0, 0] == pytest.approx([h * n, -2.0 * h * n, 100.0 + fall], abs=n * 2.0**-47)
    assert np.array_equal(simulation.state.orientation[0, 0], (1, 0, 0, 0))
    assert simulation.time == pytest.approx(h * n, rel=1e-14)


def test_nothing_damps_a_free_block() -> None:
    simulation = one_block(WEIGHTLESS)
    simulation.state.velocity[0, 0] = 0.3, -0.1, 0.2
    simulation.state.angular_velocity[0, 0] = 0.0, 0.0, 11.0  # about a principal axis: stays as it is
    simulation.run(2.0)
    assert np.array_equal(simulation.state.velocity[0, 0], (0.3, -0.1, 0.2))
    assert simulation.state.angular_velocity[0, 0] == pytest.approx([0, 0, 11.0], abs=1e-11)


def test_spin_about_a_principal_axis_turns_by_omega_t() -> None:
    simulation = one_block(WEIGHTLESS)
    simulation.state.angular_velocity[0, 0] = 0.0, 0.0, 10.0
    simulation.run(1.0)
    # The angle of a substep is at most (omega h)^3 / 12 off (test_rotation): after n of them n (omega h)^3 / 12.
    n, h = 240 * WEIGHTLESS.substeps, WEIGHTLESS.substep
    w, _, _, z = simulation.state.orientation[0, 0]
    turned = 2 * np.arctan2(z, w)
    assert np.angle(np.exp(1j * (turned - 10.0))) == pytest.approx(0, abs=n * (10 * h) ** 3 / 12 + 1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_free_rotation_keeps_angular_momentum(axis: int) -> None:
    # dL/dt = 0, also about the unstable middle axis (1), where the block tumbles.
    simulation = spinning(matrix(random_turns(np.random.default_rng(2), 1)[0])[:, axis] * 15 + 0.1)
    before = angular_momentum(simulation.model, simulation.state)[0, 0].copy()
    start = simulation.state.angular_velocity[0, 0].copy()
    simulation.run(2.0)
    after = angular_momentum(simulation.model, simulation.state)[0, 0]
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), rel=1e-12)
    assert after == pytest.approx(before, abs=1e-12 * np.linalg.norm(before))
    if axis == 1:  # it did tumble: without the gyroscopic term omega would not have changed
        assert np.linalg.norm(simulation.state.angular_velocity[0, 0] - start) > 1.0


def test_free_rotation_keeps_energy_to_second_order() -> None:
    # A midpoint rule: the error in energy is O((omega h)^2), (15 * 1/1920)^2 = 6e-5, and falls fourfold with h / 2.
    omega = np.array([8.0, 11.0, -5.0])
    drift = []
    for substeps in (FINE, 2 * FINE):
        simulation = spinning(omega, substeps=substeps)
        energy, worst = simulation.kinetic_energy()[0], 0.0
        for _ in range(20):
            simulation.run(0.05)
            worst = max(worst, abs(simulation.kinetic_energy()[0] / energy - 1))
        drift.append(worst)
    assert drift[0] < 6e-5
    assert drift[1] < drift[0] / 3.5


def euler_equations(omega, seconds: float, steps: int):
    """Body-frame omega after `seconds` from I omega' = (I omega) x omega, by Runge-Kutta 4."""

    def rate(w):
        return np.cross(INERTIA * w, w) / INERTIA

    dt = seconds / steps
    for _ in range(steps):
        a = rate(omega)
        b = rate(omega + dt / 2 * a)
        c = rate(omega + dt / 2 * b)
        omega = omega + dt / 6 * (a + 2 * b + 2 * c + rate(omega + dt * c))
    return omega


def test_tumbling_follows_eulers_equations() -> None:
    start = random_turns(np.random.default_rng(2), 1)[0]
    omega = np.array([0.3, 12.0, -0.2])  # body frame, near the middle axis
    expected = euler_equations(omega, 1.0, 2000)
    errors = []
    for substeps in (FINE, 2 * FINE):
        simulation = spinning(matrix(start) @ omega, substeps=substeps)
        simulation.run(1.0)
        body = matrix(simulation.state.orientation[0, 0]).T @ simulation.state.angular_velocity[0, 0]
        errors.append(np.linalg.norm(body - expected))
    assert errors[0] < 0.01 * np.linalg.norm(omega)
    assert errors[1] < errors[0] / 3.5  # second order


def test_outside_force() -> None:
    # v = F t / m; x = F / m h^2 n (n + 1) / 2
    force = np.array([0.01, -0.02, 0.03])
    simulation = one_block(WEIGHTLESS)
    simulation.apply_force("b0", force)
    simulation.run(0.25)
    h, n = WEIGHTLESS.substep, 60 * WEIGHTLESS.substeps
    assert simulation.state.velocity[0, 0] == pytest.approx(force / MASS * h * n, rel=1e-12)
    assert simulation.state.position[0, 0] - (0, 0, 100) == pytest.approx(force / MASS * h**2 * n * (n + 1) / 2, abs=1e-11)
    simulation.apply_force("b0", (0, 0, 0))
    before = simulation.state.velocity.copy()
    simulation.run(0.25)
    assert np.array_equal(simulation.state.velocity, before)  # a force of zero is none


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_outside_torque(axis: int) -> None:
    # About a principal axis omega = tau t / I, in whatever direction that axis lies.
    orientation = random_turns(np.random.default_rng(6), 1)[0]
    direction = matrix(orientation)[:, axis]
    simulation = one_block(WEIGHTLESS, orientation)
    simulation.apply_force("b0", (0, 0, 0), 2e-6 * direction)
    simulation.run(0.25)
    # The block keeps turning about the axis; poses are looked at anew every 0.5 um, 1e-5 of the block.
    assert simulation.state.angular_velocity[0, 0] == pytest.approx(2e-6 * 0.25 / INERTIA[axis] * direction, rel=1e-9, abs=1e-12)
    assert np.array_equal(simulation.state.velocity[0, 0], (0, 0, 0))


def test_fixed_block_does_not_move() -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1), (0, 0, 3)], [turn((1, 1, 0), 0.5)] * 2, fixed=[True, False]))
    before = simulation.state.position[0, 0].copy()
    simulation.apply_force("b0", (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    simulation.run(0.1)
    assert np.array_equal(simulation.state.position[0, 0], before)
    assert np.array_equal(simulation.state.orientation[0, 0], simulation.structures[0].orientation[0])
    assert simulation.state.position[0, 1, 2] < 3
