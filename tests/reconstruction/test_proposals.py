"""Proposals: what stands for the draws, and how probable each is."""

import numpy as np
import pytest

from anastylosis.reconstruction.proposals import DrawnTower, join_alike, order_from_middle


def draw(weight: float, *empty: int) -> DrawnTower:
    return DrawnTower(~np.isin(np.arange(9), empty), weight, np.zeros((1, 9)))


def test_draws_count_for_the_first_tower_that_they_are_like() -> None:
    drawn = [draw(0.2, 3), draw(0.1, 4, 5, 7), draw(0.3, 3, 8), draw(0.3, 3, 1), draw(0.1, 4, 5)]
    joined = join_alike(drawn)
    assert [each.weight for each in joined] == pytest.approx([0.2 + 0.3 + 0.3, 0.1 + 0.1])
    assert (joined[0].filled == drawn[0].filled).all()


def test_votes_of_joined_draws_are_weighed_by_how_often_they_were_drawn() -> None:
    some, more = draw(0.1, 3), draw(0.3, 3, 8)
    joined = join_alike([some._replace(votes=np.ones((1, 9))), more])
    assert joined[0].votes == pytest.approx(np.full((1, 9), 0.25))


def test_no_draw_is_lost() -> None:
    rng = np.random.default_rng(3)
    drawn = [DrawnTower(rng.random(9) < 0.7, 1 / 50, np.zeros((1, 9))) for _ in range(50)]
    assert sum(each.weight for each in join_alike(drawn)) == pytest.approx(1)


def test_the_tower_in_the_middle_of_all_draws_comes_first() -> None:
    """Each was drawn once; all but one have slot 3 empty, and no other slot is empty in two of them."""
    drawn = [draw(0.2, 4, 5, 7), draw(0.2, 3, 0), draw(0.2, 3), draw(0.2, 3, 8), draw(0.2, 3, 1, 2)]
    order = [int(np.flatnonzero([each is one for one in drawn])[0]) for each in order_from_middle(drawn)]
    assert order[0] == 2
    assert order[-1] == 0
