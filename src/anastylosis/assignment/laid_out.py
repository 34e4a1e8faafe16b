"""Laid out: blocks that somebody put in a row on the ground. Where such a block lies says nothing about where it stood."""

import math

import numpy as np
from scipy.spatial import KDTree

from anastylosis.arrays import Flags, Floats, Integers, Vector
from anastylosis.geometry import Boxes, make_matrices
from anastylosis.survey import Survey

ROW_MIN = 5  # blocks; four lay so in 3 of 1,077 falls of the library, five in none
STEP_MIN, STEP_MAX = 1.5, 10.0  # widths of a block between neighbours; a part of a tower that fell as one has them closer
OFF_MAX = 0.10  # of a step: how far a block is off its place in the row
PARALLEL = math.cos(math.radians(6))  # cosine of the angle between blocks, from which they are parallel
FLAT = math.cos(math.radians(8))  # cosine of the angle between broad face and ground, from which a block lies flat


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
