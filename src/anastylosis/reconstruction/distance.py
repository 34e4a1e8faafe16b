"""Distance between two heaps: earth mover's, between the centres of blocks that nobody can tell apart."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

__all__ = ["MISSING", "match_centres", "measure_distance"]

MISSING = 0.1  # [m] what a block without a partner costs; a pair further apart than twice this is two blocks without one
Floats = NDArray[np.float64]


def measure_distance(some: Floats, others: Floats, missing: float = MISSING) -> float:
    """The least mean way [m] that turns one heap, (M, 3), into the other, (N, 3).

    Every block of the smaller heap has a partner in the larger one, each pair costs its distance, at most 2 `missing`; the
    blocks that are left over cost `missing` each. The sum is shared among the blocks of the larger heap (Rubner et al. 2000:
    of equal weights the earth mover's distance is an assignment). 0 for two heaps of nothing.
    """
    larger = max(len(some), len(others))
    if not larger:
        return 0.0
    cost, rows, columns = match_centres(some, others, missing)
    return float(cost[rows, columns].sum() + missing * abs(len(some) - len(others))) / larger


def match_centres(some: Floats, others: Floats, missing: float = MISSING) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """(M, N) costs of all pairs, and the rows and columns of the pairs that together cost least."""
    apart = np.linalg.norm(some[:, None, :] - others[None, :, :], axis=2)
    cost = np.minimum(apart, 2 * missing)
    rows, columns = linear_sum_assignment(cost)
    return cost, rows, columns
