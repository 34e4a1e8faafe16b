"""What still stands: surveyed blocks that are where a slot is, on others that are. These are seen, not inferred."""

import math

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.assignment.fit import find_fitting
from anastylosis.predict.assignment.matching import ALONE
from anastylosis.structure import Structure
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.survey import Survey
from anastylosis.survey.rotation import make_matrices

__all__ = ["NEAR", "find_standing", "measure_turns"]

NEAR = BLOCK_SIZE[1] / 2  # [m] a block whose centre is no further from that of a slot may be in it
LEVEL = math.radians(20)  # [rad] and is turned no further from it, but for the symmetry of a box
HALF_TURNS = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)  # diagonals of the turns of a box onto itself
Floats = NDArray[np.float64]


def find_standing(survey: Survey, structure: Structure) -> NDArray[np.int64]:
    """(B,) the slot in which a block still stands; ALONE: in none.

    A block is in a slot when it lies there as a block of the tower would, and in the course below, if there is one, some block
    does. So what fell into the outline of a tower that is gone counts as fallen.
    """
    slot = np.full(len(survey), ALONE)
    apart = np.linalg.norm(survey.position[:, None] - structure.position, axis=2)
    apart[~find_fitting(survey.size)] = np.inf
    turned = measure_turns(survey.orientation[:, None], structure.orientation[None])
    apart[(apart > NEAR) | (turned > LEVEL)] = np.inf
    # Slots are further apart than twice NEAR along the ground, and not above each other: the nearest block has it.
    for course in range(int(structure.course.max()) + 1):
        columns = np.flatnonzero(structure.course == course)
        for column in columns:
            block = int(apart[:, column].argmin())
            if np.isfinite(apart[block, column]) and apart[block, column] <= apart[block].min():
                slot[block] = column
        if not np.isin(columns, slot).any():
            break
    return slot


def measure_turns(first: Floats, second: Floats) -> Floats:
    """(...) angles [rad] between the directions of boxes, (..., 4) each, modulo the half turns that leave a box as it is."""
    a, b = make_matrices(first), make_matrices(second)
    diagonal = np.einsum("...ki,...ki->...i", *np.broadcast_arrays(a, b))
    trace = (diagonal @ HALF_TURNS.T).max(axis=-1)  # of a turn: 1 + 2 cos of its angle
    return np.asarray(np.arccos(np.clip((trace - 1) / 2, -1.0, 1.0)))
