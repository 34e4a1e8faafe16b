"""Evidence: what a survey shows by itself. Blocks that still stand, and blocks that cannot be where they are said to be."""

import math
from collections import Counter
from collections.abc import Container

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats
from anastylosis.assignment import UNASSIGNED, find_fitting
from anastylosis.errors import InvalidInput
from anastylosis.geometry import Boxes, make_matrices, measure_gaps, measure_turns
from anastylosis.structure import BLOCK_SIZE, Structure
from anastylosis.survey import Survey, check_survey

# [m] A block whose centre is off that of a slot by no more, along its length, across it and in height, may be in it. Slots have
# neighbours across, none along. Of 31,000 blocks of the library that moved by less than 3 cm this finds 28,228 in their slots and
# puts 167, fallen ones too, into others; a ball of 13 mm 28,077 and 174.
SHIFT_MAX = np.array([0.030, 0.011, BLOCK_SIZE[2] / 2])
SHIFT_SLACK = 0.005  # [m] and by the standard deviation of its survey more, up to this
TURN_MAX = math.radians(20)  # [rad] and is turned no further from it, but for the symmetry of a box
OVERLAP_MAX = BLOCK_SIZE[2] / 2  # [m] blocks further in each other than this are no measurement error
GAP_MAX = BLOCK_SIZE[0]  # [m] no block that was not found bears one higher than this above the ground or all others


def find_standing(survey: Survey, structure: Structure) -> NDArray[np.int64]:
    """Return the slot (B,) in which each block still stands; UNASSIGNED: in none.

    A block is in a slot when it lies there as a block of the tower would, and in the course below, if there is one, some block
    does. So what fell into the outline of a tower that is gone counts as fallen.
    """
    slot = np.full(len(survey), UNASSIGNED)
    apart = np.linalg.norm(survey.position[:, None] - structure.position, axis=2)
    apart[~find_fitting(survey.size)] = np.inf
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


def is_off(position: Floats, structure: Structure, slack: ArrayLike = 0.0) -> NDArray[np.bool_]:
    """Mark (..., S) centres, (..., S, 3), that are too far from those of slots for blocks in them; NaN, nowhere, is not."""
    away = position - structure.position
    shift = np.abs(np.einsum("sik,...si->...sk", make_matrices(structure.orientation), away))
    return np.asarray((shift > SHIFT_MAX + np.asarray(slack)).any(axis=-1))


def find_flaws(survey: Survey, *, complete: bool = False) -> dict[int, str]:
    """Find rows of blocks to leave out, and why.

    Blocks that overlap by more than half of their height: those with the most overlaps go first, then the later rows. A block in
    the air goes if no single block that was not found could bear it, or if every block was found. Shallower overlaps are
    measurement errors: they are warned of, and the blocks are kept.
    """
    flaws: dict[int, str] = {}
    pairs = []
    boxes = Boxes(survey.size, survey.position, survey.orientation)
    for finding in check_survey(survey):
        if finding.kind == "overlap" and len(finding.rows) == 2:
            one, other = (boxes.take(np.array([row])) for row in finding.rows)
            if -float(measure_gaps(one, other)[0]) > OVERLAP_MAX:
                pairs.append(finding.rows)
        elif finding.kind == "floating":
            (row,) = finding.rows
            if complete or height_above(boxes, row) > GAP_MAX:
                flaws[row] = "it is in the air, and nothing is under it"
    while pairs:
        counted = Counter(row for pair in pairs for row in pair)
        worst = max(counted, key=lambda row: (counted[row], row))
        flaws[worst] = "it is said to be where another block is"
        pairs = [pair for pair in pairs if worst not in pair]
    return flaws


def select_sound(survey: Survey, flaws: Container[int]) -> NDArray[np.int64]:
    """Return the rows (A,) of blocks without a flaw. Raises where there are none."""
    rows = np.array([row for row in range(len(survey)) if row not in flaws], np.int64)
    if not len(rows):
        raise InvalidInput(
            "no block of the survey can be where it is said to be; look at sizes, units and places", kind="blocks_nowhere"
        )
    return rows


def height_above(boxes: Boxes, row: int) -> float:
    """Measure how far the underside of a block is above the ground, or above the highest top of the lower blocks around it
    [m]."""
    underside = float(boxes.measure_underside()[row])
    reach = float(boxes.size[row].max())
    near = np.linalg.norm(boxes.position[:, :2] - boxes.position[row, :2], axis=1) < reach
    lower = near & (boxes.position[:, 2] < boxes.position[row, 2])
    tops = 2 * boxes.position[lower, 2] - boxes.measure_underside()[lower]
    return underside - max(0.0, float(tops.max(initial=0.0)))
