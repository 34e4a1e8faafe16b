"""Range of the number of empty slots: it holds nine in ten true numbers, however many blocks were not found."""

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.optimize import differential_evolution

from anastylosis.arrays import Floats
from anastylosis.assignment.model import AssignmentInput, AssignmentOutput, RemovedRange
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import open_survey_case
from anastylosis.training.assignment.debris import Debris

HIDDEN = (0.0, 0.06, 0.15, 0.30)  # shares of the blocks that nobody finds
ERRORS = (0.0, 0.005, 0.015)  # [m] of surveys; degrees as many as millimetres
EXPECTED = (0.0, 3.0, 6.0, 10.0, 16.0, 30.0)  # slots that the net expects to have been empty
AIM, SLACK = 0.93, 0.01  # share of true numbers in the range, on the validation split; on others it is a little less
PENALTY = 60.0  # cost of a share off the aim, in slots of width
STEP_MAX = 35.0 / 3  # slots by which an end may rise from one knot to the next


def fit_removed_range(run: Callable[[AssignmentInput], AssignmentOutput], debris: Debris, *, seed: int = 0) -> RemovedRange:
    """Fit the narrowest range that holds the aim at every share of hidden blocks."""
    expected, missing, true, hidden = measure_removed(run, debris, seed)
    weights = np.stack([np.interp(expected, EXPECTED, unit) for unit in np.eye(len(EXPECTED))], axis=1)  # (N, K) of the knots

    def cost(steps: Floats) -> float:
        low, high = (weights @ part for part in sum_steps(steps))
        high = np.maximum(np.minimum(high, missing), expected)
        low = np.minimum(low, expected)
        within = (low <= true) & (true <= high)
        off = [max(0.0, abs(float(within[hidden == share].mean()) - AIM) - SLACK) for share in HIDDEN]
        return PENALTY * sum(off) + float((high - low).mean())

    bounds = [(0.0, STEP_MAX)] * (2 * len(EXPECTED) - 1)
    found = differential_evolution(cost, bounds, seed=seed, maxiter=300, popsize=12, tol=1e-4)
    return make_range(*sum_steps(found.x))


def make_range(low: Floats, high: Floats) -> RemovedRange:
    """Make a range of its ends at the knots. It holds what is expected: knots without an example may end anywhere."""
    ends = np.minimum(low, EXPECTED), np.maximum(high, EXPECTED)
    lower, upper = (tuple(part.round(2).tolist()) for part in ends)
    return RemovedRange(expected=EXPECTED, low=lower, high=upper)


def sum_steps(steps: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the range at the knots, (K,) each, which never fall; `steps` (2 K - 1,): the low end begins at 0."""
    return np.cumsum(np.append(0.0, steps[: len(EXPECTED) - 1])), np.cumsum(steps[len(EXPECTED) - 1 :])


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
