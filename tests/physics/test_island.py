"""Sleep: quiet islands stop, and wake when something happens to them."""

import dataclasses

import numpy as np
import pytest

from anastylosis.physics import Simulation, default_config
from anastylosis.structure import Structure, jenga_tower
from support.worlds import BLOCK, box_structure

SLEEPY = dataclasses.replace(default_config(), sleep=True)
H = BLOCK[2]


def sleeping_tower(layers: int = 3) -> Simulation:
    simulation = Simulation(jenga_tower(layers), SLEEPY)
    simulation.run(SLEEPY.sleep_after + 0.2)
    assert simulation.asleep().all()
    return simulation


def two_stacks_and_a_stone(height: float) -> Structure:
    """Two columns of two blocks, half a metre apart, and a block above the first one."""
    position = [(0, 0, H / 2), (0, 0, 1.5 * H), (0.5, 0, H / 2), (0.5, 0, 1.5 * H), (0, 0, height)]
    return box_structure(BLOCK, position)


def test_a_sleeping_tower_is_constant_to_the_bit() -> None:
    simulation = sleeping_tower()
    before = simulation.state_hash()
    assert np.array_equal(simulation.state.velocity, np.zeros_like(simulation.state.velocity))
    simulation.run(1.0)
    assert simulation.state_hash() == before


def test_sleep_changes_nothing_before_it_comes() -> None:
    awake, sleepy = Simulation(jenga_tower(3)), Simulation(jenga_tower(3), SLEEPY)
    awake.run(SLEEPY.sleep_after - 0.05)
    sleepy.run(SLEEPY.sleep_after - 0.05)
    assert not sleepy.asleep().any()
    assert awake.state_hash() == sleepy.state_hash()


def test_without_sleep_nothing_sleeps() -> None:
    simulation = Simulation(jenga_tower(3))
    simulation.run(2.0)
    assert not simulation.asleep().any()


def test_a_falling_block_wakes_what_it_strikes_and_nothing_else() -> None:
    # From 2.5 m a block falls 0.7 s: long enough for both columns to sleep.
    simulation = Simulation(two_stacks_and_a_stone(2.5), SLEEPY)
    simulation.run(0.65)
    assert simulation.asleep()[0].tolist() == [True] * 4 + [False]
    asleep = simulation.state.position[0, 2:4].copy()
    simulation.run(0.1)  # 2.45 m take sqrt(2 * 2.45 / g) = 0.707 s
    assert not simulation.asleep()[0, [0, 1, 4]].any()
    assert simulation.asleep()[0, 2:4].all()
    assert np.array_equal(simulation.state.position[0, 2:4], asleep)
    assert simulation.state.velocity[0, 4, 2] > -0.7 * 9.81 * 0.5  # struck, not gone through
    simulation.run(3.0)
    assert simulation.asleep().all()  # and sleeps again, on the floor or on the stack
    assert simulation.state.position[0, 4, 2] < 4 * H


def test_a_struck_sleeper_takes_the_blow() -> None:
    # A block slides into a sleeping one of the same mass: momentum of the pair just after = before (friction: mu g t each).
    mu, speed = 0.05, 1.0
    position = [(0, 0, H / 2), (BLOCK[0] + 0.6, 0, H / 2)]
    simulation = Simulation(box_structure(BLOCK, position, friction=mu, restitution=0.5), SLEEPY)
    simulation.state.velocity[0, 0, 0] = speed
    while simulation.state.velocity[0, 1, 0] < 0.01 and simulation.time < 1.5:
        total, slept = simulation.state.velocity[0, 0, 0], simulation.asleep()[0, 1]
        simulation.run(SLEEPY.timestep)
    assert simulation.time < 1.5
    assert slept  # when it was struck
    after = simulation.state.velocity[0, :, 0].sum()
    assert after == pytest.approx(total, abs=3 * mu * 9.81 * SLEEPY.timestep)
    simulation.run(SLEEPY.timestep)
    assert not simulation.asleep()[0].any()


@pytest.mark.parametrize("name", ["L00_0", "L01_1"])
def test_taking_a_block_wakes(name: str) -> None:
    simulation = sleeping_tower()
    simulation.remove(name)
    simulation.run(SLEEPY.timestep)
    present = np.array([other != name for other in simulation.structures[0].ids])
    assert not simulation.asleep()[0, present].any()


def test_what_stood_on_a_taken_block_falls() -> None:
    simulation = Simulation(box_structure(BLOCK, [(0, 0, H / 2), (0, 0, 1.5 * H)]), SLEEPY)
    simulation.run(1.0)
    assert simulation.asleep().all()
    simulation.remove("b0")
    simulation.run(0.5)
    assert simulation.state.position[0, 1, 2] == pytest.approx(H / 2, abs=1e-4)  # on the floor


def test_a_hand_wakes() -> None:
    simulation = sleeping_tower()
    simulation.state.velocity[0, 8, 0] = 0.1
    simulation.run(SLEEPY.timestep)
    assert not simulation.asleep()[0].any()


def test_a_moved_block_wakes() -> None:
    # Lifted by hand, a sleeping block falls back.
    simulation = sleeping_tower()
    simulation.state.position[0, 8, 2] += 0.05
    simulation.run(0.3)
    assert simulation.state.position[0, 8, 2] == pytest.approx(2.5 * H, abs=1e-4)


@pytest.mark.parametrize("how", ["force", "servo"])
def test_a_push_wakes(how: str) -> None:
    simulation = sleeping_tower()
    if how == "force":
        simulation.apply_force("L02_1", (0.0, 0.5, 0.0))
    else:
        simulation.pull("L02_1", (0, 1, 0), speed=0.1, force_limit=0.5)
    simulation.run(0.1)
    assert not simulation.asleep()[0].any()
    moved = np.abs(simulation.state.position[0, 7] - simulation.structures[0].position[7])
    assert moved.max() > 1e-3


def test_a_pulled_block_does_not_fall_asleep() -> None:
    simulation = Simulation(jenga_tower(1), SLEEPY)
    simulation.pull("L00_1", (1, 0, 0), speed=0.001, force_limit=1.0)  # slower than the speed of sleep
    simulation.run(2.0)
    assert not simulation.asleep()[0, 1]
    assert simulation.state.position[0, 1, 0] == pytest.approx(0.002, rel=0.05)


def test_a_block_in_the_air_does_not_sleep() -> None:
    # Thrown up, it stands still for an instant at the top.
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 0.1)]), SLEEPY)
    simulation.state.velocity[0, 0, 2] = 5.0
    for _ in range(40):
        simulation.run(0.025)
        assert not simulation.asleep().any()
