"""Towers that stand, and that stand again after a kick."""

from functools import partial

import numpy as np

from anastylosis.physics import EngineConfig, Simulation, paper_config
from anastylosis.structure import jenga_tower
from anastylosis.validation.check import Check, Experiment, bound, compare
from anastylosis.validation.checks.place import turned_by
from anastylosis.validation.energy_gain import EnergyGain
from anastylosis.validation.penetration import deepest_penetration
from anastylosis.validation.scene import GRAVITY

STANDS = 5e-4  # [m] a tower whose blocks moved less has stood
UNEVEN = 2e-4  # [m] standard deviation of widths and heights
KICKED_LAYER = 9  # all above it is kicked
KICKS = (0.02, 0.1, 0.2)  # [m/s]
# The middle block of layer 9 is gone, so what is above rests on two: kicked across them, along them, and between.
HEADINGS = np.radians([0.0, 90.0, 45.0])


def moved_by(simulation: Simulation) -> float:
    """Return the farthest way of any block from its slot [m]."""
    return float(np.linalg.norm(simulation.state.position[0] - simulation.structures[0].position, axis=1).max())


def fastest_point(simulation: Simulation) -> float:
    """Bound the speed of any point of any block [m/s]."""
    radius = np.linalg.norm(simulation.structures[0].blocks.size, axis=1) / 2
    turning = np.linalg.norm(simulation.state.angular_velocity[0], axis=1) * radius
    return float((np.linalg.norm(simulation.state.velocity[0], axis=1) + turning).max())


def measure_rest(quick: bool) -> list[Check]:
    """Measure the intact tower of 18 layers at rest for 5 s, and its weight on the floor."""
    tower = jenga_tower(18)
    simulation = Simulation(tower)
    frames = simulation.run(5.0, record_every=24)
    moved = np.linalg.norm(frames.position[:, 0] - tower.position, axis=2).max()
    depth = deepest_penetration(frames.position[:, 0], frames.orientation[:, 0], tower.blocks.size).max()
    contacts = simulation.contacts()
    on_floor = contacts.normal_force[contacts.pair[:, 1] == len(tower)].sum()
    weight = tower.blocks.mass.sum() * GRAVITY
    return [
        bound("tower_rest_displacement", moved, 2e-5, "mm"),
        bound("tower_rest_tilt", turned_by(simulation).max(), np.radians(0.02), "deg"),
        bound("tower_rest_penetration", depth, 5e-6, "um"),
        compare("weight_on_floor", weight, on_floor, 0.001 * weight, "mN"),
    ]


def measure_stand(name: str, layers: int, config: EngineConfig, quick: bool) -> list[Check]:
    """Check that an intact tower stands 5 s, nothing put to sleep."""
    simulation = Simulation(jenga_tower(layers), config)
    simulation.run(5.0)
    return [bound(name, moved_by(simulation), STANDS, "mm")]


def measure_kick(speed: float, quick: bool) -> list[Check]:
    """Remove block L09_1 and kick all above layer 9: 3 s later the tower is still, and stays so."""
    left_speed = drift = 0.0
    for heading in HEADINGS[: 1 if quick else None]:
        tower = jenga_tower(18).without(f"L{KICKED_LAYER:02d}_1")
        simulation = Simulation(tower)
        simulation.run(0.5)
        simulation.state.velocity[0, tower.course > KICKED_LAYER] += speed * np.array([np.cos(heading), np.sin(heading), 0.0])
        simulation.run(3.0)
        left_speed = max(left_speed, fastest_point(simulation))
        before = simulation.state.position[0].copy()
        simulation.run(5.0)
        drift = max(drift, float(np.linalg.norm(simulation.state.position[0] - before, axis=1).max()))
    return [
        bound(f"kick_{speed:g}_speed_after_3_s", left_speed, 1e-4, "m/s"),
        bound(f"kick_{speed:g}_drift_in_5_s", drift, 1e-5, "mm"),
    ]


def measure_uneven(quick: bool) -> list[Check]:
    """Let a tower of blocks stand that differ by a fifth of a millimetre, as in the real game: it rocks, then stands still."""
    gain = speed = 0.0
    for seed in range(1 if quick else 3):
        simulation = Simulation(jenga_tower(18, tolerance=UNEVEN, rng=np.random.default_rng(seed)))
        energy = EnergyGain(simulation)
        for _ in range(50):
            simulation.run(0.1)
            energy.look()
        gain, speed = max(gain, energy.share), max(speed, fastest_point(simulation))
    return [
        bound("uneven_tower_energy_gain", gain, 0.001, "%"),
        bound("uneven_tower_speed_after_5_s", speed, 1e-4, "m/s"),
    ]


EXPERIMENTS = (
    Experiment(("tower_rest_displacement", "tower_rest_tilt", "tower_rest_penetration", "weight_on_floor"), measure_rest),
    *(
        Experiment((name,), partial(measure_stand, name, layers, config))
        for name, layers, config in (
            ("tower_6_stands", 6, EngineConfig()),
            ("tower_18_stands", 18, EngineConfig()),
            ("tower_36_stands", 36, EngineConfig()),
            ("tower_18_stands_with_paper_pgs", 18, paper_config()),
        )
    ),
    *(
        Experiment((f"kick_{speed:g}_speed_after_3_s", f"kick_{speed:g}_drift_in_5_s"), partial(measure_kick, speed))
        for speed in KICKS
    ),
    Experiment(("uneven_tower_energy_gain", "uneven_tower_speed_after_5_s"), measure_uneven),
)
