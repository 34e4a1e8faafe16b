"""Doubt: surveys with a mistake of the user, and whether the answer is refused, doubted, or wrong in silence.

Each survey is given to the assigner as a user gives it. Surveys without a mistake show how often it doubts for nothing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from anastylosis.arrays import Flags, Integers
from anastylosis.assignment import UNASSIGNED, Assigner
from anastylosis.dataset import Examples
from anastylosis.errors import InvalidInput
from anastylosis.geometry import turn_about
from anastylosis.survey import Ground, Noise, Survey, survey_debris
from anastylosis.training.assignment.debris import Debris, gather_debris
from anastylosis.training.assignment.job import FIELD_NOISE
from anastylosis.validation import Interval, ScoreRow

HEAD = "doubt"
EXACT = Noise()
ROW_BLOCKS, ROW_LEAST = 8, 5  # fallen blocks that are laid in a row, at most and at least
ROW_STEP, ROW_AWAY = 0.05, 0.15  # [m] apart, and beside the heap
# Words of the warnings and errors that name a mistake.
FRAME, QUARTER, AWAY = "give --origin", "is the heading right?", "is the origin right?"
HEIGHT, TRUE_HEIGHT = "layers are told, and the blocks speak for", "tell the true height"
ROW, PACKED = "laid out, not fallen", "(--units)"
DOUBTS = (FRAME, QUARTER, AWAY, HEIGHT, TRUE_HEIGHT, ROW, PACKED)
LOW_FRICTION = "friction may have been below"
UNCHECKED = "nothing here confirms origin and heading"


class Case(NamedTuple):
    """A survey with its truth, and what the user tells about it."""

    survey: Survey
    slot: Integers  # (B,) in which each block stood
    fell: Flags  # (B,)
    layers: int
    moved: Flags  # (B,) blocks that somebody laid out after the fall


def view_from(case: Case, wrong: Ground) -> Case:
    """Return the case as it is written down by a user who takes `wrong` for the frame of the tower."""
    position, orientation = wrong.from_site(case.survey.position, case.survey.orientation)
    return case._replace(survey=replace(case.survey, position=position, orientation=orientation))


def turn(degrees: float) -> Callable[[Case], Case]:
    return lambda case: view_from(case, Ground(heading=math.radians(degrees)))


def shift(x: float, y: float, z: float) -> Callable[[Case], Case]:
    return lambda case: view_from(case, Ground(origin=np.array((x, y, z))))


def tell_height(share: float) -> Callable[[Case], Case]:
    return lambda case: case._replace(layers=round(share * case.layers))


def shrink_places(case: Case) -> Case:
    """Return the case with places in millimetres read as metres of sizes that are right: all centres are nearly one."""
    return case._replace(survey=replace(case.survey, position=1e-3 * case.survey.position))


def lay_row(case: Case) -> Case | None:
    """Return the case with fallen blocks laid in a row beside the heap; None where too few fell."""
    rows = np.flatnonzero(case.fell)[:ROW_BLOCKS]
    if len(rows) < ROW_LEAST:
        return None
    position, orientation = case.survey.position.copy(), case.survey.orientation.copy()
    reach = float(position[:, 0].max()) + ROW_AWAY
    position[rows] = [(reach, ROW_STEP * place, case.survey.size[row, 2] / 2) for place, row in enumerate(rows)]
    orientation[rows] = turn_about(2, 0.0)
    moved = np.isin(np.arange(len(case.slot)), rows)
    return case._replace(survey=replace(case.survey, position=position, orientation=orientation), moved=moved)


class Mistake(NamedTuple):
    """A mistake in a survey or in what is told about it, and the words that name it."""

    name: str
    make: Callable[[Case], Case | None]  # None: it cannot be made in this survey
    words: tuple[str, ...] = DOUBTS  # one of them is in an error or a warning that names the mistake
    noise: Noise = EXACT


class DoubtAnswer(NamedTuple):
    """Result of one case."""

    refused: bool
    said: bool  # refused or warned, in the words of the mistake
    unchecked: bool  # said that nothing confirms where the tower stood
    right: int  # fallen blocks put into their slots
    claimed: float  # sum of the probabilities of the slots that fallen blocks were put into
    fell: int  # fallen blocks, 0 where the case was refused
    moved: int  # blocks that were laid out
    placed: int  # and of them those that were put into slots


@dataclass(frozen=True, kw_only=True, eq=False)
class DoubtTest:
    """Falls that no training has seen, surveyed with each mistake."""

    MISTAKES: ClassVar[tuple[Mistake, ...]] = (
        Mistake("doubt-none", lambda case: case),
        Mistake("doubt-none-field", lambda case: case, noise=FIELD_NOISE),
        Mistake("doubt-heading-90", turn(90), (FRAME, QUARTER)),
        Mistake("doubt-heading-30", turn(30), (FRAME, QUARTER)),
        Mistake("doubt-origin-2m", shift(2.0, 1.0, 0.0), (FRAME, AWAY)),
        Mistake("doubt-z-up", shift(0.0, 0.0, -0.5), (FRAME, AWAY)),
        Mistake("doubt-z-down", shift(0.0, 0.0, 0.2), (FRAME, AWAY)),
        Mistake("doubt-height-low", tell_height(2 / 3), (HEIGHT, TRUE_HEIGHT)),
        Mistake("doubt-height-high", tell_height(4 / 3), (HEIGHT,)),
        Mistake("doubt-one-point", shrink_places, (PACKED,)),
        Mistake("doubt-row", lay_row, (ROW,)),
        Mistake("doubt-friction", lambda case: case, (LOW_FRICTION,)),
    )
    SLIPPERY: ClassVar[tuple[Mistake, ...]] = (Mistake("doubt-slippery", lambda case: case, (LOW_FRICTION,)),)

    examples: Examples
    mistakes: tuple[Mistake, ...] = MISTAKES

    def evaluate(self, name: str, assigner: Assigner) -> Iterator[list[ScoreRow]]:
        """Yield the rows of one mistake after another."""
        debris = gather_debris(self.examples)
        for mistake in self.mistakes:
            cases = (mistake.make(open_case(debris, row, mistake.noise)) for row in range(len(debris)))
            yield score_doubts(mistake.name, name, [answer_case(mistake, case, assigner) for case in cases if case is not None])


def open_case(debris: Debris, row: int, noise: Noise) -> Case:
    """Survey one collapse, always alike, without a mistake."""
    names = [str(number) for number in range(debris.position.shape[1])]
    rng = np.random.default_rng((0, row))
    survey, origin = survey_debris(names, debris.size[row], debris.position[row], debris.orientation[row], noise, rng)
    none = np.zeros(len(survey), bool)
    return Case(survey, debris.slot[row, origin], debris.fell[row, origin], int(debris.courses[row]), none)


def answer_case(mistake: Mistake, case: Case, assigner: Assigner) -> DoubtAnswer:
    """Answer one case as the command does."""
    try:
        found = assigner.assign(case.survey, case.layers)
    except InvalidInput as problem:
        said = any(words in str(problem) for words in mistake.words)
        return DoubtAnswer(True, said, False, 0, 0.0, 0, int(case.moved.sum()), 0)
    there = found.slot != UNASSIGNED
    fell = case.fell & ~case.moved
    sure = np.where(there, found.placed[np.arange(len(there)), np.maximum(found.slot, 0)], 0.0)
    return DoubtAnswer(
        refused=False,
        said=any(words in warning for words in mistake.words for warning in found.warnings),
        unchecked=any(UNCHECKED in warning for warning in found.warnings),
        right=int((found.slot == case.slot)[fell].sum()),
        claimed=float(sure[fell].sum()),
        fell=int(fell.sum()),
        moved=int(case.moved.sum()),
        placed=int((there & case.moved).sum()),
    )


def score_doubts(split: str, model: str, answers: Sequence[DoubtAnswer]) -> list[ScoreRow]:
    """Score the answers to one mistake: what was refused, what was said, and what was right where an answer was given.

    `silent_right` and `silent_claimed` are of the surveys that got an answer without a word.
    """
    cases = len(answers)

    def count(name: str, which: Sequence[bool]) -> ScoreRow:
        return ScoreRow(split, HEAD, name, model, *Interval.wilson(sum(which), len(which)), len(which))

    def share(name: str, which: Sequence[DoubtAnswer], top: str, bottom: str) -> Iterator[ScoreRow]:
        tops, bottoms = (np.array([getattr(each, field) for each in which], float) for field in (top, bottom))
        if bottoms.sum() > 0:
            yield ScoreRow(split, HEAD, name, model, *Interval.bootstrap_ratio(tops, bottoms), cases)

    given = [each for each in answers if not each.refused]
    silent = [each for each in given if not each.said]
    return [
        count("refused", [each.refused for each in answers]),
        count("said", [each.said for each in answers]),
        count("unchecked", [each.unchecked for each in answers]),
        *share("right", given, "right", "fell"),
        *share("claimed", given, "claimed", "fell"),
        *share("silent_right", silent, "right", "fell"),
        *share("silent_claimed", silent, "claimed", "fell"),
        *share("row_placed", answers, "placed", "moved"),
    ]
