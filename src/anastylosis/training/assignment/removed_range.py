"""Range of the number of empty slots: it holds nine in ten true numbers, however many blocks were not found.

One in six towers falls before a slot is empty. So whether a range holds 0 decides much of its share, and ends are whole numbers.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.optimize import differential_evolution

from anastylosis.arrays import Floats
from anastylosis.assignment.model import RANGE_PARTS, AssignmentInput, AssignmentOutput, RemovedRange
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import open_survey_case
from anastylosis.training.assignment.debris import Debris

HIDDEN = (0.0, 0.06, 0.15, 0.30)  # shares of the blocks that nobody finds
ERRORS = (0.0, 0.005, 0.015)  # [m] of surveys; degrees as many as millimetres
AIM, SLACK = 0.91, 0.01  # share of true numbers in the range, on the validation split
PENALTY = 100.0  # cost of a share off the aim, in slots of width
# Bounds of the numbers of a range: the knee, and of each end the constant, per expected slot, per unfound block, beyond the knee.
KNEE = (0.0, 8.0)
LOW = ((-4.0, 0.5), (-1.0, 0.5), (-3.0, 3.0), (-3.0, 3.0))
HIGH = ((-0.5, 4.0), (-0.5, 1.0), (-2.0, 2.0), (-2.0, 2.0))


def fit_removed_range(run: Callable[[AssignmentInput], AssignmentOutput], debris: Debris, *, seed: int = 0) -> RemovedRange:
    """Fit the narrowest range that holds the aim at every share of hidden blocks."""
    expected, missing, true, hidden = measure_removed(run, debris, seed)

    def cost(numbers: Floats) -> float:
        low, high = make_range(numbers).find(expected, missing)
        within = (low <= true) & (true <= high)
        off = [max(0.0, abs(float(within[hidden == share].mean()) - AIM) - SLACK) for share in HIDDEN]
        return PENALTY * sum(off) + float((high - low).mean())

    found = differential_evolution(cost, (KNEE, *LOW, *HIGH), seed=seed, maxiter=150, popsize=12)
    return make_range(found.x)


def make_range(numbers: Floats) -> RemovedRange:
    """Make a range of its numbers: the knee, those of the low end, those of the high one."""
    knee, *ends = np.round(numbers, 3).tolist()
    return RemovedRange(knee=knee, low=tuple(ends[:RANGE_PARTS]), high=tuple(ends[RANGE_PARTS:]))


def measure_removed(
    run: Callable[[AssignmentInput], AssignmentOutput], debris: Debris, seed: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Survey each collapse at every share of hidden blocks; return what is expected, what is missing, the truth, the share."""
    rows: list[Sequence[float]] = []
    for number, (row, hidden) in enumerate(product(range(len(debris)), HIDDEN)):
        error = ERRORS[(row + number) % len(ERRORS)]
        noise = Noise(position=error, angle=math.radians(1e3 * error), hidden=hidden)
        case = open_survey_case(debris, row, noise, np.random.default_rng((seed, number)), with_friction=False)
        found = run(case.sheet)
        slots, blocks = case.sheet.slot_there.shape[1], case.sheet.block_there.shape[1]
        rows.append((float(found.removed.sum()), slots - blocks, float(debris.removed[row].sum()), hidden))
    expected, missing, true, share = np.array(rows).T
    return expected, missing, true, share
