"""Speed of what needs no time steps: where blocks touch, whether they stand, what looks wrong in a survey of them."""

import hashlib
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import AnastylosisError
from anastylosis.mechanics import find_interfaces, solve_equilibrium
from anastylosis.structure import BLOCKS_PER_COURSE, jenga_tower
from anastylosis.survey import Survey, check_survey
from anastylosis.validation.bench import timed

LAYERS = 18
STONES = 500


class StaticRow(NamedTuple):
    """One task, timed."""

    task: str
    blocks: int
    seconds: float  # wall clock, median of the repeats
    cpu_seconds: float  # processor time: much less than the wall clock means a busy machine
    seconds_min: float
    seconds_max: float
    hash: str  # of what was found
    repeats: int


def interfaces_of_a_tower() -> NDArray[np.float64]:
    return np.concatenate([face.vertices for face in find_interfaces(jenga_tower(LAYERS))])


def balance_of_a_tower() -> NDArray[np.float64]:
    return solve_equilibrium(jenga_tower(LAYERS)).pair_normal_force


def check_of_a_heap() -> NDArray[np.float64]:
    return np.array([row for finding in check_survey(scatter_stones(STONES)) for row in finding.rows], float)


TASKS: dict[str, tuple[int, Callable[[], NDArray[np.float64]]]] = {
    "interfaces": (BLOCKS_PER_COURSE * LAYERS, interfaces_of_a_tower),
    "equilibrium": (BLOCKS_PER_COURSE * LAYERS, balance_of_a_tower),
    "survey": (STONES, check_of_a_heap),
}


def scatter_stones(count: int) -> Survey:
    """Survey so many blocks, anywhere in a cube of 0.4 m and turned anyhow: a dense heap with many mistakes to find."""
    rng = np.random.default_rng(0)
    orientation = rng.standard_normal((count, 4))
    return Survey(
        ids=tuple(map(str, range(count))),
        size=np.tile((0.081, 0.026, 0.018), (count, 1)),
        position=rng.uniform(-0.2, 0.2, (count, 3)),
        orientation=orientation / np.linalg.norm(orientation, axis=1, keepdims=True),
    )


def time_statics(repeats: int, progress: Callable[[str], None]) -> list[StaticRow]:
    """Return a row for each task."""
    rows = []
    for task in TASKS:
        progress(f"statics: {task}")
        rows.append(time_task(task, repeats))
    return rows


def time_task(task: str, repeats: int) -> StaticRow:
    """Time a task. The first run, which loads what it needs, is not timed; every run must find the same."""
    blocks, work = TASKS[task]
    found = [work()]
    walls, cpus = zip(*(timed(lambda: found.append(work())) for _ in range(repeats)), strict=True)
    hashes = {hashlib.sha256(each.tobytes()).hexdigest()[:16] for each in found}
    if len(hashes) > 1:
        raise AnastylosisError(f"statics: {task} found different things in {repeats + 1} runs: {', '.join(sorted(hashes))}")
    return StaticRow(task, blocks, median(walls), median(cpus), min(walls), max(walls), hashes.pop(), repeats)
