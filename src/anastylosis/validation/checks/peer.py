"""Collapses beside MuJoCo: single falls are chaotic and differ, their distributions must not."""

import math
from dataclasses import replace
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import MissingExtra
from anastylosis.structure import BLOCK_SIZE, Floor
from anastylosis.validation.check import Check, Experiment, report
from anastylosis.validation.peers import installed_peers
from anastylosis.validation.scene import BenchScene, start_scenes, tower_collapse

PEER = "MuJoCo"
SEEDS, SEEDS_QUICK = 50, 6
CHANCE = 0.01  # an equal pair of distributions fails this often
PERMUTATIONS = 10_000
STATISTICS = {"spread_radius": "mm", "blocks_displaced": "1", "height_left": "mm"}


class DebrisStatistics(NamedTuple):
    """Statistics of the debris of a collapse."""

    spread_radius: float  # root mean square distance of the blocks from the tower's axis [mm]
    blocks_displaced: float  # blocks more than half a length from their slots
    height_left: float  # of the highest block's centre [mm]


def describe_debris(scene: BenchScene, position: NDArray[np.float64]) -> DebrisStatistics:
    """Compute the statistics of the final positions (B, 3) [m]."""
    away = np.linalg.norm(position - scene.structure.position, axis=1)
    return DebrisStatistics(
        spread_radius=1e3 * math.sqrt((position[:, :2] ** 2).sum(axis=1).mean()),
        blocks_displaced=float((away > BLOCK_SIZE[0] / 2).sum()),
        height_left=1e3 * position[:, 2].max(),
    )


def without_bounce(scene: BenchScene) -> BenchScene:
    """Return the scene with restitution 0, the only one MuJoCo has."""
    blocks = replace(scene.structure.blocks, restitution=np.zeros(len(scene.structure)))
    floor = Floor(friction=scene.structure.floor.friction, restitution=0.0)
    return replace(scene, structure=replace(scene.structure, blocks=blocks, floor=floor))


def distribution_distance(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the largest difference of the two empirical distribution functions (Kolmogorov-Smirnov)."""
    at = np.concatenate([first, second])
    below_first = np.searchsorted(np.sort(first), at, side="right") / len(first)
    below_second = np.searchsorted(np.sort(second), at, side="right") / len(second)
    return float(np.abs(below_first - below_second).max())


def distribution_distance_at_chance(
    first: NDArray[np.float64], second: NDArray[np.float64], seed: int = 0
) -> NDArray[np.float64]:
    """Return the distance after each of many random exchanges of the two samples: chance alone (ties included)."""
    rng = np.random.default_rng(seed)
    both = np.concatenate([first, second])
    distances = []
    for _ in range(PERMUTATIONS):
        shuffled = rng.permutation(both)
        distances.append(distribution_distance(shuffled[: len(first)], shuffled[len(first) :]))
    return np.array(distances)


def compare_distributions(name: str, ours: NDArray[np.float64], theirs: NDArray[np.float64], unit: str) -> Check:
    """Make a row whose numbers are the means, and whose error is the distance of the distributions."""
    distance, chance = distribution_distance(ours, theirs), distribution_distance_at_chance(ours, theirs)
    p = (1 + (chance >= distance - 1e-12).sum()) / (1 + len(chance))
    note = (
        f"means of {len(ours)} seeds (deviations {theirs.std():.3g}, {ours.std():.3g}); "
        f"error: Kolmogorov-Smirnov distance, p = {p:.3g} by permutations"
    )
    critical = float(np.quantile(chance, 1 - CHANCE))
    return Check(name, float(theirs.mean()), float(ours.mean()), distance, critical, unit, bool(p > CHANCE), note)


def find_peer() -> ModuleType | None:
    """Return MuJoCo if it is installed."""
    return next((peer for peer in installed_peers() if peer.NAME == PEER), None)


def measure_peer(quick: bool) -> list[Check]:
    """Kick one weakened tower in as many directions as there are seeds, here and in MuJoCo."""
    peer = find_peer()
    if peer is None:
        why = f"skipped: {MissingExtra(PEER, 'bench')}"
        return [report(f"mujoco_{name}", math.nan, unit, why) for name, unit in STATISTICS.items()]
    ours, theirs = [], []
    for seed in range(SEEDS_QUICK if quick else SEEDS):
        scene = without_bounce(tower_collapse(seed))
        simulation = start_scenes([scene])
        simulation.run(scene.seconds)
        ours.append(describe_debris(scene, simulation.state.position[0]))
        run = peer.simulate(scene, dt=peer.TIME_STEPS[0], seconds=scene.seconds)
        theirs.append(describe_debris(scene, run.position[-1]))
    pairs = zip(STATISTICS.items(), np.transpose(ours), np.transpose(theirs), strict=True)
    return [compare_distributions(f"mujoco_{name}", mine, other, unit) for (name, unit), mine, other in pairs]


EXPERIMENTS = (Experiment(tuple(f"mujoco_{name}" for name in STATISTICS), measure_peer),)
