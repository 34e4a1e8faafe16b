"""Proposals: sets of slots that may have been filled, each as often as it is drawn, those left out that cannot have stood.

Blocks are alike, so a tower is a set of filled slots; which block was where is told beside it, by the best assignment to that
set and by how often blocks were drawn into its slots.

Where every block was found, the sets that are drawn most often are proposed. Where many were not, hardly any set is drawn twice.
There draws are taken as they come, the one with the expected number of empty slots first, and each stands for the draws that
are more like it than like any other.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.assignment.matching import UNASSIGNED
from anastylosis.reconstruction.case import Case
from anastylosis.reconstruction.draws import Odds, State, draw_states, find_best, label_blocks, score_blocks
from anastylosis.reconstruction.support import can_stand

__all__ = ["Proposal", "propose"]

AT_ONCE = 1024  # draws that are compared with all proposals together
DRAWS = 20  # for each proposal that is asked for
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Proposal(NamedTuple):
    """A tower that may have stood."""

    state: State
    share: float  # of the draws; where blocks may not have been found, the part of them that is most like this tower
    votes: Floats  # (A, S) share of the draws of this tower in which a block was in a slot
    stands: bool  # by the linear programme


class Tally(NamedTuple):
    """How often one set of slots was drawn, and with which blocks in which slots."""

    filled: Flags
    weight: float
    votes: Floats


def propose(case: Case) -> tuple[list[Proposal], int]:
    """Towers that were drawn and can have stood, as many as are asked for; and how many could not have.

    If none could, those that were drawn are kept: statics knows slots, and blocks may have been beside them.
    """
    wanted, odds = max(1, case.config.hypotheses), case.odds
    kept: list[Proposal] = []
    fallen: list[Proposal] = []
    tallies = list_tallies(case, odds)
    for each in tallies:
        stands = can_stand(each.filled, case.coefficient)
        state = State(label_blocks(odds, each.filled), each.filled)
        (kept if stands else fallen).append(Proposal(state, each.weight, each.votes, stands))
        if len(kept) == wanted:
            break
    proposals = kept or fallen[:wanted]
    return proposals if case.complete else share_out(proposals, tallies), len(fallen)


def list_tallies(case: Case, odds: Odds) -> list[Tally]:
    """What was drawn, in the order in which it is proposed; where a single tower is asked for, the one in the middle first."""
    if case.complete:
        return tally_draws(case, odds, DRAWS * case.config.hypotheses)
    tallies = tally_draws(case, odds, DRAWS * max(1, case.config.hypotheses))
    return tallies if case.config.hypotheses else order_from_middle(tallies)


def tally_draws(case: Case, odds: Odds, number: int) -> list[Tally]:
    """Every set of slots that was drawn, the most frequent first, of equals the more probable; as they come, where blocks may not
    have been found. The best state is the first draw."""
    draws = draw_states(odds, case.calibration.scale, case.dice("draws"), unseen=not case.complete)
    counts: dict[bytes, int] = {}
    scores: dict[bytes, float] = {}
    votes: dict[bytes, Floats] = {}
    filled: dict[bytes, Flags] = {}
    for drawn in range(number + 1):
        state = find_best(odds, unseen=not case.complete) if drawn == 0 else next(draws)
        key = state.outline
        filled[key] = state.filled
        counts[key] = counts.get(key, 0) + 1
        scores[key] = max(scores.get(key, -np.inf), score_blocks(odds, state.slot))
        rows = np.flatnonzero(state.slot != UNASSIGNED)
        votes.setdefault(key, np.zeros((odds.blocks, odds.slots)))[rows, state.slot[rows]] += 1
    order = sorted(counts, key=lambda key: (-counts[key], -scores[key])) if case.complete else list(counts)
    return [Tally(filled[key], counts[key] / (number + 1), votes[key] / counts[key]) for key in order]


def order_from_middle(tallies: Sequence[Tally]) -> list[Tally]:
    """The same, those first that differ from all draws in the fewest slots, on average."""
    filled, weight = np.array([each.filled for each in tallies]), np.array([each.weight for each in tallies])
    order = np.argsort(count_differences(filled, filled) @ weight, kind="stable")
    return [tallies[row] for row in order]


def share_out(proposals: Sequence[Proposal], tallies: Sequence[Tally]) -> list[Proposal]:
    """The same with other shares: of the draws, those that are more like this tower than like any other that is proposed.

    A tower that was drawn once of 640 times says nothing about how often it would be; how many are near it does. A draw that is
    as near to several counts for each of them in part.
    """
    filled, shares = np.array([each.state.filled for each in proposals]), np.zeros(len(proposals))
    for begin in range(0, len(tallies), AT_ONCE):
        some = tallies[begin : begin + AT_ONCE]
        apart = count_differences(filled, np.array([each.filled for each in some]))
        nearest = apart == apart.min(axis=0)
        shares += nearest / nearest.sum(axis=0) @ np.array([each.weight for each in some])
    return [each._replace(share=float(share)) for each, share in zip(proposals, shares, strict=True)]


def count_differences(one: Flags, other: Flags) -> NDArray[np.int32]:
    """(N, M) slots in which towers (N, S) and (M, S) differ."""
    a, b = one.astype(np.int32), other.astype(np.int32)
    return np.asarray(a.sum(axis=1)[:, None] + b.sum(axis=1) - 2 * (a @ b.T))
