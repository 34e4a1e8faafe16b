"""Unfallen blocks: those that still stand in a slot, and those that somebody laid in a row. Neither lies where it fell.

A block of a row says nothing about where it stood.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import KDTree

from anastylosis.arrays import Flags, Floats, Integers, Vector
from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.assignment.block_size import find_fitting
from anastylosis.geometry import Boxes, make_matrices, measure_turns
from anastylosis.structure import BLOCK_SIZE, Structure
from anastylosis.survey import Survey

# A block whose centre is off that of a slot by no more, along its length, across it and in height, may be in it: of the paper's
# blocks 30, 11 and 9 mm, of others as many shares of their sides. Slots have neighbours across, none along. Of 31,000 blocks of
# the library that moved by less than 3 cm this finds 28,228 in their slots and puts 167, fallen ones too, into others; a ball of
# 13 mm 28,077 and 174.
SHIFT_MAX = np.array([0.030, 0.011, BLOCK_SIZE[2] / 2])  # [m]
SHIFT_SLACK = 0.005  # [m] and by the standard deviation of its survey more, up to this
TURN_MAX = math.radians(20)  # [rad] and is turned no further from it, but for the symmetry of a box

ROW_MIN = 5  # blocks; four lay so in 3 of 1,077 falls of the library, five in none
STEP_MIN, STEP_MAX = 1.5, 10.0  # widths of a block between neighbours; a part of a tower that fell as one has them closer
OFF_MAX = 0.10  # of a step: how far a block is off its place in the row
PARALLEL = math.cos(math.radians(6))  # cosine of the angle between blocks, from which they are parallel
FLAT = math.cos(math.radians(8))  # cosine of the angle between broad face and ground, from which a block lies flat


def find_standing(survey: Survey, structure: Structure) -> Integers:
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


def is_off(position: ArrayLike, structure: Structure, slack: ArrayLike = 0.0) -> Flags:
    """Mark (..., S) centres, (..., S, 3), that are too far from those of slots for blocks in them; NaN, nowhere, is not."""
    away = np.asarray(position) - structure.position
    shift = np.abs(np.einsum("sik,...si->...sk", make_matrices(structure.orientation), away))
    most = SHIFT_MAX * (structure.blocks.size / np.array(BLOCK_SIZE))
    return np.asarray((shift > most + np.asarray(slack)).any(axis=-1))


def find_laid_out(survey: Survey, block: Vector) -> Flags:
    """Find blocks (B,) that lie in a row on the ground: parallel, on a straight line, evenly apart."""
    axes = make_matrices(survey.orientation)
    underside = Boxes(survey.size, survey.position, survey.orientation).measure_underside()
    level = np.abs(axes[:, 2, 2]) > FLAT
    ground = np.flatnonzero((underside < block[2] / 2 + 3 * survey.position_sd) & level)
    laid = np.zeros(len(survey), bool)
    if len(ground) >= ROW_MIN:
        laid[ground] = find_rows(survey.position[ground], axes[ground, :, 0], block[1])
    return laid


def find_rows(position: Floats, along: Floats, width: float) -> Flags:
    """Find blocks (G,) of rows; from every block a row is followed in the direction of every other one that is near."""
    tree = KDTree(position)
    parallel = np.abs(along @ along.T) > PARALLEL
    first, step = list_steps(tree, width)
    slack = OFF_MAX * np.linalg.norm(step, axis=1)
    reach = OFF_MAX * STEP_MAX * width
    most = int(tree.query_ball_point(position, 2 * reach, return_length=True).max())  # blocks within reach of any place
    laid = np.zeros(len(position), bool)
    rows = first[:, None]  # (P, N) blocks of each row, as far as it was followed
    while len(rows):
        away, near = tree.query(position[rows[:, -1]] + step, most, distance_upper_bound=reach)
        away, near = away.reshape(len(rows), most), near.reshape(len(rows), most).clip(max=len(position) - 1)
        away[~parallel[rows[:, :1], near]] = np.inf
        best = away.argmin(axis=1)[:, None]
        near = np.take_along_axis(near, best, axis=1)
        on = (np.take_along_axis(away, best, axis=1)[:, 0] <= slack) & (rows != near).all(axis=1)
        if rows.shape[1] >= ROW_MIN:
            laid[rows[~on]] = True
        rows, step, slack = np.hstack([rows, near])[on], step[on], slack[on]
    return laid


def list_steps(tree: KDTree, width: float) -> tuple[Integers, Floats]:
    """List the first block of each row, (P,), and the step from it to the next, (P, 3)."""
    pairs = tree.query_pairs(STEP_MAX * width, output_type="ndarray")
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    step = tree.data[pairs[:, 1]] - tree.data[pairs[:, 0]]
    length = np.linalg.norm(step, axis=1)
    apart = (STEP_MIN * width < length) & (length < STEP_MAX * width)
    return pairs[apart, 0], step[apart]
