"""Draws of complete states: proper assignments, whatever the net says."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anastylosis.assignment.assignment import UNASSIGNED, match_blocks
from anastylosis.reconstruction.draws import (
    LogProbabilities,
    draw_states,
    find_best,
    find_weak_course,
    label_blocks,
    make_log_probabilities,
    score_blocks,
)


def make_probabilities(blocks: int, courses: int, seed: int, sharp: float = 2.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Any probabilities of blocks in slots: rows sum to at most one, and so do columns."""
    rng = np.random.default_rng(seed)
    pairs = np.exp(sharp * rng.standard_normal((blocks + 1, 3 * courses + 1)))
    pairs[-1, -1] = 0
    for _ in range(60):  # Sinkhorn
        pairs[:-1] /= pairs[:-1].sum(axis=1, keepdims=True)
        pairs[:, :-1] /= pairs[:, :-1].sum(axis=0)
    placed = pairs[:-1, :-1] / np.maximum(1.0, pairs[:-1].sum(axis=1, keepdims=True))
    return placed, 1 - placed.sum(axis=1), rng.uniform(0, 1, 3 * courses) * np.clip(1 - placed.sum(axis=0), 0, 1)


nobody = np.full(0, UNASSIGNED)


@settings(max_examples=40)
@given(blocks=st.integers(1, 12), courses=st.integers(1, 4), seed=st.integers(0, 10**6), pins=st.integers(0, 3))
def test_every_draw_is_a_proper_state(blocks: int, courses: int, seed: int, pins: int) -> None:
    """No slot twice, what stands stays, and every slot that a block has is filled."""
    placed, unplaced, removed = make_probabilities(blocks, courses, seed)
    pinned = np.full(blocks, UNASSIGNED)
    number = min(pins, blocks, 3 * courses)
    pinned[:number] = np.random.default_rng(seed).permutation(3 * courses)[:number]
    logp = make_log_probabilities(placed, unplaced, removed, pinned)
    for state in islice(draw_states(logp, 1.0, np.random.default_rng(seed)), 4):
        own = state.slot[state.slot != UNASSIGNED]
        assert len(set(own.tolist())) == len(own)
        assert ((own >= 0) & (own < 3 * courses)).all()
        assert (state.slot[:number] == pinned[:number]).all()
        assert state.filled[own].all()
        assert state.filled.shape == (3 * courses,)


@pytest.mark.parametrize("certainty", [0.6, 0.9])
def test_a_block_that_is_not_certain_to_stand_is_missing_from_as_many_draws(certainty: float) -> None:
    """One of six that stand; where it is not there, its slot is empty and it is in no other."""
    pinned, sure = np.arange(6), np.ones(6)
    sure[4] = certainty
    placed, removed = np.zeros((6, 9)), np.full(9, 0.9)
    placed[pinned, pinned], removed[pinned] = sure, 1 - sure
    logp = make_log_probabilities(placed, np.full(6, 1e-4), removed, pinned, sure)
    states = list(islice(draw_states(logp, 1.0, np.random.default_rng(3)), 600))
    there = np.array([state.slot[4] == 4 for state in states])
    assert there.mean() == pytest.approx(certainty, abs=0.06)  # three standard errors
    assert all(state.filled[4] == here for state, here in zip(states, there, strict=True))
    assert all((state.slot[[0, 1, 2, 3, 5]] == [0, 1, 2, 3, 5]).all() for state in states)
    assert find_best(logp).slot[4] == 4
    without = np.isin(np.arange(9), [0, 1, 2, 3, 5])
    assert label_blocks(logp, without).tolist() == [0, 1, 2, 3, UNASSIGNED, 5]


def test_blocks_that_fit_no_slot_are_never_drawn_into_one() -> None:
    placed, unplaced, removed = make_probabilities(8, 3, 1)
    placed[3], unplaced[3] = 0.0, 1.0
    logp = make_log_probabilities(placed, unplaced, removed, np.full(8, UNASSIGNED))
    assert all(state.slot[3] == UNASSIGNED for state in islice(draw_states(logp, 3.0, np.random.default_rng(0)), 50))


def test_without_noise_it_is_the_best_complete_assignment() -> None:
    """Where that can stand: of 9 blocks for 9 slots every course is whole."""
    placed, unplaced, removed = make_probabilities(9, 3, 5, sharp=4.0)
    unplaced = np.full(9, 1e-9)
    placed = placed / placed.sum(axis=1, keepdims=True)
    logp = make_log_probabilities(placed, unplaced, removed, np.full(9, UNASSIGNED))
    wanted = match_blocks(np.maximum(placed, 1e-4), np.full(9, 1e-4), np.maximum(np.clip(1 - placed.sum(axis=0), 0, 1), 1e-4))
    if find_weak_course(np.isin(np.arange(9), wanted)) is None:
        assert (find_best(logp, unseen=False).slot == wanted).all()


def test_the_more_probable_slot_is_drawn_more_often_and_noise_spreads() -> None:
    placed = np.array([[0.7, 0.2, 0.1]])
    logp = make_log_probabilities(placed, np.array([1e-4]), np.array([0.3, 0.8, 0.9]), np.array([UNASSIGNED]))
    shares = {}
    for scale in (0.2, 1.0, 3.0):
        drawn = [int(state.slot[0]) for state in islice(draw_states(logp, scale, np.random.default_rng(0), unseen=False), 400)]
        shares[scale] = np.bincount(np.array(drawn) + 1, minlength=4)[1:] / 400
    assert shares[1.0][0] > shares[1.0][1] > 0
    assert shares[0.2][0] > shares[1.0][0] > shares[3.0][0]


