"""Distance between heaps: closed forms of the earth mover's distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.reconstruction.weighing import MISSING_COST, measure_distance

heaps = st.lists(st.tuples(*[st.floats(-0.3, 0.3)] * 3), min_size=1, max_size=8).map(np.array)


@given(heaps, st.randoms())
def test_order_does_not_matter(heap: np.ndarray, dice) -> None:
    shuffled = heap[dice.sample(range(len(heap)), len(heap))]
    assert measure_distance(heap, shuffled) == pytest.approx(0.0, abs=1e-12)


@given(heaps, heaps)
def test_it_is_symmetric_and_bounded(one: np.ndarray, other: np.ndarray) -> None:
    distance = measure_distance(one, other)
    assert distance == pytest.approx(measure_distance(other, one))
    assert 0 <= distance <= 2 * MISSING_COST


def test_a_heap_moved_as_a_whole_is_as_far_as_it_was_moved() -> None:
    """Blocks further apart than the way: each is nearest to itself, and the mean is the way."""
    heap = np.array([(0.0, 0, 0), (0.5, 0, 0), (0, 0.5, 0)])
    assert measure_distance(heap, heap + np.array((0.03, 0.04, 0))) == pytest.approx(0.05)


def test_a_block_more_costs_its_price_shared_among_all() -> None:
    heap = np.array([(0.0, 0, 0), (0.5, 0, 0), (0, 0.5, 0)])
    assert measure_distance(heap, heap[:2]) == pytest.approx(MISSING_COST / 3)
    assert measure_distance(heap, np.empty((0, 3))) == pytest.approx(MISSING_COST)
    assert measure_distance(np.empty((0, 3)), np.empty((0, 3))) == 0.0


def test_a_block_that_is_far_away_is_one_that_is_gone_and_another_one() -> None:
    one, other = np.array([(0.0, 0, 0), (0.5, 0, 0)]), np.array([(0.0, 0, 0), (9.0, 0, 0)])
    assert measure_distance(one, other) == pytest.approx(2 * MISSING_COST / 2)


def test_the_cheapest_pairs_are_taken_not_the_nearest_first() -> None:
    """Points 0 and 2 beside 1 and 3: nearest first would pair 2 with 1 and leave 0 to 3, a way of 4; the least is 2."""
    one, other = (np.array([(x, 0.0, 0.0) for x in xs]) * 0.01 for xs in ((0, 2), (1.1, 3)))
    assert measure_distance(one, other) == pytest.approx((0.011 + 0.01) / 2)
