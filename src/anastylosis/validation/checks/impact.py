"""Impacts: bounce of one block, a dropped stack, two blocks that hit each other."""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import BLOCK_MASS, BLOCK_SIZE, Structure, jenga_tower
from anastylosis.validation.check import Check, Experiment, bound, compare, fail, report
from anastylosis.validation.checks.place import place_boxes, single_substeps
from anastylosis.validation.energy_gain import EnergyGain
from anastylosis.validation.scene import GRAVITY

HEIGHT = BLOCK_SIZE[2]
HIT = ("hit_momentum", "hit_angular_momentum", "hit_energy_gain")
ROUNDING = 1e-9  # what sums of a few thousand float64 may lose


def measure_bounce(e: float, quick: bool) -> list[Check]:
    """Drop a block flat: it leaves the floor at e times its speed and climbs back to e^2 of its height."""
    drop = 0.2  # [m]
    simulation = Simulation(place_boxes((0.0, 0.0, HEIGHT / 2 + drop), restitution=e), single_substeps())
    h = simulation.config.substep
    simulation.run((2 * drop / GRAVITY) ** 0.5 - 10 * h)
    down = up = lowest = highest = 0.0
    while up == 0.0 and simulation.time < 1.0:
        lowest = simulation.state.position[0, 0, 2]
        simulation.run(h)
        speed = simulation.state.velocity[0, 0, 2]
        down, up = min(down, speed), max(up, speed)
    lowest = highest = min(lowest, simulation.state.position[0, 0, 2])
    while simulation.state.velocity[0, 0, 2] > 0.0:
        simulation.run(h)
        highest = max(highest, simulation.state.position[0, 0, 2])
    # The block turns back within one substep of the floor, |v| h = 1 mm above it at most: both heights count from there.
    climb = e * e * (drop - (lowest - HEIGHT / 2))
    # An error of 5 % in e is one of 10.25 % in e^2.
    return [
        compare(f"bounce_e_{e:g}", e, -up / down if down else math.nan, 0.05 * e, "1"),
        compare(f"bounce_height_e_{e:g}", climb, highest - lowest, 0.1025 * climb, "mm"),
    ]


def lifted(structure: Structure, height: float) -> Structure:
    """Return the blocks, all `height` [m] higher."""
    return replace(structure, position=structure.position + np.array([0.0, 0.0, height]))


def measure_dropped_stack(e: float, quick: bool) -> list[Check]:
    """Drop six layers by 20 mm: they lose the energy of the fall, M g h, and never have more than at the start.

    The energy does rise a little above its lowest value: blocks that sank into each other in the blow are pushed apart
    again, which lifts what lies on them. Reported as found.
    """
    drop, tower = 0.020, jenga_tower(6, restitution=e)
    simulation = Simulation(lifted(tower, drop), single_substeps())
    gain = EnergyGain(simulation)
    start = highest = simulation.energy()[0]
    for step in range(440 if quick else 680):
        simulation.run((1 if step < 200 else 8) * simulation.config.substep)  # every substep of the impact
        gain.look()
        highest = max(highest, simulation.energy()[0])
    given = tower.blocks.mass.sum() * GRAVITY * drop
    return [
        bound(f"dropped_stack_energy_gain_e_{e:g}", (highest - start) / start, 1e-6, "%"),
        report(f"dropped_stack_energy_rise_e_{e:g}", gain.share, "%", "above its lowest; from penetration pushed out"),
        # All of it, when the stack stands again as it stood: blocks that landed askew keep some.
        compare(f"dropped_stack_energy_lost_e_{e:g}", given, start - simulation.energy()[0], 0.01 * given, "mJ"),
    ]


def measure_hit(quick: bool) -> list[Check]:
    """Let a spinning block hit another off its centre, weightless: momentum, angular momentum, energy."""
    pair = place_boxes((0.0, 0.0, 1.0), (0.10, 0.015, 1.005), restitution=0.5)
    simulation = Simulation(pair, EngineConfig(gravity=(0.0, 0.0, 0.0)))
    simulation.state.velocity[0, 0] = 1.0, 0.0, 0.0
    simulation.state.angular_velocity[0, 0] = 0.0, 1.0, 3.0

    def momenta() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state = simulation.state
        linear = BLOCK_MASS * state.velocity[0]
        about = state.position[0] - (0.05, 0.0, 1.0)
        spin = simulation.angular_momentum()[0]
        return linear.sum(axis=0), (np.cross(about, linear) + spin).sum(axis=0), simulation.kinetic_energy()

    before = momenta()
    simulation.run(0.5)
    after = momenta()
    if np.linalg.norm(simulation.state.velocity[0, 1]) < 0.1:
        return [fail(name, "the blocks have missed each other") for name in HIT]
    linear, angular, energy = (np.linalg.norm(new - old) / np.linalg.norm(old) for old, new in zip(before, after, strict=True))
    # Equal and opposite impulses at one point keep both momenta, to rounding. But pushing penetration out, up to 0.1 mm here,
    # shifts arms of 20 mm: 0.5 %.
    return [
        bound(HIT[0], linear, ROUNDING, "%"),
        bound(HIT[1], angular, 0.005, "%"),
        bound(HIT[2], energy if after[2] > before[2] else 0.0, ROUNDING, "%"),
    ]


def measure_exchange(quick: bool) -> list[Check]:
    """Let equal blocks meet head on, e = 1: the first stops, the second leaves with its speed."""
    pair = place_boxes((0.0, 0.0, 1.0), (0.10, 0.0, 1.0), restitution=1.0)
    simulation = Simulation(pair, EngineConfig(gravity=(0.0, 0.0, 0.0)))
    simulation.state.velocity[0, 0, 0] = 1.0
    simulation.run(0.1)
    return [compare("hit_exchange", 1.0, simulation.state.velocity[0, 1, 0], 0.01, "m/s")]


EXPERIMENTS = (
    *(Experiment((f"bounce_e_{e:g}", f"bounce_height_e_{e:g}"), partial(measure_bounce, e)) for e in (0.1, 0.5, 0.8)),
    *(
        Experiment(
            tuple(f"dropped_stack_energy_{what}_e_{e:g}" for what in ("gain", "rise", "lost")), partial(measure_dropped_stack, e)
        )
        for e in (0.0, 0.1)
    ),
    Experiment(HIT, measure_hit),
    Experiment(("hit_exchange",), measure_exchange),
)
