"""Linear programmes, solved by HiGHS through SciPy: the one file that knows SciPy.

SciPy takes half a second to load and most users of this room solve nothing, so it is imported where it is used.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import AnastylosisError

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix as Matrix

# The dual simplex can run in circles over a programme without an answer (seen once, HiGHS of SciPy 1.17: 480 s instead of
# 0.2), so no such programme is posed on purpose, and the time is limited: a tower takes well below a second [s].
TIME_LIMIT = 30.0
METHODS: tuple[tuple[str, dict[str, str | float]], ...] = (
    ("highs-ds", {"simplex_dual_edge_weight_strategy": "devex", "time_limit": TIME_LIMIT}),
    ("highs-ipm", {"time_limit": TIME_LIMIT}),
)
# Of linprog's status. 1 and 4 are the solver giving up.
OPTIMAL, INFEASIBLE, UNBOUNDED = 0, 2, 3


class Solution(NamedTuple):
    feasible: bool
    value: float  # of the objective; -inf when it has no bound, NaN when infeasible
    x: Floats  # (N,) NaN unless optimal


def make_matrix(values: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> "Matrix":
    """Make a sparse matrix with `values` at (`rows`, `columns`), each place named once."""
    from scipy.sparse import csc_matrix

    return csc_matrix((values, (rows, columns)), shape=shape)


def add_column(matrix: "Matrix", column: Floats) -> "Matrix":
    """Return `matrix` with one dense column more, the last."""
    from scipy.sparse import csc_matrix, hstack

    return hstack([matrix, csc_matrix(column[:, None])], format="csc")


def minimise(cost: Floats, matrix: "Matrix", target: Floats, most: float = np.inf) -> Solution:
    """Find the smallest cost . x with matrix x = target and x >= 0; the last of x is `most` at most.

    Few rows and many columns: the dual simplex with devex pricing is the fastest here (docs/decisions/0004). The
    interior point method is asked when it gives up.
    """
    from scipy.optimize import linprog

    bounds = np.zeros((len(cost), 2))
    bounds[:, 1] = np.inf
    bounds[-1, 1] = most
    for method, options in METHODS:
        result = linprog(cost, A_eq=matrix, b_eq=target, bounds=bounds, method=method, options=options)
        if result.status == OPTIMAL:
            return Solution(True, float(result.fun), np.maximum(result.x, 0.0))
        if result.status in (INFEASIBLE, UNBOUNDED):
            endless = result.status == UNBOUNDED
            return Solution(endless, -np.inf if endless else np.nan, np.full(len(cost), np.nan))
    raise AnastylosisError(
        f"the linear programme was not solved: {result.message} Look for blocks of very different size or mass"
    )


def minimise_help(cost: Floats, matrix: "Matrix", target: Floats) -> tuple[float, Floats]:
    """Find the smallest sum of artificial forces with which matrix x + help = target and x >= 0; return it and x, (N,).

    It has an answer whatever the structure, and the sum is 0 when the structure needs no help. `cost` (N,), small beside
    1, chooses among the answers: see `FRICTION_COST` in equilibrium.py.
    """
    from scipy.sparse import hstack, identity

    rows, columns = matrix.shape
    artificial = identity(rows, format="csc")
    elastic = hstack([matrix, artificial, -artificial], format="csc")
    solution = minimise(np.concatenate([cost, np.ones(2 * rows)]), elastic, target)
    return float(solution.x[columns:].sum()), solution.x[:columns]