def test_a_course_that_could_not_bear_gets_what_it_needs() -> None:
    """Six blocks, three courses; the net sees nothing in the middle course, which something stands upon."""
    placed = np.zeros((6, 9))
    placed[[0, 1, 2], [0, 1, 2]] = 0.9
    placed[[3, 4, 5], [6, 7, 8]] = 0.9
    placed[3, 4] = 0.1
    logp = make_log_probabilities(placed, 1 - placed.sum(axis=1), np.clip(1 - placed.sum(axis=0), 0, 1), np.full(6, UNASSIGNED))
    best = find_best(logp, unseen=False)
    assert find_weak_course(best.filled) is None
    assert best.slot.tolist() == [0, 1, 2, 4, 7, 8]


def test_slots_of_blocks_that_were_not_found() -> None:
    """A slot that looks empty and was probably not removed is filled in as many draws; never when every block was found."""
    placed = np.zeros((3, 6))
    placed[[0, 1, 2], [0, 1, 2]] = 1.0
    removed = np.array([0, 0, 0, 0.75, 1.0, 1.0])
    logp = make_log_probabilities(placed, np.zeros(3), removed, np.full(3, UNASSIGNED))
    drawn = [state.filled for state in islice(draw_states(logp, 0.5, np.random.default_rng(0)), 400)]
    assert np.mean(drawn, axis=0)[3:] == pytest.approx([0.25, 0, 0], abs=0.07)
    assert not any(state.filled[3] for state in islice(draw_states(logp, 0.5, np.random.default_rng(0), unseen=False), 20))


def test_blocks_go_to_the_best_slots_of_a_set() -> None:
    placed = np.array([[0.6, 0.4, 0.0], [0.5, 0.3, 0.2]])
    logp = make_log_probabilities(placed, np.full(2, 1e-4), np.zeros(3), np.full(2, UNASSIGNED))
    assert label_blocks(logp, np.array([True, True, False])).tolist() == [1, 0]  # 0.4 x 0.5 beats 0.6 x 0.3
    assert label_blocks(logp, np.array([False, True, True])).tolist() == [1, 2]


def test_the_best_labels_have_the_best_score() -> None:
    placed, unplaced, removed = make_probabilities(6, 3, 2)
    logp = make_log_probabilities(placed, unplaced, removed, np.full(6, UNASSIGNED))
    for state in islice(draw_states(logp, 1.0, np.random.default_rng(3), unseen=False), 20):
        assert score_blocks(logp, label_blocks(logp, state.filled)) >= score_blocks(logp, state.slot) - 1e-9


def test_the_best_state_has_the_expected_number_of_empty_slots() -> None:
    """Six slots that no block goes to, each empty with 0.4 or 0.3: none is more probably empty than not, but two are."""
    placed = np.zeros((3, 9))
    placed[[0, 1, 2], [0, 1, 2]] = 1.0
    removed = np.array([0, 0, 0, 0.4, 0.3, 0.3, 0.4, 0.3, 0.3])
    logp = make_log_probabilities(placed, np.zeros(3), removed, np.full(3, UNASSIGNED))
    assert np.flatnonzero(~find_best(logp).filled).tolist() == [3, 6]
    assert find_best(logp, unseen=False).filled.tolist() == [True] * 3 + [False] * 6


def two_courses(*removed: float) -> LogProbabilities:
    """Blocks in all slots but the three of the lower course, which were empty with these probabilities."""
    placed = np.zeros((3, 6))
    placed[[0, 1, 2], [3, 4, 5]] = 1.0
    return make_log_probabilities(placed, np.zeros(3), np.array([*removed, 0.0, 0.0, 0.0]), np.full(3, UNASSIGNED))


def test_the_best_state_leaves_the_most_probable_slots_empty_that_support_allows() -> None:
    """The middle and one side cannot both have been empty: the less probable one of the two was filled, by a block that was not
    found, and no block that was found is moved to do it."""
    best = find_best(two_courses(0.05, 0.7, 0.8))
    assert np.flatnonzero(~best.filled).tolist() == [2]
    assert best.slot.tolist() == [3, 4, 5]
    assert np.flatnonzero(~find_best(two_courses(0.75, 0.1, 0.8)).filled).tolist() == [0, 2]  # the middle one bears it


def test_draws_are_those_of_each_slot_by_itself_as_far_as_they_can_stand() -> None:
    """Empty by themselves with 0.3 and 0.6, and not both: 0.3 x 0.4 and 0.6 x 0.7 are left, and of 0.3 x 0.6 one or the other."""
    drawn = list(islice(draw_states(two_courses(0.0, 0.3, 0.6), 0.5, np.random.default_rng(0)), 1500))
    empty = 1 - np.mean([state.filled for state in drawn], axis=0)
    assert all(find_weak_course(state.filled) is None for state in drawn)
    assert all(state.slot.tolist() == [3, 4, 5] for state in drawn)  # what was found stays
    assert empty[:3].sum() == pytest.approx(0.12 + 0.42 + 0.18, abs=0.04)
    assert 0.12 - 0.03 < empty[1] < 0.3
    assert 0.42 - 0.03 < empty[2] < 0.6
