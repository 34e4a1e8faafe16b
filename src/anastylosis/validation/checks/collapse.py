"""Collapses: how deep blocks get into each other while they fall, and whether falling makes energy."""

import numpy as np

from anastylosis.validation.check import Check, Experiment, bound
from anastylosis.validation.checks.place import single_substeps
from anastylosis.validation.energy_gain import EnergyGain
from anastylosis.validation.penetration import deepest_penetration
from anastylosis.validation.scene import BenchScene, collapse_scenes, start_scenes

COLLAPSES, COLLAPSES_QUICK = 20, 6
CHUNK = 8  # substeps between two looks at the energy; the depth is looked at after each


def watch_collapse(scene: BenchScene) -> tuple[float, float]:
    """Return (deepest penetration in any substep [m], energy gained as a share of that at the start) of one collapse."""
    simulation = start_scenes([scene], single_substeps())
    gain = EnergyGain(simulation)
    depth = 0.0
    for _ in range(round(scene.seconds / simulation.config.timestep) // CHUNK):
        frames = simulation.run(CHUNK * simulation.config.timestep, record_every=1)
        depths = deepest_penetration(frames.position[:, 0], frames.orientation[:, 0], scene.structure.blocks.size)
        depth = float(np.maximum(depth, depths.max()))  # unlike max(), it lets NaN through
        gain.look()
    return depth, gain.share


def measure_collapses(quick: bool) -> list[Check]:
    """Measure collapses of different towers, kicks and frictions; the worst of them counts."""
    scenes = collapse_scenes(COLLAPSES_QUICK if quick else COLLAPSES)
    depths, gains = np.transpose([watch_collapse(scene) for scene in scenes])

    def describe(values: np.ndarray, scale: float, unit: str) -> str:
        return f"worst of {len(values)}: {scenes[values.argmax()].name}; median {scale * np.median(values):.3g} {unit}"

    return [
        bound("collapse_penetration", depths.max(), 5e-4, "mm", describe(depths, 1e3, "mm")),
        bound("collapse_energy_gain", gains.max(), 0.001, "%", describe(gains, 100, "%")),
    ]


EXPERIMENTS = (Experiment(("collapse_penetration", "collapse_energy_gain"), measure_collapses),)
