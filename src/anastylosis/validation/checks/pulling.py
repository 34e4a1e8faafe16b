"""Pulling a block out: the force of the servo against the closed form of friction."""

from functools import partial

import numpy as np

from anastylosis.physics import Simulation
from anastylosis.structure import BLOCK_MASS, BLOCK_SIZE, jenga_tower
from anastylosis.validation.check import Check, Experiment, bound, compare, fail
from anastylosis.validation.checks.place import FRICTION, place_boxes
from anastylosis.validation.scene import GRAVITY

LENGTH, _, HEIGHT = BLOCK_SIZE
PULL_SPEED = 0.005  # [m/s] slow: nothing but friction resists
FORCE_LIMIT = 20.0  # [N] far above any friction here, so that the servo holds its speed
AXES = {"length": (1.0, 0.0, 0.0), "width": (0.0, 1.0, 0.0)}
LAYER = 9  # its blocks lie along y


def mean_pull(simulation: Simulation, block: str, steps: int) -> tuple[float, float]:
    """Return (force of the servo, normal forces on the block added up), means over `steps` [N]."""
    force = normal = 0.0
    for _ in range(steps):
        simulation.run(simulation.config.timestep)
        force += simulation.servo_force(block) / steps
        normal += simulation.contacts().on_block(block).normal_force.sum() / steps
    return force, normal


def measure_cell(axis: str, friction: float, quick: bool) -> list[Check]:
    """Pull a block from between a fixed one and a free one that a servo keeps in place: F = 3 mu m g.

    Below the pulled block the normal force is 2 m g, above it m g, and nothing else touches it: the one place in a tower
    where Ziglar's force is determinate. Ziglar (2006), Eq. (4).
    """
    cell = place_boxes(*((0.0, 0.0, (level + 0.5) * HEIGHT) for level in range(3)), friction=friction, fixed=(True, False, False))
    simulation = Simulation(cell)
    simulation.pull("B1", AXES[axis], PULL_SPEED, FORCE_LIMIT)
    simulation.pull("B2", AXES[axis], 0.0, FORCE_LIMIT)
    simulation.run(0.3)
    force, _ = mean_pull(simulation, "B1", 24)
    expected = 3 * friction * BLOCK_MASS * GRAVITY
    return [compare(f"ziglar_cell_{axis}_mu_{friction:g}", expected, force, 0.01 * expected, "mN")]


def slides_everywhere(simulation: Simulation, block: str, seconds: float) -> bool:
    """Run for `seconds` and tell whether the pulled block has slid along every block that it touches."""
    row = simulation.structures[0].index(block)
    axis = simulation.control.servo_axis[0, row]
    before = simulation.state.position[0] @ axis
    simulation.run(seconds)
    way = simulation.state.position[0] @ axis - before
    touching = np.setdiff1d(simulation.contacts().on_block(block).pair, [row])
    return bool((way[row] - way[touching] > 0.9 * PULL_SPEED * seconds).all())


def measure_tower_pull(name: str, block: str, quick: bool) -> list[Check]:
    """Pull a block of a standing tower: it slides at F = mu (N above + N below), whatever its share of the load is.

    It holds while every contact slides: what lies above may be carried along at first, or later when it hangs on the
    pulled block more than on its neighbours. The first stretch in which all slide is taken.
    """
    simulation = Simulation(jenga_tower(18, friction=FRICTION))
    simulation.pull(block, (0.0, 1.0, 0.0), PULL_SPEED, FORCE_LIMIT)
    while not slides_everywhere(simulation, block, 0.1):
        if simulation.time > 5.0:
            return [fail(name, "never slid along all its neighbours")]
    force, normal = mean_pull(simulation, block, 24 if quick else 120)
    expected = FRICTION * normal
    return [compare(name, expected, force, 0.02 * expected, "mN")]


def measure_pull_and_hold(quick: bool) -> list[Check]:
    """Pull a side block half out of layer 9, hold it by the servo, let go: measure the force, and whether anything creeps."""
    block, way = f"L{LAYER:02d}_0", LENGTH / 2
    simulation = Simulation(jenga_tower(18, friction=FRICTION))
    simulation.pull(block, (0.0, 1.0, 0.0), PULL_SPEED, FORCE_LIMIT)
    last = 48  # steps of the pull over which its force is taken
    simulation.run(way / PULL_SPEED - last * simulation.config.timestep)
    force, normal = mean_pull(simulation, block, last)
    expected = FRICTION * normal
    checks = [compare("pull_half_out_force", expected, force, 0.03 * expected, "mN")]
    simulation.pull(block, (0.0, 1.0, 0.0), 0.0, FORCE_LIMIT)
    for name in ("pull_half_out_creep_held", "pull_half_out_creep_released"):
        simulation.run(1.0)  # the pull has bent the tower: it straightens first
        before = simulation.state.position[0].copy()
        simulation.run(2.0 if quick else 10.0)
        crept = np.linalg.norm(simulation.state.position[0] - before, axis=1).max()
        checks.append(bound(name, crept, 1e-5, "mm"))
        simulation.release(block)
    return checks


EXPERIMENTS = (
    *(
        Experiment((f"ziglar_cell_{axis}_mu_{friction:g}",), partial(measure_cell, axis, friction))
        for axis in AXES
        for friction in (0.25, 0.40, 0.60)
    ),
    *(
        Experiment((name,), partial(measure_tower_pull, name, f"L{LAYER:02d}_{place}"))
        for name, place in (("tower_pull_side", 0), ("tower_pull_centre", 1))
    ),
    Experiment(("pull_half_out_force", "pull_half_out_creep_held", "pull_half_out_creep_released"), measure_pull_and_hold),
)
