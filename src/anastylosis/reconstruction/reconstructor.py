"""Reconstructor: a survey of fallen blocks in, ranked proposals of how the tower stood out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from anastylosis.assignment.assigner import Assigner
from anastylosis.assignment.matching import UNASSIGNED
from anastylosis.errors import InvalidInput
from anastylosis.executors import run_serial
from anastylosis.reconstruction.assembly import Step, StepJob, list_step_jobs, measure_step, set_friction
from anastylosis.reconstruction.calibration import Calibration, read_calibration
from anastylosis.reconstruction.case import Case, Execute, Friction, ReconstructionConfig, Tell, open_case
from anastylosis.reconstruction.fall import Fall
from anastylosis.reconstruction.flaws import find_flaws
from anastylosis.reconstruction.proposals import propose
from anastylosis.reconstruction.reconstruction import Hypothesis, Reconstruction
from anastylosis.reconstruction.replays import TriedPull, rank, replay, try_moves
from anastylosis.reconstruction.retrieval import retrieve
from anastylosis.reconstruction.weighing import join_filled, join_placed
from anastylosis.survey import Survey

__all__ = ["Reconstructor", "list_assembly", "plan_assembly"]

APART = 1.5  # empty slots by which a proposal and the number that is expected may differ unsaid


def tell_nothing(what: str, done: int, total: int) -> None:
    """Work in silence."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Reconstructor:
    """A trained model, a calibration and a library at work on one survey at a time."""

    assigner: Assigner
    calibration: Calibration = field(default_factory=read_calibration)
    library: Sequence[Fall] = ()

    def reconstruct(
        self,
        survey: Survey,
        *,
        layers: int | None = None,
        friction: Friction | None = None,
        complete: bool = False,
        name: str | None = None,
        config: ReconstructionConfig | None = None,
        execute: Execute = run_serial,
        tell: Tell = tell_nothing,
    ) -> Reconstruction:
        """Ranked proposals of how the tower stood.

        `layers`, `friction`, `complete`: as of `Assigner.assign`. `name`: of the picture or survey, to look its episode up by;
        None: do not. `execute` runs jobs, here or on all cores: the answer is the same.
        """
        flaws = find_flaws(survey, complete=complete)
        rows = np.array([row for row in range(len(survey)) if row not in flaws], np.int64)
        if not len(rows):
            raise InvalidInput(
                "no block of the survey can be where it is said to be; look at sizes, units and places", kind="blocks_nowhere"
            )
        told = None if friction is None else friction.exact
        assignment = self.assigner.assign(survey.select(rows), layers, told, complete=complete)
        case = open_case(assignment, self.calibration, friction, config or ReconstructionConfig(), complete=complete)
        proposals, dropped = propose(case)
        moves = try_moves(case, proposals[0].state, execute, tell)
        hypotheses = rank(case, replay(case, proposals, moves, execute, tell))
        reconstruction = conclude(case, survey, flaws, hypotheses, moves)
        reconstruction = replace(reconstruction, rows=rows, dropped=dropped, reference=retrieve(self.library, assignment, name))
        if not case.config.assembly:
            return reconstruction
        return replace(reconstruction, steps=plan_assembly(reconstruction, execute, tell))


def conclude(
    case: Case, survey: Survey, flaws: dict[int, str], hypotheses: Sequence[Hypothesis], moves: Sequence[TriedPull]
) -> Reconstruction:
    """What the hypotheses say together; without physics it is what the net says."""
    simulated = case.config.hypotheses > 0
    weights = np.array([each.probability for each in hypotheses]) if simulated else np.ones(len(hypotheses))
    share = case.calibration.physics if simulated else 0.0
    placed = join_placed(case.placed, [each.votes for each in hypotheses], weights, share)
    filled = join_filled(1 - case.removed, [each.state for each in hypotheses], weights, share)
    seen = np.flatnonzero(case.pinned != UNASSIGNED)  # no proposal says more of these than the survey does
    placed[seen], filled[case.pinned[seen]] = case.placed[seen], 1 - case.removed[case.pinned[seen]]
    return Reconstruction(
        survey=survey,
        rows=np.arange(len(survey)),
        flaws=flaws,
        assignment=case.assignment,
        pinned=case.pinned,
        placed=placed,
        filled=filled,
        level=case.calibration.level if case.complete else case.calibration.level_incomplete,
        hypotheses=tuple(hypotheses),
        moves=tuple(moves),
        told_friction=case.friction,
        tried_friction=find_tried(case, hypotheses, moves),
        building_friction=case.cautious,
        warnings=(*warn_of_flaws(survey, flaws), *case.assignment.warnings, *warn_of_proposals(case, hypotheses)),
    )


def find_tried(case: Case, hypotheses: Sequence[Hypothesis], moves: Sequence[TriedPull]) -> Friction | None:
    """The least and the most friction of all that was re-simulated; `moves` all had the same."""
    tried = [each.friction for each in hypotheses if each.trial] + [case.coefficient] * bool(moves)
    return Friction(min(tried), max(tried)) if tried else None


def warn_of_flaws(survey: Survey, flaws: dict[int, str]) -> Iterator[str]:
    for row, reason in sorted(flaws.items()):
        yield f"{survey.ids[row]}: {reason}; it is put back nowhere"


def warn_of_proposals(case: Case, hypotheses: Sequence[Hypothesis]) -> Iterator[str]:
    asked = case.config.hypotheses
    if not any(each.stands for each in hypotheses):
        yield "no state that was drawn could have stood by statics; was the tower perhaps of another height?"
    if asked and not any(each.fell for each in hypotheses):
        yield "no re-simulated tower fell; what re-simulation says of this heap is worth little"
    expected, empty = float(case.removed.sum()), int((~hypotheses[0].state.filled).sum())
    if not case.complete and abs(expected - empty) > APART:
        less = "fewer" if empty < expected else "more"
        yield (
            f"the first proposal has {less} empty slots than are to be expected: {empty}, not about {expected:.1f}; how many "
            "were empty is surer than which, and the map of slots says how likely each is"
        )
    if len(hypotheses) < asked:
        yield f"only {len(hypotheses)} towers that differ and can have stood were drawn, of {asked} that were asked for"


def list_assembly(reconstruction: Reconstruction) -> list[StepJob]:
    """The steps of building the best proposal, in an order that can be built, with blocks that rub no more than is known."""
    filled = reconstruction.best.state.filled
    tower = set_friction(reconstruction.structure.select(filled), reconstruction.building_friction)
    there = np.isin(np.flatnonzero(filled), reconstruction.pinned[reconstruction.pinned != UNASSIGNED])
    return list_step_jobs(tower, there)


def plan_assembly(reconstruction: Reconstruction, execute: Execute, tell: Tell) -> tuple[Step, ...]:
    """The order of building the best proposal on what still stands, and how safe each step is."""
    jobs = list_assembly(reconstruction)
    steps: list[Step] = []
    tell("steps", 0, len(jobs))
    for _, step in execute(measure_step, jobs):
        steps.append(step)
        tell("steps", len(steps), len(jobs))
    return tuple(sorted(steps))
