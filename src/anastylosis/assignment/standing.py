"""Standing blocks: those of a survey that lie where a slot of the tower is, on others that do."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.assignment.block_size import find_fitting
from anastylosis.geometry import make_matrices, measure_turns
from anastylosis.structure import BLOCK_SIZE, Structure
from anastylosis.survey import Survey

# A block whose centre is off that of a slot by no more, along its length, across it and in height, may be in it: of the paper's
# blocks 30, 11 and 9 mm, of others as many shares of their sides. Slots have neighbours across, none along. Of 31,000 blocks of
# the library that moved by less than 3 cm this finds 28,228 in their slots and puts 167, fallen ones too, into others; a ball of
# 13 mm 28,077 and 174.
SHIFT_MAX = np.array([0.030, 0.011, BLOCK_SIZE[2] / 2])  # [m]
SHIFT_SLACK = 0.005  # [m] and by the standard deviation of its survey more, up to this
TURN_MAX = math.radians(20)  # [rad] and is turned no further from it, but for the symmetry of a box


def find_standing(survey: Survey, structure: Structure) -> NDArray[np.int64]:
    """Return the slot (B,) in which each block still stands; UNASSIGNED: in none.

    A block is in a slot when it lies there as a block of the tower would, and in the course below, if there is one, some block
    does. So what fell into the outline of a tower that is gone counts as fallen.
    """
    slot = np.full(len(survey), UNASSIGNED)
    apart = np.linalg.norm(survey.position[:, None] - structure.position, axis=2)
    apart[~find_fitting(survey.size[:, None], structure.blocks.size)] = np.inf
    turned = measure_turns(survey.orientation[:, None], structure.orientation[None])
    slack = np.minimum(survey.position_sd, SHIFT_SLACK)[:, None, None]
    apart[is_off(survey.position[:, None], structure, slack) | (turned > TURN_MAX)] = np.inf
    apart[apart > apart.min(axis=1, keepdims=True)] = np.inf  # a block is in one slot: the nearest of those it may be in
    for course in range(int(structure.course.max()) + 1):
        columns = np.flatnonzero(structure.course == course)
        for column in columns:
            block = int(apart[:, column].argmin())
            if np.isfinite(apart[block, column]):
                slot[block] = column
        if not np.isin(columns, slot).any():
            break
    return slot


def is_off(position: ArrayLike, structure: Structure, slack: ArrayLike = 0.0) -> NDArray[np.bool_]:
    """Mark (..., S) centres, (..., S, 3), that are too far from those of slots for blocks in them; NaN, nowhere, is not."""
    away = np.asarray(position) - structure.position
    shift = np.abs(np.einsum("sik,...si->...sk", make_matrices(structure.orientation), away))
    most = SHIFT_MAX * (structure.blocks.size / np.array(BLOCK_SIZE))
    return np.asarray((shift > most + np.asarray(slack)).any(axis=-1))
