"""Mechanics against physics: the linear programme and the simulation each decide whether a tower with holes stands."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.mechanics import measure_balance, solve_equilibrium
from anastylosis.physics import Simulation
from anastylosis.structure import Structure, jenga_tower
from anastylosis.units import metres_to_millimetres
from anastylosis.validation.check import Check, Experiment, compare, report

PATTERNS = 300
LEAST_AGREEMENT = 0.97
LAYERS = (6, 18)
SEED = 2006
HELD = 3.0  # [s] how long the simulation runs
MOVED = 5e-3  # [m] a block that has gone further has fallen; those that stay settle by hundredths of a millimetre
ONE_GONE = 0.7  # of the layers with holes, the share that lacks one block; the others lack two
NAMES = ("equilibrium_agreement", "equilibrium_fallen", "ground_margin_missed", "interface_margin_missed")


class StabilityComparison(NamedTuple):
    """Answers of mechanics and physics for one tower with holes."""

    layers: int
    removed: tuple[str, ...]
    stands: bool  # equilibrium: forces exist that hold it
    stood: bool  # physics: nothing has moved after 3 s
    ground_margin: float  # the paper's, of the whole tower [m]
    margin: float  # smallest of an interface [m]
    residual: float  # how far from equilibrium, over the weight

    def __str__(self) -> str:
        answer = "mechanics: stands, physics: falls" if self.stands else "mechanics: falls, physics: stands"
        return (
            f"{answer}, margin {metres_to_millimetres(self.margin):.2f} mm, {self.layers} layers without {' '.join(self.removed)}"
        )


def draw_holes(tower: Structure, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw blocks (B,) to take away: one or two of some layers below the top. Half of these towers fall."""
    gone = np.zeros(len(tower), bool)
    share = rng.uniform(0.0, 0.7)  # of layers with holes
    for course in range(int(tower.course.max())):
        if rng.random() < share:
            count = 1 if rng.random() < ONE_GONE else 2
            gone[rng.choice(np.flatnonzero(tower.course == course), count, replace=False)] = True
    return gone


def compare_patterns(count: int, seed: int = SEED) -> list[StabilityComparison]:
    """Ask both about `count` random towers with holes; towers of one height run as one batch."""
    rng = np.random.default_rng(seed)
    heights = np.sort(rng.integers(LAYERS[0], LAYERS[1] + 1, count))
    comparisons = []
    for layers in np.unique(heights).tolist():
        tower = jenga_tower(layers)
        holes = np.array([draw_holes(tower, rng) for _ in range((heights == layers).sum())])
        stood = simulate_holes(tower, holes)
        for gone, held in zip(holes, stood.tolist(), strict=True):
            left = tower.select(~gone)
            equilibrium = solve_equilibrium(left)
            removed = tuple(tower.ids[row] for row in np.flatnonzero(gone))
            balance = measure_balance(left, equilibrium.interfaces)
            margins = (balance.margin, balance.weakest_margin)
            comparisons.append(StabilityComparison(layers, removed, equilibrium.stands, held, *margins, equilibrium.residual))
    return comparisons


def simulate_holes(tower: Structure, holes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return (W,) whether a tower at rest still stands 3 s after the blocks of `holes`, (W, B), were taken away."""
    simulation = Simulation([tower] * len(holes))
    simulation.run(simulation.config.timestep)
    simulation.state.present[:] = ~holes
    before = simulation.state.position.copy()
    simulation.run(HELD)
    way = np.linalg.norm(simulation.state.position - before, axis=2)
    return np.where(holes, 0.0, way).max(axis=1) < MOVED


def measure_agreement(quick: bool) -> list[Check]:
    """Measure how often both agree; where they do not, the margins tell how near it was."""
    comparisons = compare_patterns(PATTERNS // 6 if quick else PATTERNS)
    apart = [comparison for comparison in comparisons if comparison.stands != comparison.stood]
    agreement = 1 - len(apart) / len(comparisons)
    note = f"{len(comparisons)} towers with holes; " + ("; ".join(map(str, apart)) or "no disagreement")
    fallen = [comparison for comparison in comparisons if not comparison.stood]
    by_ground = sum(comparison.ground_margin > 0 for comparison in fallen) / len(fallen)
    by_interface = sum(comparison.margin > 0 for comparison in fallen) / len(fallen)
    return [
        compare("equilibrium_agreement", 1.0, agreement, 1 - LEAST_AGREEMENT, "%", note),
        report("equilibrium_fallen", len(fallen) / len(comparisons), "%", "of these towers fall in the simulation"),
        report(
            "ground_margin_missed", by_ground, "%", "of the towers that fall, by the paper's criterion: its margin is positive"
        ),
        report("interface_margin_missed", by_interface, "%", "of the towers that fall, by the margins of all interfaces"),
    ]


EXPERIMENTS = (Experiment(NAMES, measure_agreement),)
