"""Proposals: what stands for the draws, and how many of them each stands for."""

import numpy as np
import pytest

from anastylosis.reconstruct.draws import State
from anastylosis.reconstruct.proposals import Proposal, Tally, share_out


def fill(*empty: int) -> np.ndarray:
    return ~np.isin(np.arange(9), empty)


def propose(*empty: int) -> Proposal:
    return Proposal(State(np.zeros(1, np.int64), fill(*empty)), 0.0, np.zeros((1, 9)), True)


def draw(weight: float, *empty: int) -> Tally:
    return Tally(fill(*empty), weight, np.zeros((1, 9)))


def test_each_proposal_stands_for_the_draws_most_like_it() -> None:
    proposals = [propose(3, 6), propose(), propose(1)]
    drawn = [draw(0.3, 3, 6), draw(0.2, 3, 6, 7), draw(0.1, 3), draw(0.2), draw(0.1, 1), draw(0.1, 1, 2)]
    shares = [each.share for each in share_out(proposals, drawn)]
    assert shares == pytest.approx([0.6, 0.2, 0.2])  # the tower without an empty slot is like no other
    assert sum(shares) == pytest.approx(1)


def test_draws_that_are_like_several_proposals_or_like_none_favour_no_one() -> None:
    proposals = [propose(3), propose(4, 5), propose(4, 6)]
    shares = [each.share for each in share_out(proposals, [draw(0.3, 8), draw(0.3), draw(0.4, 4)])]
    assert shares == pytest.approx([0.2, 0.4, 0.4])
