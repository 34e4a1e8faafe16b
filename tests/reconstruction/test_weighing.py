"""Weights of hypotheses and sets of slots: closed forms."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.weighing import find_set, join_filled, join_placed, read_calibration, weigh_states

RULE = replace(read_calibration(), temperature=0.01, farthest=0.1)


def test_a_heap_that_is_one_temperature_nearer_is_e_times_as_probable() -> None:
    weights = weigh_states(np.array([0.5, 0.5]), np.array([0.02, 0.03]), RULE)
    assert weights[0] / weights[1] == pytest.approx(np.e)
    assert weights.sum() == pytest.approx(1)


def test_of_equal_heaps_draws_decide() -> None:
    assert weigh_states(np.array([0.6, 0.2]), np.array([0.05, 0.05]), RULE) == pytest.approx([0.6, 0.2])


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=12), st.integers(0, 2**32))
def test_what_was_not_tried_keeps_its_share(values: list[float], seed: int) -> None:
    share = np.array(values) / (np.sum(values) + 0.1)
    distance = np.random.default_rng(seed).uniform(0.0, 0.2, len(share))
    assert weigh_states(share, distance, RULE).sum() == pytest.approx(share.sum())


def test_beyond_the_farthest_distances_say_no_more_and_what_is_not_known_says_as_much() -> None:
    weights = weigh_states(np.full(4, 0.25), np.array([0.1, 0.15, np.nan, 0.05]), RULE)
    assert weights[0] == weights[1] == weights[2] < weights[3]


def test_nothing_known_leaves_what_was_drawn() -> None:
    assert weigh_states(np.array([0.8, 0.2]), np.full(2, np.nan), RULE) == pytest.approx([0.8, 0.2])


def test_what_net_and_hypotheses_say_is_mixed() -> None:
    votes = [np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])]
    joined = join_placed(np.array([[0.6, 0.4]]), votes, np.array([0.9, 0.1]), 0.5)
    assert joined == pytest.approx(np.array([[0.75, 0.25]]))
    states = [TowerState(np.zeros(1, int), np.array([True, False])), TowerState(np.zeros(1, int), np.array([True, True]))]
    assert join_filled(np.array([1.0, 0.2]), states, np.array([0.9, 0.1]), 0.5) == pytest.approx([1.0, 0.15])


@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=12), st.floats(0.0, 0.999))
def test_a_set_is_the_smallest_that_reaches_its_level(values: list[float], level: float) -> None:
    probability = np.array(values) / np.sum(values)
    chosen = find_set(probability, level)
    assert probability[chosen].sum() >= level - 1e-9
    assert len(chosen) == 1 or probability[chosen[:-1]].sum() < level
    assert probability[chosen].min() >= np.delete(probability, chosen).max(initial=0.0)


def test_a_block_that_probably_stood_nowhere_has_a_short_set() -> None:
    chances = np.array([0.02, 0.3, 0.005, 0.001, 0.1])
    assert find_set(chances, 0.9).tolist() == [1, 4, 0]
    assert find_set(np.full(4, 1e-3), 0.9).tolist() == [0]
