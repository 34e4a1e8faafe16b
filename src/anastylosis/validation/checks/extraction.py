"""Foundations of the episodes, in a standing tower: force against depth, energy and momentum of a pull; and no pull at all."""

import numpy as np

from anastylosis.episode import EpisodeConfig, Game
from anastylosis.physics import Simulation
from anastylosis.structure import BLOCK_MASS, BLOCKS_PER_COURSE, jenga_tower
from anastylosis.validation.check import Check, Experiment, bound, compare, report
from anastylosis.validation.checks.place import FRICTION, single_substeps
from anastylosis.validation.scene import GRAVITY

LAYERS = 18
UNIT = FRICTION * BLOCK_MASS * GRAVITY  # mu m g [N]
SPEED = 0.01  # [m/s]
ONSET = 0.3  # [s] a block slides by then; it has come 3 mm, and the layers still share the load as they did
PULLED = ("L09_0", (0.0, 1.0, 0.0))


def measure_force_against_depth(quick: bool) -> list[Check]:
    """Measure the mean force of a layer's three blocks at the onset of sliding, in mu m g, under n layers: 2 n + 1.

    How the blocks of a layer share the load is indeterminate, so single blocks scatter; their mean does not depend on
    it. The worlds are independent: one a block.
    """
    courses = range(1, LAYERS - 1, 4 if quick else 1)
    tower = jenga_tower(LAYERS, friction=FRICTION)
    blocks = [f"L{course:02d}_{place}" for course in courses for place in range(BLOCKS_PER_COURSE)]
    simulation = Simulation([tower] * len(blocks))
    for world, block in enumerate(blocks):
        axis = (1.0, 0.0, 0.0) if tower.course[tower.index(block)] % 2 == 0 else (0.0, 1.0, 0.0)
        simulation.pull(block, axis, SPEED, 20.0, world, acceleration=0.1)
    simulation.run(ONSET)
    force = np.array([simulation.servo_force(block, world) for world, block in enumerate(blocks)]).reshape(-1, 3) / UNIT
    above = LAYERS - 1 - np.array(courses)
    slope, intercept = np.polyfit(above, force.mean(axis=1), 1)
    scatter = (force / (2 * above[:, None] + 1) - 1).std()
    return [
        compare("pull_force_per_layer", 2.0, slope, 0.1, "mu m g", "slope of the force over the layers above"),
        report("pull_force_at_the_top", intercept, "mu m g", "its value at n = 0, where 2 n + 1 is 1"),
        report("pull_force_scatter", scatter, "%", "of single blocks about 2 n + 1: load sharing is indeterminate"),
    ]


def measure_conservation(quick: bool) -> list[Check]:
    """Pull a side block by a third of its length, substep by substep: neither energy nor momentum comes from nowhere.

    Energy: E(t) - E(0) <= work of the servo. Momentum of all blocks: the servo's impulse and that of the floor's friction.
    """
    block, axis = PULLED
    simulation = Simulation(jenga_tower(LAYERS, friction=FRICTION), single_substeps())
    row, mass = simulation.structures[0].index(block), simulation.structures[0].blocks.mass
    simulation.run(0.1)
    simulation.pull(block, axis, 0.1, 20.0, acceleration=2.0)
    h, start = simulation.config.timestep, simulation.energy()[0]
    work, gain, given, floor, mismatch = 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(round((0.15 if quick else 0.3) / h)):
        before = simulation.state.position[0, row, 1]
        simulation.run(h)
        force = simulation.servo_force(block)
        work += force * (simulation.state.position[0, row, 1] - before)
        gain = max(gain, simulation.energy()[0] - start - work)
        contacts = simulation.contacts()
        from_floor = contacts.pair[:, 1] == len(mass)  # the force on the floor, which is b: blocks feel the opposite
        given += force * h
        floor -= contacts.friction[from_floor, 1].sum() * h
        mismatch = max(mismatch, abs(mass @ simulation.state.velocity[0, :, 1] - given - floor))
    return [
        bound("pull_energy_gain", gain / work, 0.01, "%", "more than the work of the hand, as a share of it"),
        bound("pull_momentum_error", mismatch / given, 0.01, "%", "as a share of the impulse of the hand"),
    ]


def measure_untouched_tower(quick: bool) -> list[Check]:
    """Check an intact tower that nobody touches: it never counts as collapsed, and none of the three conditions holds."""
    game = Game(EpisodeConfig(layers=LAYERS), jenga_tower(LAYERS, friction=FRICTION))
    for _ in range(2 if quick else 10):
        game.recorder.run(round(1 / game.config.engine.timestep))
    fallen = 0.0 if game.recorder.collapse is None else 1.0
    return [
        bound("untouched_tower_collapsed", fallen, 0.0, ""),
        bound("untouched_tower_conditions", game.recorder.conditions.sum(), 0.0, ""),
    ]


EXPERIMENTS = (
    Experiment(("pull_force_per_layer", "pull_force_at_the_top", "pull_force_scatter"), measure_force_against_depth),
    Experiment(("pull_energy_gain", "pull_momentum_error"), measure_conservation),
    Experiment(("untouched_tower_collapsed", "untouched_tower_conditions"), measure_untouched_tower),
)
