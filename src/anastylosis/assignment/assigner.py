"""Assigner: a survey of fallen blocks in, an assignment to the slots of a tower out."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Vector
from anastylosis.assignment.assignment import UNASSIGNED, Assignment, match_blocks
from anastylosis.assignment.block_size import (
    choose_block_size,
    find_fitting,
    scale_survey,
)
from anastylosis.assignment.doubts import (
    Height,
    check_boxes,
    check_layers,
    check_room,
    doubt_count,
    doubt_friction,
    doubt_heading,
    estimate,
    list_doubts,
    reason_unplaced,
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
from anastylosis.models import Estimate, find_coefficient
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE, FRICTION_MAX, Structure, jenga_tower
from anastylosis.survey import Survey

HEIGHTS_RANKED = 5  # heights that are listed


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
        fit_frame: bool | None = None,
    ) -> Assignment:
        """Assign each block to the slot in which it stood.

        `layers`: height of the tower before the fall; inferred from the blocks if it is not given. `friction`: a level of the
        card or a coefficient, if known. `complete`: no block is missing, so slots without one were empty before the fall.
        `block`: length, width and height of the blocks [m]; if it is not given, the usual size of the surveyed ones. Blocks of
        another size are left out, each with the reason. `fit_frame`: where the blocks contradict origin or heading, believe the
        blocks (True) or what was given (False); None: that raises.
        """
        if not isinstance(survey, Survey):
            raise InvalidInput(f"survey is {survey!r:.60}; it is a Survey, which `read_survey` reads from a file")
        check_layers(layers)
        known = find_coefficient(friction, self.card.frictions)
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
        half_width, expected = self.card.calibration.half_width["num_removed"], float(found.removed[0].sum())
        doubts = (  # before what is said of single blocks, of which there may be many
            *(doubt_count(made.num_removed, expected, half_width) if complete else ()),
            *doubt_heading(self.model, own, slots, known, found),
            *doubt_friction(made.friction, known, self.card.friction[0]),
        )
        return replace(made, warnings=(*survey.warnings, *doubts, *made.warnings[len(survey.warnings) :]))

    def infer_height(self, survey: Survey, friction: float | None) -> Height:
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
        height: Height,
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
            warnings=(*survey.warnings, *list_doubts(self.card, survey, fits, aside, tower, height, friction, complete)),
        )

    def estimate_removed(self, expected: float, missing: int) -> Estimate:
        """Return the number of slots that were empty; `missing`: slots without a block that was found."""
        low, high = self.card.calibration.find_removed_range(expected, missing)
        return Estimate(value=expected, low=low, high=high)
