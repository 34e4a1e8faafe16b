"""Evidence: what a survey shows by itself. Blocks that cannot be where they are said to be."""

from collections import Counter
from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.errors import InvalidInput
from anastylosis.geometry import Boxes, measure_gaps
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey import Survey, check_survey

OVERLAP_MAX = 0.5  # of the height of a block: blocks further in each other than this are no measurement error
GAP_MAX = 1.0  # of its length: no block that was not found bears one higher than this above the ground or all others


def find_flaws(survey: Survey, *, complete: bool = False, block: Vector = BLOCK_SIZE) -> dict[int, str]:
    """Find rows of blocks to leave out, and why; `block`: the size of the tower's blocks [m].

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
            if -float(measure_gaps(one, other)[0]) > OVERLAP_MAX * block[2]:
                pairs.append(finding.rows)
        elif finding.kind == "floating":
            (row,) = finding.rows
            if complete or height_above(boxes, row) > GAP_MAX * block[0]:
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
