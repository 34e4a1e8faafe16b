"""Laid out: blocks that somebody put in a row on the ground. Where such a block lies says nothing about where it stood."""

import math

import numpy as np

from anastylosis.arrays import Flags, Floats, Vector
from anastylosis.geometry import Boxes, make_matrices
from anastylosis.survey import Survey

ROW_MIN = 5  # blocks; four lay so in 3 of 1,077 falls of the library, five in none
STEP_MIN, STEP_MAX = 1.5, 10.0  # widths of a block between neighbours; a part of a tower that fell as one has them closer
OFF_MAX = 0.10  # of a step: how far a block is off its place in the row
ALIKE = math.sin(math.radians(6))  # of the angle between blocks of a row
FLAT = math.cos(math.radians(8))  # of the angle between the broad face and the ground


def find_laid_out(survey: Survey, block: Vector) -> Flags:
    """Find blocks (B,) that lie in a row on the ground: parallel, on a straight line, evenly apart."""
    axes = make_matrices(survey.orientation)
    underside = Boxes(survey.size, survey.position, survey.orientation).measure_underside()
    level = np.abs(axes[:, 2, 2]) > FLAT
    ground = np.flatnonzero((underside < block[2] / 2 + 3 * survey.position_sd) & level)
    laid = np.zeros(len(survey), bool)
    for row in ground:
        for other in ground:
            step = survey.position[other] - survey.position[row]
            if STEP_MIN * block[1] < np.linalg.norm(step) < STEP_MAX * block[1]:
                found = follow(survey.position[ground], axes[ground, :, 0], survey.position[row], step, axes[row, :, 0])
                if len(found) >= ROW_MIN:
                    laid[ground[found]] = True
    return laid


def follow(position: Floats, along: Floats, start: Floats, step: Floats, direction: Floats) -> list[int]:
    """Return rows of the blocks at the start of a line and at every step after it, as long as there is one, parallel to it."""
    parallel = np.linalg.norm(np.cross(along, direction), axis=1) < ALIKE
    found: list[int] = []
    while True:
        away = np.linalg.norm(position - (start + len(found) * step), axis=1)
        away[~parallel] = np.inf
        nearest = int(away.argmin())
        if away[nearest] > OFF_MAX * float(np.linalg.norm(step)) or nearest in found:
            return found
        found.append(nearest)
        start = position[nearest] - (len(found) - 1) * step  # a row that bends a little is followed
