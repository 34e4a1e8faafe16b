"""Proposed towers that are let fall again: the same bits wherever they run, and the film of what was compared."""

from functools import partial

import numpy as np
import pytest

from anastylosis.episode import Pull
from anastylosis.executors import run_pool, run_serial
from anastylosis.reconstruction.resimulation import Trial, build_tower, film_trial, run_trial
from anastylosis.structure import jenga_tower

HEAP = np.zeros((14, 3)) + np.array((0.1, 0.0, 0.009))  # in one place: no tower falls so


def make_trial(number: int = 0, **changes: object) -> Trial:
    """A tower of five layers that stands on one block at the side as soon as the other is out."""
    filled = ~np.isin(jenga_tower(5).ids, ("L01_1",))
    values: dict = {"filled": filled, "friction": 0.4, "pulls": (Pull("L01_0", "x", 1),), "seed": 7, "heap": HEAP, "near": 0.0}
    return Trial(number=number, **(values | changes))


@pytest.fixture(scope="module")
def fate():
    return run_trial(make_trial())


def test_it_falls_and_says_where_each_block_lies(fate) -> None:
    assert fate.fell
    assert fate.outcome == "collapse"
    assert np.isnan(fate.position[4]).all()  # the slot was empty
    assert len(fate.centres) in (13, 14)  # the hand may have had the pulled one
    assert fate.centres[:, 2].max() < 5 * 0.018


def test_the_same_trial_has_the_same_fate_here_and_elsewhere(fate) -> None:
    trials = [make_trial(0), make_trial(1, seed=8)]
    here = {trial.number: end for trial, end in run_serial(run_trial, trials)}
    there = {trial.number: end for trial, end in partial(run_pool, workers=2)(run_trial, trials)}
    for number in (0, 1):
        assert here[number].position.tobytes() == there[number].position.tobytes()
    assert here[0].position.tobytes() == fate.position.tobytes()
    assert here[1].position.tobytes() != fate.position.tobytes()


def test_the_film_ends_where_the_blocks_were_compared(fate) -> None:
    tower, frames = film_trial(make_trial(), fate.attempt)
    rows = np.flatnonzero(make_trial().filled)
    last = frames.position[-1][frames.present[-1]]
    assert len(tower) == len(rows)
    assert last == pytest.approx(fate.position[rows][frames.present[-1]], abs=1e-6)


def test_a_tower_that_stands_stays_where_it_is() -> None:
    end = run_trial(make_trial(filled=np.ones(15, bool), pulls=(Pull("L01_1", "y", 1),)))
    assert not end.fell
    assert end.outcome in ("out", "stuck")
    assert end.position[[0, 1, 2]] == pytest.approx(jenga_tower(5).position[:3], abs=2e-3)


def test_a_fall_counts_and_near_is_enough(fate) -> None:
    """The fallen tower as the heap that is looked for: a pull that leaves it standing is followed by the one that does not."""
    safe, fatal = Pull("L00_1", "y", 1), Pull("L01_0", "x", 1)
    end = run_trial(make_trial(pulls=(safe, fatal), heap=fate.centres))
    assert (end.attempt, end.fell) == (1, True)
    same = run_trial(make_trial(pulls=(fatal, safe), heap=fate.centres))
    assert (same.attempt, same.distance) == (0, 0.0)
    assert run_trial(make_trial(pulls=(safe, fatal), heap=fate.centres, near=1.0)).attempt == 1
    assert run_trial(make_trial(pulls=(fatal, safe), heap=fate.centres + 0.1, near=1.0)).attempt == 0


def test_blocks_differ_as_those_that_were_learned_from() -> None:
    one, other = (build_tower(np.ones(9, bool), 0.4, seed) for seed in (1, 2))
    assert (one.blocks.friction != other.blocks.friction).any()
    assert np.abs(one.position - jenga_tower(3).position).max() < 1e-3
