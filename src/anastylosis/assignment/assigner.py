"""Assigner: a survey of fallen blocks in, where each of them stood out."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.assignment.assignment import Assignment
from anastylosis.assignment.card import DIRECT, AssignmentCard
from anastylosis.assignment.fit import find_fitting
from anastylosis.assignment.matching import ALONE, match_blocks
from anastylosis.assignment.model import AssignmentModel
from anastylosis.assignment.sheet import Findings, fewest_courses, lay_out, take_as_complete
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import PLACES
from anastylosis.models.coefficient import FRICTION_MAX, find_coefficient
from anastylosis.models.prediction import Estimate
from anastylosis.structure import Structure, jenga_tower
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.survey import Survey, check_survey

__all__ = ["Assigner"]

BOXES_MAX = 3_000  # blocks and slots together: the network compares all with all
COURSES_MAX = 1_000
PROBABLE = 0.5
FEW = 0.6  # share of the slots: with fewer blocks than this hardly any tower fell that was learned from
CROWDED = 1.5  # blocks a slot, above which the height must be wrong
RANKED = 5  # heights that are told
UNSURE = 0.9  # a height that is less probable is told as a warning


@dataclass(frozen=True, kw_only=True, eq=False)
class Assigner:
    """A trained model at work on one survey at a time."""

    model: AssignmentModel

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "Assigner":
        """Open a model that `anastylosis train assign` has written."""
        model = AssignmentModel.from_file(path, threads)
        if model.card.preset == DIRECT:
            raise InvalidInput(f"{path} tells which slots were empty and places no block; `evaluate --with` takes it, to compare")
        return cls(model=model)

    @property
    def card(self) -> AssignmentCard:
        """What the model says about itself."""
        return self.model.card

    def assign(
        self, survey: Survey, layers: int | None = None, friction: str | float | None = None, *, complete: bool = False
    ) -> Assignment:
        """Where each block stood.

        `layers`: of the tower as it stood before the fall, if known; else it is inferred from the blocks. `friction`: a
        level of the card or a coefficient, if known. `complete`: no block is missing, so that slots
        without one were empty before the fall. Blocks of another size than the tower's are left out with the reason.
        """
        if not isinstance(survey, Survey):
            raise InvalidInput(f"survey is {survey!r:.60}; it is a Survey, which `read_survey` reads from a file")
        check_layers(layers)
        told = find_coefficient(friction, self.card.frictions)
        fits = find_fitting(survey.size)
        if not fits.any():
            raise InvalidInput(tell_misfit(survey), kind="blocks_misfit")
        own = survey.select(fits)
        height = self.infer_height(own, told) if layers is None else Height(layers, 1.0)
        tower = jenga_tower(height.courses)
        check_boxes(len(own), len(tower))
        check_room(len(own), height.courses)
        found = self.model.run(lay_out(own, tower, told))
        if told is not None:  # what it says of friction is to come from the poses, and not to be what it was told
            found = found._replace(friction=self.model.run(lay_out(own, tower)).friction)
        said = self.conclude(survey, fits, height, tower, take_as_complete(found) if complete else found, told, complete)
        doubts = self.doubt_count(said.num_removed, float(found.removed[0].sum())) if complete else ()
        return replace(said, warnings=(*said.warnings, *doubts))

    def infer_height(self, survey: Survey, friction: float | None) -> "Height":
        """The most probable height. It is read off the blocks alone."""
        fewest = int(fewest_courses(len(survey)))
        check_boxes(len(survey), PLACES * fewest)
        chances = self.model.run(lay_out(survey, jenga_tower(fewest), friction)).courses[0]
        order = np.argsort(-chances, kind="stable")[:RANKED]
        return Height(
            fewest + int(order[0]), float(chances[order[0]]), tuple((fewest + int(n), float(chances[n])) for n in order)
        )

    def conclude(
        self,
        survey: Survey,
        fits: NDArray[np.bool_],
        height: "Height",
        tower: Structure,
        found: Findings,
        friction: float | None,
        complete: bool,
    ) -> Assignment:
        """What the network found, and what follows."""
        blocks, rows = len(survey), np.flatnonzero(fits)
        placed, unplaced = np.zeros((blocks, len(tower))), np.ones(blocks)
        placed[rows], unplaced[rows] = found.placed[0], found.unplaced[0]
        slot = np.full(blocks, ALONE)
        slot[rows] = match_blocks(found.placed[0], found.unplaced[0], found.empty[0])
        removed = found.removed[0].astype(np.float64)
        widths = self.card.calibration.half_width
        coefficient, way = float(found.friction[0]), found.direction[0].astype(float)
        known = complete and not height.ranked  # every block was found, and slots are known: the rest were empty
        gone = float(len(tower) - (slot != ALONE).sum()) if known else float(removed.sum())
        guessed = (slot[rows] == ALONE).any()  # that a block that fits stood in no slot
        counted = known and not guessed
        return Assignment(
            survey=survey,
            structure=tower,
            placed=placed,
            unplaced=unplaced,
            removed=removed,
            slot=slot,
            reasons=tuple(tell_reason(survey, fits, slot, unplaced, block, len(tower)) for block in range(blocks)),
            courses_given=not height.ranked,
            courses_probability=height.probability,
            courses_ranked=height.ranked,
            num_removed=Estimate(value=gone, low=gone, high=gone, counted=True)
            if counted
            else estimate(gone, widths["num_removed"]).clip(0.0, len(tower)),
            failure=found.failure[0].astype(np.float64).reshape(height.courses, PLACES).sum(axis=1),
            friction=estimate(coefficient, widths["friction"]).clip(0.0, FRICTION_MAX),
            friction_given=friction,
            direction=math.atan2(way[1], way[0]),
            direction_certainty=min(1.0, math.hypot(*way)),
            model=self.card.preset,
            warnings=(*survey.warnings, *self.warn(survey, height, friction, complete)),
        )

    def doubt_count(self, counted: Estimate, expected: float) -> Iterator[str]:
        """Where so many slots are empty because every block is said to be surveyed, and the net expects another number."""
        said = estimate(expected, self.card.calibration.half_width["num_removed"]).clip(0.0)
        if not said.low <= counted.value <= said.high:
            yield (
                f"as every block is said to be surveyed, {counted.value:.0f} slots were empty before the fall; from "
                f"how the blocks lie {said.low:.0f} to {said.high:.0f} would be expected, so look whether some are missing"
            )

    def warn(self, survey: Survey, height: "Height", friction: float | None, complete: bool) -> list[str]:
        """What makes the answer less sure than it looks."""
        card, courses = self.card, height.courses
        notes = [finding.message for finding in check_survey(survey)]
        if not card.fewest_courses <= courses <= card.most_courses:
            notes.append(f"the model knows towers of {card.fewest_courses} to {card.most_courses} layers, not of {courses}")
        if height.probability < UNSURE:
            notes.append(
                f"{courses} layers are only {height.probability:.0%} probable; tell the height if you know it (--layers)"
            )
        fitting = int(find_fitting(survey.size).sum())
        if fitting < FEW * PLACES * courses and not complete:
            notes.append(
                f"{fitting} blocks for {PLACES * courses} slots: what was not found is taken for removed, and probabilities "
                "are less sure than they say if many blocks are missing"
            )
        if fitting > PLACES * courses:
            notes.append(f"{fitting} blocks are more than the {PLACES * courses} slots of {courses} layers; some are left out")
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
    """How many courses there were."""

    courses: int
    probability: float
    ranked: tuple[tuple[int, float], ...] = ()  # the most probable ones first; none when it was told


def check_room(blocks: int, courses: int) -> None:
    """Raise when a tower is far too small for the blocks: most would be left out, and the rest sure of nothing."""
    if blocks > CROWDED * PLACES * courses:
        raise InvalidInput(
            f"{blocks} blocks lie there, and a tower of {courses} layers has {PLACES * courses} slots; tell the true height",
            kind="blocks_many",
        )


def check_layers(layers: Any) -> None:
    """Raise unless a tower can have so many."""
    if layers is not None and (
        isinstance(layers, bool) or not isinstance(layers, int | np.integer) or not 1 <= layers <= COURSES_MAX
    ):
        raise InvalidInput(f"layers is {layers!r}; a tower has a whole number of them, 1 to {COURSES_MAX}")


def check_boxes(blocks: int, slots: int) -> None:
    if blocks + slots > BOXES_MAX:
        raise InvalidInput(
            f"{blocks:,} blocks and {slots:,} slots are too many to compare; together up to {BOXES_MAX:,} can be",
            kind="survey_many",
        )


def tell_misfit(survey: Survey) -> str:
    """Why not one block fits; most often the units are mixed up."""
    seen = " x ".join(f"{side:g}" for side in np.median(survey.size, axis=0))
    wanted = " x ".join(f"{side:g}" for side in BLOCK_SIZE)
    message = f"no block fits a slot: the slots are of {wanted} m, and the blocks of the survey about {seen} m"
    mixed = [finding.message for finding in check_survey(survey) if finding.kind == "units"]
    return f"{message}. {mixed[0]}; tell the unit of its lengths (--units)" if mixed else message


def tell_reason(
    survey: Survey,
    fits: NDArray[np.bool_],
    slot: NDArray[np.int64],
    unplaced: NDArray[np.float64],
    block: int,
    slots: int,
) -> str:
    """Why a block is left out; "" when it is not."""
    if slot[block] != ALONE:
        return ""
    if not fits[block]:
        sides = " x ".join(f"{1e3 * side:.0f}" for side in survey.size[block])
        return f"its size, {sides} mm, fits no slot"
    if unplaced[block] >= PROBABLE:
        return "it more probably stood in none of the slots"
    if fits.sum() > slots:
        return "there are more blocks than slots, and others fit better"
    return "others fit better into the slots that it may have stood in"


def estimate(value: float, half: float) -> Estimate:
    return Estimate(value=value, low=value - half, high=value + half)
