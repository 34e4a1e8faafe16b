"""Building: the order in which the best proposal can be put up on what still stands, and how safe each step is."""

from dataclasses import replace

import numpy as np

from anastylosis.assignment.matching import ALONE
from anastylosis.reconstruction.assembly import Step, StepJob, list_step_jobs, measure_step, set_friction
from anastylosis.reconstruction.problem import Execute, Tell
from anastylosis.reconstruction.reconstruction import Reconstruction

__all__ = ["list_building_steps", "order_building"]


def order_building(found: Reconstruction, execute: Execute, tell: Tell) -> Reconstruction:
    """Add the steps of building the best proposal."""
    jobs = list_building_steps(found)
    steps: list[Step] = []
    tell("steps", 0, len(jobs))
    for _, step in execute(measure_step, jobs):
        steps.append(step)
        tell("steps", len(steps), len(jobs))
    return replace(found, steps=tuple(sorted(steps)))


def list_building_steps(found: Reconstruction) -> list[StepJob]:
    """List the steps in an order that can be built, with blocks that rub no more than is known."""
    filled = found.best.state.filled
    tower = set_friction(found.structure.select(filled), found.building_friction)
    there = np.isin(np.flatnonzero(filled), found.pinned[found.pinned != ALONE])
    return list_step_jobs(tower, there)
