"""The collapse criterion against its definition: three thresholds, at one instant. Paper Eq. (18)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.episode import Criterion
from anastylosis.episode.collapse import Motion, collapse_conditions, measure_motion
from support.games import game
from support.worlds import UPRIGHT, multiply, turn

LENGTH = 0.081
FAR, LIVELY, TILTED = 0.5 * LENGTH, 5e-5, math.radians(30)  # the thresholds


def conditions(displacement: list[float], energy: list[float], angle: list[float]) -> list[list[bool]]:
    """Of one block, step by step."""
    motion = Motion(np.array(displacement)[:, None], np.array(angle)[:, None], np.array(energy))
    return collapse_conditions(motion, Criterion(), LENGTH).tolist()


@pytest.mark.parametrize("column", [0, 1, 2])
def test_each_threshold_is_where_the_paper_puts_it(column: int) -> None:
    above = [FAR * 1.001, LIVELY * 1.001, TILTED * 1.001]
    assert conditions(*([value] for value in above)) == [[True, True, True]]
    at_threshold = list(above)
    at_threshold[column] = (FAR, LIVELY, TILTED)[column]  # "greater than", so the threshold itself is not enough
    expected = [True, True, True]
    expected[column] = False
    assert conditions(*([value] for value in at_threshold)) == [expected]


def test_three_instants_are_not_one() -> None:
    far, lively, tilted = 2 * FAR, 2 * LIVELY, 2 * TILTED
    holds = np.array(conditions([far, 0, 0], [0, lively, 0], [0, 0, tilted]))
    assert holds.any(axis=0).all()
    assert not holds.all(axis=1).any()


def test_two_of_three_are_not_enough() -> None:
    far, lively, tilted = 2 * FAR, 2 * LIVELY, 2 * TILTED
    holds = np.array(conditions([far, far, 0], [lively, 0, lively], [0, tilted, tilted]))
    assert holds.sum(axis=1).tolist() == [2, 2, 2]


def test_displacement_and_angle_may_be_of_different_blocks() -> None:
    # Eq. (18) takes the largest of each over all blocks
    motion = Motion(np.array([[2 * FAR, 0.0]]), np.array([[0.0, 2 * TILTED]]), np.array([2 * LIVELY]))
    assert collapse_conditions(motion, Criterion(), LENGTH).tolist() == [[True, True, True]]


def test_other_thresholds_are_heeded() -> None:
    motion = Motion(np.array([[0.3 * LENGTH]]), np.array([[0.2]]), np.array([1e-5]))
    assert not collapse_conditions(motion, Criterion(), LENGTH).any()
    assert collapse_conditions(motion, Criterion(displacement=0.2, energy=9e-6, angle=0.1), LENGTH).all()


axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: np.linalg.norm(axis) > 0.1)


@given(axes, st.floats(1e-3, math.pi - 1e-3), axes, st.floats(-3, 3), st.sampled_from([-1, 1]))
def test_the_angle_is_that_of_the_turn_whatever_the_sign_of_the_quaternion(axis, angle, before_axis, before, sign) -> None:
    # q and -q are one rotation; the angle between two poses does not depend on the first one
    start = turn(before_axis, before)
    end = sign * multiply(turn(axis, angle), start)
    still = np.zeros((1, 3))
    motion = measure_motion(still[None], end[None, None], np.zeros((1, 1)), (still, start[None]), np.ones(1, bool))
    assert motion.angle[0, 0] == pytest.approx(angle, abs=1e-7)


def test_no_motion_is_zero_not_nan() -> None:
    rng = np.random.default_rng(0)
    start = rng.normal(size=(50, 4))
    start /= np.linalg.norm(start, axis=1, keepdims=True)  # |q . q| may be a bit above 1
    poses = np.zeros((50, 3))
    motion = measure_motion(poses[None], start[None], np.zeros((1, 50)), (poses, start), np.ones(50, bool))
    assert motion.displacement.max() == 0.0
    assert motion.angle.max() < 1e-7


def test_displacement_is_the_distance_in_space() -> None:
    start = np.array([[1.0, 2.0, 3.0]])
    motion = measure_motion(
        (start + np.array((2, 3, 6)))[None],
        np.array([[UPRIGHT]]),
        np.zeros((1, 1)),
        (start, np.array([UPRIGHT])),
        np.ones(1, bool),
    )
    assert motion.displacement[0, 0] == pytest.approx(7)  # sqrt(4 + 9 + 36)


def test_blocks_that_are_not_watched_do_not_move() -> None:
    start = np.zeros((2, 3)), np.tile(UPRIGHT, (2, 1))
    position, orientation = np.array([[(9.0, 0, 0), (0, 0, 0)]]), np.array([[turn((0, 0, 1), 2.0), UPRIGHT]])
    motion = measure_motion(position, orientation, np.array([[4.0, 3.0]]), start, np.array([False, True]))
    assert motion.displacement.tolist() == [[0.0, 0.0]]
    assert motion.angle.tolist() == [[0.0, 0.0]]
    assert motion.energy.tolist() == [3.0]


@pytest.mark.parametrize("instant", [0, 3, 7])
def test_one_step_is_enough_and_the_first_one_counts(instant: int) -> None:
    recorder = game(2).recorder
    displacement, energy, angle = np.zeros((8, 6)), np.zeros(8), np.zeros((8, 6))
    displacement[instant, 4], energy[instant], angle[instant, 2] = 2 * FAR, 2 * LIVELY, 2 * TILTED
    recorder._watch(Motion(displacement, angle, energy))
    assert recorder.collapse is not None
    assert recorder.collapse.time == pytest.approx(recorder.time + (instant + 1) / 240)
    assert recorder.collapse.displacement.tolist() == [0, 0, 0, 0, 2 * FAR, 0]
    first = recorder.collapse
    recorder._watch(Motion(displacement, angle, energy))
    assert recorder.collapse is first


def test_conditions_of_one_round_at_three_instants_are_kept_and_are_no_fall() -> None:
    recorder = game(2).recorder
    displacement, energy, angle = np.zeros((8, 6)), np.zeros(8), np.zeros((8, 6))
    displacement[1, 4], energy[2], angle[3, 2] = 2 * FAR, 2 * LIVELY, 2 * TILTED
    recorder._watch(Motion(displacement, angle, energy))
    assert recorder.conditions.tolist() == [True, True, True]
    assert recorder.collapse is None
    assert (recorder.peak_displacement, recorder.peak_energy, recorder.peak_angle) == (2 * FAR, 2 * LIVELY, 2 * TILTED)
    recorder.begin_round()
    assert not recorder.conditions.any()
