"""Checks: likely mistakes in a survey. They are warnings, not errors: whoever measured may know better."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.geometry import Boxes, measure_gaps
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey.neighbours import find_near, find_nearest, measure_radius
from anastylosis.survey.survey import Survey
from anastylosis.units import metres_to_millimetres

SLACK = 0.002  # [m] error that any survey may have: rounded numbers, worn edges
DEVIATIONS = 3.0  # standard deviations that count as a measurement's error
TWICE = 0.02  # of the thinnest side: middles nearer than this are one stone that was entered twice
PAIRS_MAX = 500_000  # near pairs that are compared: 10,000 stones in a heap have fewer
FACTORS = (10.0, 100.0, 1000.0)
FACTOR_SPREAD = 1.3  # how far sides may be from such a multiple, as a ratio
FAR = 10.0  # lengths of a stone: the nearest other one is further away than this only by mistake
FOOT = 50.0  # lengths of a stone from the foot of the structure to the nearest stone

UNSURE_BELOW = 0.60  # mean certainty; detections with a wrong camera mostly had less, few others did


@dataclass(frozen=True, kw_only=True)
class SurveyIssue:
    """A likely mistake."""

    kind: str  # overlap, floating, sunk, units, far or unsure
    rows: tuple[int, ...]  # of the stones it is about
    ids: tuple[str, ...]
    message: str


def check_survey(survey: Survey) -> list[SurveyIssue]:
    """List likely mistakes: units, and stones within each other, in the air, in the ground, or far away."""
    return [*find_unsure(survey), *find_units(survey), *find_contacts(survey), *find_sunk(survey), *find_far(survey)]


def find_unsure(survey: Survey) -> Iterator[SurveyIssue]:
    """Find surveys whose blocks are hardly certain on average; only detected blocks have a certainty."""
    certainty = float(survey.certainty.mean())
    if certainty < UNSURE_BELOW:
        message = f"blocks are only {certainty:.0%} certain on average; if they were found in pictures, is the camera right?"
        yield SurveyIssue(kind="unsure", rows=(), ids=(), message=message)


def make_issue(survey: Survey, kind: str, rows: Sequence[int] | NDArray[np.intp], problem: str) -> SurveyIssue:
    """Make an issue about these stones; its message names a few of them."""
    ids = tuple(survey.ids[row] for row in rows)
    named = ", ".join(ids[:3]) + (f" and {len(ids) - 3:,} more" if len(ids) > 3 else "")
    return SurveyIssue(kind=kind, rows=tuple(int(row) for row in rows), ids=ids, message=f"{named}: {problem}")


def find_units(survey: Survey) -> Iterator[SurveyIssue]:
    """Find sides that are 10, 100 or 1,000 times, or such a share of, those of a Jenga block or of most stones."""
    nominal = " x ".join(f"{metres_to_millimetres(side):g}" for side in BLOCK_SIZE)
    usual = np.median(survey.size, axis=0)
    listed = np.zeros(len(survey), bool)
    for reference, what in ((np.array(BLOCK_SIZE), f"a Jenga block, {nominal} mm"), (usual, "most stones here")):
        ratio = survey.size / reference
        for factor in (*FACTORS, *(1 / factor for factor in FACTORS)):
            like = (np.abs(np.log(ratio / factor)) < np.log(FACTOR_SPREAD)).all(axis=1) & ~listed
            if like.any():
                listed |= like
                times = f"{factor:,.0f} times" if factor > 1 else f"1/{1 / factor:,.0f} of"
                yield make_issue(
                    survey, "units", np.flatnonzero(like), f"units mixed up? Their sizes are {times} those of {what}"
                )


def find_contacts(survey: Survey) -> Iterator[SurveyIssue]:
    """Find stones that are deeper in each other than their deviations explain, and stones with nothing under them."""
    boxes = Boxes(survey.size, survey.position, survey.orientation)
    error = measure_errors(survey)
    pairs, total = find_near(boxes, SLACK + DEVIATIONS * error, PAIRS_MAX)
    if total > len(pairs):
        problem = f"{total:,} pairs of stones are near each other, too many to look at; are sizes and places in the same unit?"
        yield make_issue(survey, "overlap", np.arange(len(survey)), problem)
        return
    first, second = pairs.T
    gap = measure_gaps(boxes.take(first), boxes.take(second))
    slack = SLACK + DEVIATIONS * np.hypot(error[first], error[second])
    apart = np.linalg.norm(boxes.position[first] - boxes.position[second], axis=1)
    twice = apart < TWICE * np.minimum(boxes.size[first], boxes.size[second]).min(axis=1)
    deep = (gap < -slack) & ~twice
    for i, j in zip(first[twice].tolist(), second[twice].tolist(), strict=True):
        yield make_issue(survey, "overlap", (i, j), "they are at the same place; was one stone entered twice?")
    for i, j, depth in zip(first[deep].tolist(), second[deep].tolist(), (-gap[deep]).tolist(), strict=True):
        yield make_issue(survey, "overlap", (i, j), f"they are {metres_to_millimetres(depth):.1f} mm deep in each other")
    underside = boxes.measure_underside()
    borne = underside <= SLACK + DEVIATIONS * error
    touch = gap <= slack
    for upper, lower in ((first[touch], second[touch]), (second[touch], first[touch])):
        under = (underside[lower] < underside[upper]) | (survey.position[lower, 2] < survey.position[upper, 2])
        borne[upper[under]] = True
    for row in np.flatnonzero(~borne).tolist():
        height = metres_to_millimetres(underside[row])
        yield make_issue(survey, "floating", (row,), f"it is {height:.1f} mm above the ground, and no stone is under it")


def find_sunk(survey: Survey) -> Iterator[SurveyIssue]:
    """Find stones that reach below the ground."""
    underside = Boxes(survey.size, survey.position, survey.orientation).measure_underside()
    for row in np.flatnonzero(underside < -(SLACK + DEVIATIONS * measure_errors(survey))).tolist():
        depth = metres_to_millimetres(-underside[row])
        yield make_issue(survey, "sunk", (row,), f"its lowest corner is {depth:.1f} mm below the ground")


def find_far(survey: Survey) -> Iterator[SurveyIssue]:
    """Find stones far from all others, and surveys far from the foot of the structure."""
    length = float(np.median(survey.size.max(axis=1)))
    lonely = find_nearest(survey.position) > FAR * length
    for row in np.flatnonzero(lonely).tolist() if len(survey) > 1 else ():
        yield make_issue(survey, "far", (row,), f"no other stone lies within {FAR * length:.2f} m of it")
    nearest = float(np.linalg.norm(survey.position, axis=1).min())
    if nearest > FOOT * length:
        problem = f"all lie {nearest:,.2f} m or more from the foot of the structure; is the origin of the ground right?"
        yield make_issue(survey, "far", np.arange(len(survey)), problem)


def measure_errors(survey: Survey) -> Floats:
    """Return the standard deviation (B,) [m] of the corners of a stone, from those of its place and its direction."""
    return np.hypot(survey.position_sd, survey.orientation_sd * measure_radius(survey.size))
