"""Proposals: what stands for the draws, and how probable each is."""

import numpy as np
import pytest

from anastylosis.reconstruct.proposals import Tally, weigh_by_slots


def draw(weight: float, *empty: int) -> Tally:
    return Tally(~np.isin(np.arange(9), empty), weight, np.zeros((1, 9)))


def test_a_tower_is_as_probable_as_its_slots_are() -> None:
    """Slots 3 and 6 are each empty in 0.75 of the draws: 0.75 x 0.75 with both, 0.75 x 0.25 with one, 0.25 x 0.25 with none."""
    drawn = [draw(0.5, 3, 6), draw(0.25, 3), draw(0.25, 6)]
    weights = np.array([each.weight for each in weigh_by_slots(drawn)])
    assert weights == pytest.approx(np.array([9, 3, 3]) / 15)


def test_the_tower_in_the_middle_of_all_draws_is_the_most_probable() -> None:
    """Each was drawn once; all but one have slot 3 empty, and no other slot is empty in two of them."""
    drawn = [draw(0.2, 4, 5, 7), draw(0.2, 3, 0), draw(0.2, 3), draw(0.2, 3, 8), draw(0.2, 3, 1, 2)]
    weights = [each.weight for each in weigh_by_slots(drawn)]
    assert int(np.argmax(weights)) == 2
    assert int(np.argmin(weights)) == 0
    assert sum(weights) == pytest.approx(1)


def test_what_all_draws_agree_on_decides_nothing() -> None:
    drawn = [draw(0.75, 3, 6), draw(0.25, 3)]
    assert [each.weight for each in weigh_by_slots(drawn)] == pytest.approx([0.75, 0.25])
