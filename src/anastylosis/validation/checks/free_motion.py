"""Free motion: no contact, so the integrator alone is on trial."""

import math

import numpy as np

from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_SIZE
from anastylosis.validation.check import Check, Experiment, bound, compare
from anastylosis.validation.checks.place import place_boxes
from anastylosis.validation.scene import GRAVITY

WEIGHTLESS = EngineConfig(gravity=(0.0, 0.0, 0.0))
ROUNDING = 1e-9  # what sums of a few thousand float64 may lose


def measure_fall(quick: bool) -> list[Check]:
    """Throw a block sideways: it falls g t^2 / 2 and flies v t."""
    seconds, speed = 0.5, 3.0
    simulation = Simulation(place_boxes((0.0, 0.0, 2.0)))
    simulation.state.velocity[0, 0, 0] = speed
    simulation.run(seconds)
    moved = simulation.state.position[0, 0] - simulation.structures[0].position[0]
    # Semi-implicit Euler in n steps of h falls g h^2 n (n + 1) / 2: farther than g t^2 / 2 by exactly g t h / 2.
    late = GRAVITY * seconds * simulation.config.substep / 2
    fallen = GRAVITY * seconds**2 / 2
    return [
        compare("free_fall", fallen, -moved[2], late * (1 + ROUNDING), "mm"),
        compare("free_flight", speed * seconds, moved[0], speed * seconds * ROUNDING, "mm"),
    ]


def measure_tumbling(quick: bool) -> list[Check]:
    """Spin a block about its middle axis: it tumbles, and keeps |L| and energy."""
    seconds = 2.0 if quick else 10.0
    spin = np.array([0.1, 10.0, 0.1])  # [rad/s] the middle axis is the unstable one: Dzhanibekov's tumbling
    simulation = Simulation(place_boxes((0.0, 0.0, 1.0)), WEIGHTLESS)
    simulation.state.angular_velocity[0, 0] = spin
    momentum, energy = simulation.angular_momentum()[0, 0], simulation.kinetic_energy()[0]
    lost_momentum = lost_energy = 0.0
    for _ in range(round(seconds / 0.05)):
        simulation.run(0.05)
        now = simulation.angular_momentum()[0, 0]
        lost_momentum = max(lost_momentum, float(np.linalg.norm(now - momentum) / np.linalg.norm(momentum)))
        lost_energy = max(lost_energy, abs(float(simulation.kinetic_energy()[0] / energy) - 1))
    # L is kept by construction, to rounding. The turn is of second order: energy is kept to (omega h)^2.
    second_order = (spin[1] * simulation.config.substep) ** 2
    return [
        bound("tumbling_angular_momentum", lost_momentum, ROUNDING, "%"),
        bound("tumbling_energy", lost_energy, second_order, "%"),
    ]


def measure_precession(quick: bool) -> list[Check]:
    """Spin a square plate: its axis goes round L at |L| / I_across. Goldstein, Classical Mechanics, §5.6."""
    seconds = 1.0
    length, _, height = BLOCK_SIZE
    plate = place_boxes((0.0, 0.0, 1.0), size=(length, length, height))
    spin = np.array([5.0, 0.0, 20.0])  # [rad/s] body axes are world axes at the start
    across, _, along = plate.blocks.inertia[0]
    momentum = np.array([across, across, along]) * spin
    rate = np.linalg.norm(momentum) / across
    simulation = Simulation(plate, WEIGHTLESS)
    simulation.state.angular_velocity[0, 0] = spin
    simulation.run(seconds)
    w, x, y, z = simulation.state.orientation[0, 0]
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    # The angle gone round, in a frame (e, n x e, n) with n along L and the axis at the start in the plane of e and n.
    n = momentum / np.linalg.norm(momentum)
    e = np.array([0.0, 0.0, 1.0]) - n[2] * n
    e /= np.linalg.norm(e)
    seen = math.atan2(axis @ np.cross(n, e), axis @ e)
    expected = rate * seconds
    measured = expected + math.remainder(seen - expected, 2 * math.pi)
    tolerance = expected * (rate * simulation.config.substep) ** 2  # second order in the turn of a substep
    return [compare("free_precession", expected, measured, tolerance, "deg")]


EXPERIMENTS = (
    Experiment(("free_fall", "free_flight"), measure_fall),
    Experiment(("tumbling_angular_momentum", "tumbling_energy"), measure_tumbling),
    Experiment(("free_precession",), measure_precession),
)
