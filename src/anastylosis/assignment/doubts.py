"""Doubts: surveys that are refused, and what makes an answer less sure than its probabilities.

Each warning and error says what was told, what the blocks say, and what to do.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags
from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.assignment.block_size import PROPORTIONS_MEASURED, format_size, measure_proportions
from anastylosis.assignment.frame import STUMP_MIN
from anastylosis.assignment.model import AssignmentCard, AssignmentModel, AssignmentOutput, build_input
from anastylosis.assignment.unfallen import find_standing
from anastylosis.errors import InvalidInput
from anastylosis.models import Estimate
from anastylosis.structure import BLOCKS_PER_COURSE, LAYERS_MAX, Structure
from anastylosis.survey import Ground, Survey, check_survey

BOXES_MAX = 3_000  # blocks and slots together: the net compares all with all
PROBABLE = 0.5  # probability from which a block counts as one that stood in no slot
FEW = 0.6  # blocks a slot below which the net was hardly trained
CONTRADICTED = 0.01  # probability of a height that was told, by the blocks alone, below which that is said
CROWDED = 1.5  # blocks a slot, above which the height must be wrong
UNSURE = 0.9  # probability of a height below which there is a warning
# How much surer the net is, on average, of blocks turned by a quarter before that is said. Of falls without a stump 3 in 4 were
# noticed that were turned so, and 1 in 20 was doubted that was not (test split and MuJoCo's debris).
TURN_GAIN = 0.04
SLIPPERY = 0.30  # friction below which six in ten fallen blocks of MuJoCo's debris got their slot, and .85 above


class Height(NamedTuple):
    """Number of courses of the tower, and how probable it is."""

    courses: int
    probability: float
    ranked: tuple[tuple[int, float], ...]  # the most probable ones by the blocks alone, the best first
    given: bool = False

    def give(self, courses: int) -> "Height":
        """Return the height that the user gave, beside what the blocks alone say."""
        return self._replace(courses=courses, probability=1.0, given=True)

    @property
    def support(self) -> float:
        """Return how probable the height is by the blocks alone; 0 if it is not among the most probable ones."""
        return dict(self.ranked).get(self.courses, 0.0)


def doubt_count(counted: Estimate, expected: float, half_width: float) -> Iterator[str]:
    """Warn when a complete survey leaves another number of slots empty than the net expects."""
    likely = estimate(expected, half_width).clip(0.0)
    if not likely.low <= counted.value <= likely.high:
        yield (
            f"as every block is said to be surveyed, {counted.value:.0f} slots were empty before the fall; from "
            f"how the blocks lie {likely.low:.0f} to {likely.high:.0f} would be expected, so look whether some are missing"
        )


def doubt_heading(
    model: AssignmentModel, survey: Survey, slots: Structure, friction: float | None, found: AssignmentOutput
) -> Iterator[str]:
    """Warn where too few blocks still stand to confirm origin and heading, and more so if they fit better turned by a quarter."""
    if (find_standing(survey, slots) != UNASSIGNED).sum() >= STUMP_MIN:
        return
    position, orientation = Ground(heading=math.pi / 2).from_site(survey.position, survey.orientation)
    turned = model.run(build_input(replace(survey, position=position, orientation=orientation), slots, friction))
    sure, other = (float(each.placed[0].max(axis=1).mean()) for each in (found, turned))
    if other - sure > TURN_GAIN:
        yield (
            f"turned by 90 degrees the blocks would fit their slots better ({other:.0%} sure, not {sure:.0%}), and too few "
            "still stand to tell; is the heading right?"
        )
    else:
        yield f"fewer than {STUMP_MIN} blocks still stand where they stood, so nothing here confirms origin and heading"


def doubt_friction(likely: Estimate, friction: float | None, least: float) -> Iterator[str]:
    """Warn where friction was, or may have been, so low that blocks slid far."""
    slid = (
        f"friction may have been below {least:.2f}, the least that the model knows ({likely.low:.2f} to {likely.high:.2f} by "
        "how the blocks lie)"
        if friction is None
        else f"friction {friction:.2f} is low"
    )
    if likely.low < least if friction is None else friction < SLIPPERY:
        yield (
            f"{slid}: blocks slide far then, and in debris of another engine about four in ten of the fallen ones got a wrong "
            "slot"
        )


def list_doubts(
    card: AssignmentCard,
    survey: Survey,
    fits: Flags,
    aside: Flags,
    tower: Structure,
    height: Height,
    friction: float | None,
    complete: bool,
) -> list[str]:
    """List what makes the answer less sure than its probabilities."""
    courses = height.courses
    notes: list[str] = []
    if not card.fewest_courses <= courses <= card.most_courses:
        notes.append(f"the model knows towers of {card.fewest_courses} to {card.most_courses} layers, not of {courses}")
    if height.probability < UNSURE:
        notes.append(f"{courses} layers are only {height.probability:.0%} probable; tell the height if you know it (--layers)")
    rows = np.flatnonzero(aside & ~survey.set_aside)
    if len(rows):
        named = ", ".join(survey.ids[row] for row in rows[:3]) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
        notes.append(
            f"{named} lie in a row, evenly apart: laid out, not fallen. They are put back nowhere; declare it "
            "(state: set aside), or move the row's blocks out of the survey"
        )
    if measure_proportions(tower.blocks.size[0]) > PROPORTIONS_MEASURED:
        notes.append(
            f"blocks of {format_size(tower.blocks.size[0])} have other proportions than any that were measured; what is said "
            "of them is less sure than it says"
        )
    if height.given and height.support < CONTRADICTED:
        likely, chance = height.ranked[0]
        notes.append(
            f"{courses} layers are told, and the blocks speak for {likely} ({chance:.0%}); if the height is wrong, so "
            "are most slots below"
        )
    slots = BLOCKS_PER_COURSE * courses
    fitting = int(fits.sum())
    if fitting < FEW * slots and not complete:
        notes.append(
            f"{fitting} blocks for {slots} slots: what was not found is taken for removed, and probabilities "
            "are less sure than they say if many blocks are missing"
        )
    if fitting > slots:
        notes.append(f"{fitting} blocks are more than the {slots} slots of {courses} layers; some are left out")
    if friction is not None and not card.friction[0] <= friction <= card.friction[1]:
        notes.append(f"friction {friction:g} is outside what the model knows, {card.friction[0]:.2f} to {card.friction[1]:.2f}")
    worst = float(survey.position_sd.max()), float(survey.orientation_sd.max())
    if worst[0] > 1.01 * card.position_sd or worst[1] > 1.01 * card.orientation_sd:
        notes.append(
            f"the model learned from surveys good to {1e3 * card.position_sd:.0f} mm and "
            f"{math.degrees(card.orientation_sd):.0f} degrees; this one is worse"
        )
    return [*notes, *(finding.message for finding in check_survey(survey))]


def check_room(blocks: int, courses: int) -> None:
    """Raise when a tower is far too small for the blocks."""
    slots = BLOCKS_PER_COURSE * courses
    if blocks > CROWDED * slots:
        raise InvalidInput(
            f"{blocks} blocks lie there, and a tower of {courses} layers has {slots} slots; tell the true height",
            kind="blocks_many",
        )


def check_layers(layers: Any) -> None:
    """Raise unless a tower can have so many."""
    if layers is not None and (
        isinstance(layers, bool) or not isinstance(layers, int | np.integer) or not 1 <= layers <= LAYERS_MAX
    ):
        raise InvalidInput(f"layers is {layers!r}; a tower has a whole number of them, 1 to {LAYERS_MAX}")


def check_boxes(blocks: int, slots: int) -> None:
    """Raise when there are more blocks and slots than the net can compare."""
    if blocks + slots > BOXES_MAX:
        raise InvalidInput(
            f"{blocks:,} blocks and {slots:,} slots are too many to compare; together up to {BOXES_MAX:,} can be",
            kind="survey_many",
        )


def reason_unplaced(
    survey: Survey,
    fits: NDArray[np.bool_],
    aside: Flags,
    slot: NDArray[np.int64],
    unplaced: NDArray[np.float64],
    block: int,
    slots: int,
) -> str:
    """Return the reason why a block is left out; "" when it is not."""
    if slot[block] != UNASSIGNED:
        return ""
    if survey.set_aside[block]:
        return "it was set aside, so where it lies says nothing"
    if aside[block]:
        return "it lies in a row, laid out and not fallen, so where it lies says nothing"
    if not fits[block]:
        sides = " x ".join(f"{1e3 * side:.0f}" for side in survey.size[block])
        return f"its size, {sides} mm, fits no slot"
    if unplaced[block] >= PROBABLE:
        return "it more probably stood in none of the slots"
    if fits.sum() > slots:
        return "there are more blocks than slots, and others fit better"
    return "others fit better into the slots that it may have stood in"


def estimate(value: float, half: float) -> Estimate:
    """Return an estimate with a range of `half` on each side."""
    return Estimate(value=value, low=value - half, high=value + half)
