"""Proposals: what stands for the draws, and how probable each is."""

import numpy as np
import pytest

from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.proposals import DrawnTower, Hypothesis, order_from_middle, share_out


def draw(weight: float, *empty: int) -> DrawnTower:
    return DrawnTower(~np.isin(np.arange(9), empty), weight, np.zeros((1, 9)))


def propose(*drawn: DrawnTower) -> list[Hypothesis]:
    return [Hypothesis(TowerState(np.zeros(1, int), each.filled), each.weight, each.votes, True) for each in drawn]


def test_a_tower_stands_for_the_draws_that_are_most_like_it() -> None:
    drawn = [draw(0.2, 3), draw(0.1, 4, 5, 7), draw(0.3, 3, 8), draw(0.3, 3, 1), draw(0.1, 4, 5)]
    shares = [each.share for each in share_out(propose(*drawn[:2]), drawn)]
    assert shares == pytest.approx([0.2 + 0.3 + 0.3, 0.1 + 0.1])


def test_a_draw_between_two_counts_for_both_in_part() -> None:
    drawn = [draw(0.4, 3), draw(0.4, 6), draw(0.2)]
    assert [each.share for each in share_out(propose(*drawn[:2]), drawn)] == pytest.approx([0.5, 0.5])


def test_a_tower_alone_stands_for_all() -> None:
    drawn = [draw(0.4, 3), draw(0.6, 6)]
    assert [each.share for each in share_out(propose(drawn[0]), drawn)] == pytest.approx([1.0])


def test_the_tower_in_the_middle_of_all_draws_comes_first() -> None:
    """Each was drawn once; all but one have slot 3 empty, and no other slot is empty in two of them."""
    drawn = [draw(0.2, 4, 5, 7), draw(0.2, 3, 0), draw(0.2, 3), draw(0.2, 3, 8), draw(0.2, 3, 1, 2)]
    order = [int(np.flatnonzero([each is one for one in drawn])[0]) for each in order_from_middle(drawn)]
    assert order[0] == 2
    assert order[-1] == 0
