"""Proposals: towers that may have stood, each as often as it is drawn, without those that cannot have stood by statics.

Blocks are alike, so a tower is a set of filled slots. Which block was where is told beside it: by the best assignment to that
set, and by how often blocks were drawn into its slots.

Where every block was found, the towers that are drawn most often are proposed. Where many were not, hardly any tower is drawn
twice. Then a proposal stands for the draws that differ from it in a few slots; the one with the expected number of empty slots is
drawn first. A share is of all draws, so it is the same however many proposals are asked for.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Floats, Integers
from anastylosis.assignment import UNASSIGNED
from anastylosis.episode import EpisodeFrames, Pull
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.draws import (
    LogProbabilities,
    TowerState,
    can_stand,
    draw_states,
    find_best,
    label_blocks,
    score_blocks,
)
from anastylosis.reconstruction.problem import Problem
from anastylosis.reconstruction.resimulation import Trial, film_trial
from anastylosis.structure import Structure

DRAWS = 640  # at least, however few proposals are asked for
DRAWS_EACH = 20  # for each proposal, where more of them are asked for
ALIKE_SLOTS = 2  # slots in which draws differ at most from the proposal that they count for, where blocks may be missing


class Hypothesis(NamedTuple):
    """A tower that may have stood, how it may have fallen, and how probable that is."""

    state: TowerState
    share: float  # of all draws; where blocks may not have been found, of those that are like it
    votes: Floats  # (A, S) share of the draws of this tower in which a block was in a slot
    stands: bool  # by the linear programme
    probability: float = math.nan  # among all towers that were drawn, proposed or not; NaN: nothing was compared
    pull: Pull | None = None  # that may have brought it down; None: nothing was simulated
    friction: float = math.nan
    distance: float = (
        math.nan
    )  # [m] between its heap and the surveyed one; NaN: nothing was simulated, infinite: the engine gave up
    fell: bool = False
    trial: Trial | None = None
    attempt: int = 0  # of the trial: which of its pulls this was
    came_down: Flags | None = None  # (S,) slots whose blocks left them in the replay, but for the pulled one

    def find_contradicted(self, standing: Integers) -> Integers:
        """Return which of the slots whose blocks still stand came down in the replay."""
        return standing[:0] if self.came_down is None else standing[self.came_down[standing]]

    def film(self) -> tuple[Structure, EpisodeFrames]:
        """Let the tower fall once more; return it as it was built, and every frame of its fall."""
        if self.trial is None:
            raise InvalidInput("this proposal was not simulated; reconstruct with one hypothesis or more")
        return film_trial(self.trial, self.attempt)


class DrawnTower(NamedTuple):
    """One set of slots, how often it was drawn, and with which blocks in which slots."""

    filled: Flags
    weight: float
    votes: Floats


def draw_towers(problem: Problem) -> list[DrawnTower]:
    """Draw towers in the order in which they are proposed: those first that were drawn most often.

    Without re-simulation, the tower in the middle of all draws comes first where blocks may be missing.
    """
    asked = problem.config.hypotheses
    number = max(DRAWS, DRAWS_EACH * asked) if asked else 0 if problem.complete else DRAWS_EACH
    drawn = count_draws(problem, problem.logp, number)
    if problem.complete:
        return drawn
    return join_alike(drawn) if asked else order_from_middle(drawn)


def keep_standing(problem: Problem, drawn: Sequence[DrawnTower]) -> tuple[list[Hypothesis], int]:
    """Keep as many drawn towers as are asked for that can have stood by statics; count those that cannot.

    If none could, those that were drawn are kept: statics knows slots, and blocks may have been beside them.
    """
    wanted, logp = max(1, problem.config.hypotheses), problem.logp
    kept: list[Hypothesis] = []
    fallen: list[Hypothesis] = []
    for each in drawn:
        stands = can_stand(each.filled, problem.coefficient, problem.assignment.block_size)
        state = TowerState(label_blocks(logp, each.filled), each.filled)
        proposal = Hypothesis(state, each.weight, each.votes, stands, friction=problem.coefficient)
        (kept if stands else fallen).append(proposal)
        if len(kept) == wanted:
            break
    return kept or fallen[:wanted], len(fallen)


def count_draws(problem: Problem, logp: LogProbabilities, number: int) -> list[DrawnTower]:
    """Draw this many towers and count equal ones; the best state is the first draw.

    The most frequent come first, of equals the more probable. Where blocks may not have been found, they stay as they come.
    """
    draws = draw_states(logp, problem.calibration.scale, problem.make_rng("draws"), unseen=not problem.complete)
    counts: dict[bytes, int] = {}
    scores: dict[bytes, float] = {}
    votes: dict[bytes, Floats] = {}
    filled: dict[bytes, Flags] = {}
    for drawn in range(number + 1):
        state = find_best(logp, unseen=not problem.complete) if drawn == 0 else next(draws)
        key = state.outline
        filled[key] = state.filled
        counts[key] = counts.get(key, 0) + 1
        scores[key] = max(scores.get(key, -np.inf), score_blocks(logp, state.slot))
        rows = np.flatnonzero(state.slot != UNASSIGNED)
        votes.setdefault(key, np.zeros((logp.blocks, logp.slots)))[rows, state.slot[rows]] += 1
    order = sorted(counts, key=lambda key: (-counts[key], -scores[key])) if problem.complete else list(counts)
    return [DrawnTower(filled[key], counts[key] / (number + 1), votes[key] / counts[key]) for key in order]


def order_from_middle(drawn: Sequence[DrawnTower]) -> list[DrawnTower]:
    """Order towers so that those that differ from all draws in the fewest slots, on average, come first."""
    filled, weight = np.array([each.filled for each in drawn]), np.array([each.weight for each in drawn])
    order = np.argsort(count_differences(filled, filled) @ weight, kind="stable")
    return [drawn[row] for row in order]


def join_alike(drawn: Sequence[DrawnTower]) -> list[DrawnTower]:
    """Join draws to the first tower that was drawn before them and differs in a few slots only; the largest groups come first.

    A tower that was drawn once of 640 times says nothing about how often it would be; how many are like it does.
    """
    leaders: list[DrawnTower] = []
    outlines = np.zeros((len(drawn), len(drawn[0].filled)), bool)
    for each in drawn:
        alike = np.flatnonzero((outlines[: len(leaders)] != each.filled).sum(axis=1) <= ALIKE_SLOTS)
        if len(alike):
            leader = leaders[alike[0]]
            weight = leader.weight + each.weight
            votes = (leader.weight * leader.votes + each.weight * each.votes) / weight
            leaders[alike[0]] = DrawnTower(leader.filled, weight, votes)
        else:
            outlines[len(leaders)] = each.filled
            leaders.append(each)
    return sorted(leaders, key=lambda leader: -leader.weight)


def count_differences(one: Flags, other: Flags) -> NDArray[np.int32]:
    """Count the slots (N, M) in which towers (N, S) and (M, S) differ."""
    a, b = one.astype(np.int32), other.astype(np.int32)
    return np.asarray(a.sum(axis=1)[:, None] + b.sum(axis=1) - 2 * (a @ b.T))
