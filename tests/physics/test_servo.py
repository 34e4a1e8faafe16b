"""Pulling a block with a limited force, against Newton and Coulomb."""

import numpy as np
import pytest

from anastylosis.physics import Simulation
from anastylosis.structure import jenga_tower
from support.worlds import BLOCK, MASS, WEIGHTLESS, G, box_structure

DIAGONAL = np.array([3.0, 4.0, 0.0])
UNIT = DIAGONAL / 5
MU = 0.3


def in_space() -> Simulation:
    return Simulation(box_structure(BLOCK, [(0, 0, 10)]), WEIGHTLESS)


def on_floor() -> Simulation:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, BLOCK[2] / 2)], friction=MU))
    simulation.run(0.1)
    return simulation


def test_a_strong_servo_gives_its_speed_at_once() -> None:
    simulation = in_space()
    simulation.pull("b0", DIAGONAL, speed=0.05, force_limit=1e3)
    simulation.run(simulation.config.timestep)
    assert simulation.state.velocity[0, 0] == pytest.approx(0.05 * UNIT, abs=1e-15)
    # mean force of the step = change of momentum / dt
    assert simulation.servo_force("b0") == pytest.approx(MASS * 0.05 / simulation.config.timestep, rel=1e-12)
    simulation.run(simulation.config.timestep)
    assert simulation.servo_force("b0") == pytest.approx(0, abs=1e-12)  # no force is needed to keep a speed


def test_a_gentle_servo_comes_to_its_speed_with_its_acceleration() -> None:
    # v = a t, F = m a; then v stays and no force is needed
    simulation = in_space()
    simulation.pull("b0", DIAGONAL, speed=0.05, force_limit=1e3, acceleration=2.0)
    simulation.run(0.0125)  # three steps, half of the way to the speed
    assert simulation.state.velocity[0, 0] == pytest.approx(2.0 * 0.0125 * UNIT, rel=1e-12)
    assert simulation.servo_force("b0") == pytest.approx(2.0 * MASS, rel=1e-12)
    simulation.run(0.025)
    assert simulation.state.velocity[0, 0] == pytest.approx(0.05 * UNIT, rel=1e-12)
    assert simulation.servo_force("b0") == pytest.approx(0, abs=1e-12)
    simulation.release("b0")  # a pull that begins anew begins from rest
    simulation.state.velocity[:] = 0
    simulation.run(0.0125)
    simulation.pull("b0", DIAGONAL, speed=0.05, force_limit=1e3, acceleration=2.0)
    simulation.run(0.0125)
    assert simulation.state.velocity[0, 0] == pytest.approx(2.0 * 0.0125 * UNIT, rel=1e-12)


def test_a_weak_servo_gives_its_force() -> None:
    # v = F t / m until the speed is reached
    simulation = in_space()
    simulation.pull("b0", DIAGONAL, speed=10.0, force_limit=0.01)
    simulation.run(0.25)
    assert simulation.state.velocity[0, 0] == pytest.approx(0.01 * 0.25 / MASS * UNIT, rel=1e-12)
    assert simulation.servo_force("b0") == pytest.approx(0.01, rel=1e-12)


def test_motion_across_the_axis_is_left_alone() -> None:
    simulation = in_space()
    across = np.array([-4.0, 3.0, 1.0])
    simulation.state.velocity[0, 0] = across
    simulation.pull("b0", DIAGONAL, speed=0.0, force_limit=1e3)
    simulation.run(0.1)
    assert simulation.state.velocity[0, 0] == pytest.approx(across, rel=1e-12)


def test_a_servo_brakes_with_the_same_limit() -> None:
    simulation = in_space()
    simulation.state.velocity[0, 0] = 1.0 * UNIT
    simulation.pull("b0", DIAGONAL, speed=0.0, force_limit=0.01)
    simulation.run(0.1)
    assert simulation.state.velocity[0, 0] == pytest.approx((1.0 - 0.01 * 0.1 / MASS) * UNIT, rel=1e-12)
    assert simulation.servo_force("b0") == pytest.approx(-0.01, rel=1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (1, 1, 0)])
def test_sliding_over_the_floor_takes_mu_m_g(axis) -> None:
    simulation = on_floor()
    simulation.pull("b0", axis, speed=0.01, force_limit=1.0)
    simulation.run(0.5)
    assert simulation.servo_force("b0") == pytest.approx(MU * MASS * G, rel=1e-4)
    moved = simulation.state.position[0, 0] @ (np.array(axis) / np.linalg.norm(axis))
    assert moved == pytest.approx(0.01 * 0.5, rel=0.01)


def test_a_pull_below_mu_m_g_moves_nothing() -> None:
    simulation = on_floor()
    before = simulation.state.position.copy()
    simulation.pull("b0", (1, 0, 0), speed=0.01, force_limit=0.9 * MU * MASS * G)
    simulation.run(1.0)
    assert simulation.servo_force("b0") == pytest.approx(0.9 * MU * MASS * G, rel=1e-9)  # it pulls with all it has
    assert np.abs(simulation.state.position - before).max() < 2e-5


def test_released_block_is_left_to_friction() -> None:
    simulation = on_floor()
    simulation.pull("b0", (1, 0, 0), speed=0.5, force_limit=1.0)
    simulation.run(0.2)
    simulation.release("b0")
    assert simulation.servo_force("b0") == 0.0  # at once, not only after the next step
    simulation.run(0.1)
    assert simulation.servo_force("b0") == 0.0
    # v = v_0 - mu g t
    assert simulation.state.velocity[0, 0, 0] == pytest.approx(0.5 - MU * G * 0.1, abs=1e-3)


def test_only_the_named_block_is_pulled() -> None:
    simulation = Simulation([jenga_tower(1)] * 2)
    simulation.pull("L00_1", (1, 0, 0), speed=0.1, force_limit=1.0, world=1)
    simulation.run(0.1)
    assert simulation.state.position[1, 1, 0] > 0.005
    still = simulation.state.position[:, :, 0].copy()
    still[1, 1] = 0
    assert np.abs(still).max() < 2e-5
    assert simulation.servo_force("L00_1", world=1) > 0
    assert simulation.servo_force("L00_1", world=0) == 0
