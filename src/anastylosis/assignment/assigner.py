"""Assigner: a survey of fallen blocks in, an assignment to the slots of a tower out."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Vector
from anastylosis.assignment.assignment import UNASSIGNED, Assignment, match_blocks
from anastylosis.assignment.block_size import (
    PROPORTIONS_MEASURED,
    choose_block_size,
    find_fitting,
    format_size,
    measure_proportions,
    scale_survey,
)
from anastylosis.assignment.frame import settle_frame
from anastylosis.assignment.model import (
    DIRECT,
    AssignmentCard,
    AssignmentModel,
    AssignmentOutput,
    assume_complete,
    build_input,
    fewest_courses,
)
from anastylosis.assignment.unfallen import find_laid_out
from anastylosis.errors import InvalidInput
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.models import Estimate, find_coefficient
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE, FRICTION_MAX, LAYERS_MAX, Structure, jenga_tower
from anastylosis.survey import Survey, check_survey

BOXES_MAX = 3_000  # blocks and slots together: the net compares all with all
PROBABLE = 0.5  # probability from which a block counts as one that stood in no slot
BLOCKS_PER_SLOT_MIN = 0.6  # blocks a slot below which the net was hardly trained
CONTRADICTED = 0.01  # probability of a height that was told, by the blocks alone, below which that is said
CROWDED = 1.5  # blocks a slot, above which the height must be wrong
HEIGHTS_RANKED = 5  # heights that are listed
UNSURE = 0.9  # probability of a height below which there is a warning


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigner:
    """Assigns blocks to slots with a trained net, one survey at a time."""

    model: AssignmentModel

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "Assigner":
        """Open a model that `anastylosis train assign` has written."""
        model = AssignmentModel.from_file(path, threads)
        if model.card.preset == DIRECT:
            raise InvalidInput(
                f"{path} predicts which slots were empty and places no block; `evaluate --with` takes it, to compare"
            )
        return cls(model=model)

    @property
    def card(self) -> AssignmentCard:
        """Card of the model: the towers and surveys that it was trained on."""
        return self.model.card

    def assign(
        self,
        survey: Survey,
        layers: int | None = None,
        friction: str | float | None = None,
        *,
        complete: bool = False,
        block: Vector | None = None,
        fit_frame: bool = False,
    ) -> Assignment:
        """Assign each block to the slot in which it stood.

        `layers`: height of the tower before the fall; inferred from the blocks if it is not given. `friction`: a level of the
        card or a coefficient, if known. `complete`: no block is missing, so slots without one were empty before the fall.
        `block`: length, width and height of the blocks [m]; if it is not given, the usual size of the surveyed ones. Blocks of
        another size are left out, each with the reason. `fit_frame`: where a stump contradicts origin or heading, believe the
        stump; else that raises.
        """
        if not isinstance(survey, Survey):
            raise InvalidInput(f"survey is {survey!r:.60}; it is a Survey, which `read_survey` reads from a file")
        check_layers(layers)
        known = find_coefficient(friction, self.card.frictions)
        refuse_packed(survey)
        size = choose_block_size(survey, block)
        survey = settle_frame(survey, size, fit=fit_frame)
        aside = survey.set_aside | find_laid_out(survey, size)
        fits = find_fitting(survey.size, size) & ~aside
        if not fits.any():
            raise InvalidInput(
                "every block was set aside; where they lie says nothing about where they stood", kind="blocks_nowhere"
            )
        own = scale_survey(survey.select(fits), size)
        likely = self.infer_height(own, known)
        height = likely if layers is None else likely.give(layers)
        slots = jenga_tower(height.courses)
        check_boxes(len(own), len(slots))
        check_room(len(own), height.courses)
        found = self.model.run(build_input(own, slots, known))
        if known is not None:  # the estimate of friction comes from the poses alone
            found = found._replace(friction=self.model.run(build_input(own, slots)).friction)
        tower = slots if size == BLOCK_SIZE else jenga_tower(height.courses, size=size)
        made = self.build_assignment(
            survey, fits, aside, height, tower, assume_complete(found) if complete else found, known, complete
        )
        doubts = self.doubt_count(made.num_removed, float(found.removed[0].sum())) if complete else ()
        return replace(made, warnings=(*made.warnings, *doubts))

    def infer_height(self, survey: Survey, friction: float | None) -> "Height":
        """Infer the most probable height from the blocks alone."""
        fewest = int(fewest_courses(len(survey)))
        check_boxes(len(survey), BLOCKS_PER_COURSE * fewest)
        chances = self.model.run(build_input(survey, jenga_tower(fewest), friction)).courses[0]
        order = np.argsort(-chances, kind="stable")[:HEIGHTS_RANKED]
        return Height(
            fewest + int(order[0]), float(chances[order[0]]), tuple((fewest + int(n), float(chances[n])) for n in order)
        )

    def build_assignment(
        self,
        survey: Survey,
        fits: NDArray[np.bool_],
        aside: Flags,
        height: "Height",
        tower: Structure,
        found: AssignmentOutput,
        friction: float | None,
        complete: bool,
    ) -> Assignment:
        """Build the assignment from the outputs of the net."""
        blocks, rows = len(survey), np.flatnonzero(fits)
        placed, unplaced = np.zeros((blocks, len(tower))), np.ones(blocks)
        placed[rows], unplaced[rows] = found.placed[0], found.unplaced[0]
        slot = np.full(blocks, UNASSIGNED)
        slot[rows] = match_blocks(found.placed[0], found.unplaced[0], found.empty[0])
        removed = found.removed[0].astype(np.float64)
        widths = self.card.calibration.half_width
        coefficient, way = float(found.friction[0]), found.direction[0].astype(float)
        known = complete and height.given  # every block was found, and slots are known: the rest were empty
        gone = float(len(tower) - (slot != UNASSIGNED).sum()) if known else float(removed.sum())
        guessed = (slot[rows] == UNASSIGNED).any()  # that a block that fits stood in no slot
        counted = known and not guessed
        return Assignment(
            survey=survey,
            structure=tower,
            placed=placed,
            unplaced=unplaced,
            removed=removed,
            slot=slot,
            reasons=tuple(reason_unplaced(survey, fits, aside, slot, unplaced, block, len(tower)) for block in range(blocks)),
            courses_given=height.given,
            courses_probability=height.probability,
            courses_ranked=height.ranked,
            num_removed=Estimate(value=gone, low=gone, high=gone, counted=True)
            if counted
            else self.estimate_removed(gone, len(tower) - len(rows) - int(aside.sum())).clip(0.0, len(tower)),
            failure=found.failure[0].astype(np.float64).reshape(height.courses, BLOCKS_PER_COURSE).sum(axis=1),
            friction=estimate(coefficient, widths["friction"]).clip(0.0, FRICTION_MAX),
            friction_given=friction,
            direction=math.atan2(way[1], way[0]),
            direction_certainty=min(1.0, math.hypot(*way)),
            model=self.card.preset,
            warnings=(*survey.warnings, *self.warn(survey, fits, aside, tower, height, friction, complete)),
        )

    def estimate_removed(self, expected: float, missing: int) -> Estimate:
        """Return the number of slots that were empty; `missing`: slots without a block that was found."""
        low, high = self.card.calibration.find_removed_range(expected, missing)
        return Estimate(value=expected, low=low, high=high)

    def doubt_count(self, counted: Estimate, expected: float) -> Iterator[str]:
        """Warn when a complete survey leaves another number of slots empty than the net expects."""
        likely = estimate(expected, self.card.calibration.half_width["num_removed"]).clip(0.0)
        if not likely.low <= counted.value <= likely.high:
            yield (
                f"as every block is said to be surveyed, {counted.value:.0f} slots were empty before the fall; from "
                f"how the blocks lie {likely.low:.0f} to {likely.high:.0f} would be expected, so look whether some are missing"
            )

    def warn(
        self,
        survey: Survey,
        fits: Flags,
        aside: Flags,
        tower: Structure,
        height: "Height",
        friction: float | None,
        complete: bool,
    ) -> list[str]:
        """List what makes the answer less sure than its probabilities."""
        card, courses = self.card, height.courses
        notes = [finding.message for finding in check_survey(survey)]
        if not card.fewest_courses <= courses <= card.most_courses:
            notes.append(f"the model knows towers of {card.fewest_courses} to {card.most_courses} layers, not of {courses}")
        if height.probability < UNSURE:
            notes.append(
                f"{courses} layers are only {height.probability:.0%} probable; tell the height if you know it (--layers)"
            )
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
        if fitting < BLOCKS_PER_SLOT_MIN * slots and not complete:
            notes.append(
                f"{fitting} blocks for {slots} slots: what was not found is taken for removed, and probabilities "
                "are less sure than they say if many blocks are missing"
            )
        if fitting > slots:
            notes.append(f"{fitting} blocks are more than the {slots} slots of {courses} layers; some are left out")
        if friction is not None and not card.friction[0] <= friction <= card.friction[1]:
            notes.append(
                f"friction {friction:g} is outside what the model knows, {card.friction[0]:.2f} to {card.friction[1]:.2f}"
            )
        worst = float(survey.position_sd.max()), float(survey.orientation_sd.max())
        if worst[0] > 1.01 * card.position_sd or worst[1] > 1.01 * card.orientation_sd:
            notes.append(
                f"the model learned from surveys good to {1e3 * card.position_sd:.0f} mm and "
                f"{math.degrees(card.orientation_sd):.0f} degrees; this one is worse"
            )
        return notes


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


def refuse_packed(survey: Survey) -> None:
    """Raise when there is no room for all the blocks where they are said to lie."""
    corners = find_corners(survey.position, survey.size, make_matrices(survey.orientation))
    room, taken = float(np.ptp(corners.reshape(-1, 3), axis=0).prod()), float(survey.size.prod(axis=1).sum())
    if taken > room:
        raise InvalidInput(
            f"the {len(survey)} blocks take {taken / room:.1f} times the room in which they are said to lie; are the places in "
            "the same unit as the sizes? (--units)",
            kind="blocks_packed",
        )


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
