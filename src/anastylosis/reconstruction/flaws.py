"""Flaws: surveyed blocks that cannot be where they are said to be, and are therefore put back nowhere."""

from collections import Counter

import numpy as np

from anastylosis.geometry import Boxes, measure_gaps, measure_underside
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.survey import Survey, check_survey

__all__ = ["find_flaws"]

DEEP = BLOCK_SIZE[2] / 2  # [m] blocks further in each other than this are no measurement error
HIGH = BLOCK_SIZE[0]  # [m] no block that was not found bears one higher than this above the ground or all others


def find_flaws(survey: Survey, *, complete: bool = False) -> dict[int, str]:
    """Rows of blocks that are left out, and why.

    Of blocks within each other by more than half of their height those are left out that meet the most others, the later ones
    first. A block in the air is left out if no single block under it, that was not found, could bear it; if every block was
    found, always.
    Shallower overlaps are measurement errors: they are warned of, and the blocks are kept.
    """
    flaws: dict[int, str] = {}
    pairs = []
    boxes = Boxes(survey.size, survey.position, survey.orientation)
    for finding in check_survey(survey):
        if finding.kind == "overlap" and len(finding.rows) == 2:
            one, other = (boxes.take(np.array([row])) for row in finding.rows)
            if -float(measure_gaps(one, other)[0]) > DEEP:
                pairs.append(finding.rows)
        elif finding.kind == "floating":
            (row,) = finding.rows
            if complete or height_above(boxes, row) > HIGH:
                flaws[row] = "it is in the air, and nothing is under it"
    while pairs:
        counted = Counter(row for pair in pairs for row in pair)
        worst = max(counted, key=lambda row: (counted[row], row))
        flaws[worst] = "it is said to be where another block is"
        pairs = [pair for pair in pairs if worst not in pair]
    return flaws


def height_above(boxes: Boxes, row: int) -> float:
    """How far the underside of a block is above the ground, or above the highest top of the lower blocks around it [m]."""
    underside = float(measure_underside(boxes)[row])
    reach = float(boxes.size[row].max())
    near = np.linalg.norm(boxes.position[:, :2] - boxes.position[row, :2], axis=1) < reach
    lower = near & (boxes.position[:, 2] < boxes.position[row, 2])
    tops = 2 * boxes.position[lower, 2] - measure_underside(boxes)[lower]
    return underside - max(0.0, float(tops.max(initial=0.0)))
