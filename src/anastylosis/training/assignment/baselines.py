"""Baselines of assignment: answers to a survey without a net."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.assignment.model import COURSES_MORE, AssignmentInput, AssignmentOutput
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.assignment.debris import Debris

THERE = 0.01  # [m] a block this near to a slot is in it; further away it counts less and less


@dataclass(frozen=True, eq=False)
class SurveyPrior:
    """Frequencies of each answer in the training split, whatever the survey shows. The height of the tower is known."""

    removed: Mapping[int, Floats]  # courses -> (S,) how often each slot was empty
    failure: Mapping[int, Floats]  # courses -> (courses,) how often each was the lowest to give way
    friction: float

    def answer(self, sheet: AssignmentInput) -> AssignmentOutput:
        """Return one answer for all towers of this height. No block is assigned."""
        courses = sheet.slot_there.shape[1] // BLOCKS_PER_COURSE
        known = min(self.removed, key=lambda height: abs(height - courses))
        removed, failure = (
            stretch(part[known], length)
            for part, length in ((self.removed, BLOCKS_PER_COURSE * courses), (self.failure, courses))
        )
        share = np.repeat(failure, BLOCKS_PER_COURSE)
        return fill_findings(sheet, removed=removed, failure=share / share.sum(), friction=self.friction)


def stretch(values: Floats, length: int) -> Floats:
    """Fit values to a tower of another height: cut them, or repeat the last."""
    return values[np.minimum(np.arange(length), len(values) - 1)]


def fit_survey_prior(debris: Debris) -> SurveyPrior:
    """Count what a split had, height by height; one case more of either kind, so that nothing is certain."""
    removed: dict[int, Floats] = {}
    failure: dict[int, Floats] = {}
    for courses in np.unique(debris.courses):
        those = debris.take(debris.courses == courses)
        removed[int(courses)] = (those.removed[:, : BLOCKS_PER_COURSE * courses].sum(axis=0) + 1) / (len(those) + 2)
        failure[int(courses)] = (np.bincount(those.failure_layer, minlength=courses)[:courses] + 1).astype(np.float64)
    return SurveyPrior(removed=removed, failure=failure, friction=float(debris.friction.mean()))


def take_nearest(sheet: AssignmentInput) -> AssignmentOutput:
    """Assign each block to the nearest free slot, the nearest pair of all first."""
    apart = measure_distances(sheet)
    blocks, slots = apart.shape
    placed = 0.5 / (1 + apart / THERE)
    placed /= max(1.0, placed.sum(axis=1).max())
    left = apart.copy()
    for _ in range(min(blocks, slots)):
        block, slot = np.unravel_index(left.argmin(), left.shape)
        placed[block, slot] = 1.0
        left[block], left[:, slot] = np.inf, np.inf
    filled = (placed == 1.0).any(axis=0)
    return fill_findings(sheet, placed=placed, removed=1.0 - filled)


def take_what_is_there(sheet: AssignmentInput) -> AssignmentOutput:
    """Call a slot empty if nothing is there now; a block that is in no slot is left out."""
    apart = measure_distances(sheet)
    placed = np.exp(-((apart / THERE) ** 2) / 2)
    return fill_findings(sheet, placed=placed, removed=1 - placed.max(axis=0))


def measure_distances(sheet: AssignmentInput) -> Floats:
    """Return (B, S) distances between the middles of the blocks and the slots of one survey [m]."""
    apart = sheet.block_position[0][:, None].astype(float) - sheet.slot_position[0][None]
    return np.asarray(np.linalg.norm(apart, axis=2))


def fill_findings(
    sheet: AssignmentInput,
    *,
    placed: Floats | None = None,
    removed: Floats | None = None,
    failure: Floats | None = None,
    friction: float = 0.0,
) -> AssignmentOutput:
    """Return an answer to one survey; parts that are not given are zero."""
    blocks, slots = sheet.block_there.shape[1], sheet.slot_there.shape[1]
    pairs = np.zeros((blocks, slots)) if placed is None else placed
    gone = np.zeros(slots) if removed is None else removed
    parts = (
        pairs, np.clip(1 - pairs.sum(axis=1), 0, 1), np.clip(1 - pairs.sum(axis=0), 0, 1), gone,
        np.full(slots, 1 / slots) if failure is None else failure, np.zeros(COURSES_MORE), np.array(friction), np.zeros(2),
    )  # fmt: skip
    return AssignmentOutput._make(np.asarray(part, np.float32)[None] for part in parts)
