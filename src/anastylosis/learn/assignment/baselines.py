"""Baselines of assignment: what can be said of a survey without a net."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anastylosis.learn.assignment.debris import Debris
from anastylosis.predict.answers import PLACES
from anastylosis.predict.assignment.sheet import COURSES_MORE, Findings, Sheet

__all__ = ["SurveyPrior", "fit_survey_prior", "take_nearest", "take_what_is_there"]

THERE = 0.01  # [m] a block this near to a slot is in it; further away it counts less and less
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SurveyPrior:
    """How often things are, whatever the survey shows. The height of the tower is known."""

    removed: Floats  # (courses, PLACES) how often each slot was empty, of the towers that had it
    failure: Floats  # (bins,) how often the lowest layer to give way lay at this share of the height
    friction: float

    def answer(self, sheet: Sheet) -> Findings:
        """The same for all towers of one height. Of blocks it says nothing."""
        slots = sheet.slot_there.shape[1]
        course = np.arange(slots) // PLACES
        known = np.minimum(course, len(self.removed) - 1)
        share = self.failure[(course * len(self.failure)) // (slots // PLACES)]
        return fill_findings(
            sheet, removed=self.removed[known, np.arange(slots) % PLACES], failure=share / share.sum(), friction=self.friction
        )


def fit_survey_prior(debris: Debris, bins: int = 12) -> SurveyPrior:
    """Count what a split had; a case more of either kind, so that nothing is certain."""
    slots = debris.removed.shape[1]
    had = np.arange(slots) < PLACES * debris.courses[:, None]
    rates = (debris.removed.sum(axis=0) + 1) / (had.sum(axis=0) + 2)
    place = (debris.failure_layer * bins) // debris.courses
    return SurveyPrior(
        removed=rates.reshape(-1, PLACES),
        failure=(np.bincount(place, minlength=bins)[:bins] + 1.0) / (len(place) + bins),
        friction=float(debris.friction.mean()),
    )


def take_nearest(sheet: Sheet) -> Findings:
    """Each block goes into the nearest slot that is still free, the nearest pair of all first."""
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


def take_what_is_there(sheet: Sheet) -> Findings:
    """A slot was empty if nothing is there now; a block that is in no slot is left out."""
    apart = measure_distances(sheet)
    placed = np.exp(-((apart / THERE) ** 2) / 2)
    return fill_findings(sheet, placed=placed, removed=1 - placed.max(axis=0))


def measure_distances(sheet: Sheet) -> Floats:
    """(B, S) between the middles of the blocks of one sheet and its slots [m]."""
    apart = sheet.block_position[0][:, None].astype(float) - sheet.slot_position[0][None]
    return np.asarray(np.linalg.norm(apart, axis=2))


def fill_findings(
    sheet: Sheet,
    *,
    placed: Floats | None = None,
    removed: Floats | None = None,
    failure: Floats | None = None,
    friction: float = 0.0,
) -> Findings:
    """Findings about one sheet in which what is not said is nothing."""
    blocks, slots = sheet.block_there.shape[1], sheet.slot_there.shape[1]
    pairs = np.zeros((blocks, slots)) if placed is None else placed
    gone = np.zeros(slots) if removed is None else removed
    parts = (
        pairs, np.clip(1 - pairs.sum(axis=1), 0, 1), np.clip(1 - pairs.sum(axis=0), 0, 1), gone,
        np.full(slots, 1 / slots) if failure is None else failure, np.zeros(COURSES_MORE), np.array(friction), np.zeros(2),
    )  # fmt: skip
    return Findings._make(np.asarray(part, np.float32)[None] for part in parts)
