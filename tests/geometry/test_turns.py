"""Turns of boxes, modulo the half turns that leave a box as it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.geometry import HALF_TURNS, make_matrices, make_rotations, measure_rotations, measure_turns, to_quaternions
from anastylosis.geometry.rotation_vector import to_rotation_vectors

vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)


@given(vectors)
def test_a_turn_and_its_vector(vector: np.ndarray) -> None:
    np.testing.assert_allclose(to_rotation_vectors(make_rotations(vector)), vector, atol=1e-9)


@given(vectors, vectors)
def test_the_turn_between_two_boxes_brings_one_to_the_other(first: np.ndarray, small: np.ndarray) -> None:
    one = make_rotations(3 * first)
    for signs in HALF_TURNS:  # the same box, written in four ways
        other = make_rotations(0.4 * small) @ one * signs
        turn = measure_rotations(one, other)
        np.testing.assert_allclose(turn, 0.4 * small, atol=1e-9)


def test_a_half_turn_about_its_own_axis_is_no_turn() -> None:
    box = make_rotations(np.array([0.3, -0.2, 0.9]))
    for axis in range(3):
        half = make_rotations(np.pi * box[:, axis])
        np.testing.assert_allclose(measure_rotations(box, half @ box), 0, atol=1e-9)


def test_no_turn_between_boxes_is_more_than_120_degrees() -> None:
    """The farthest that two boxes can be apart: a third of a turn about a space diagonal."""
    axes = make_rotations(np.random.default_rng(0).uniform(-3, 3, (400, 3)))
    angle = np.linalg.norm(measure_rotations(axes[:200], axes[200:]), axis=1)
    assert angle.max() <= np.radians(120) + 1e-9
    assert angle.max() > np.radians(90)


@given(vectors)
def test_quaternions_of_matrices(vector: np.ndarray) -> None:
    matrix = make_rotations(3 * vector)
    np.testing.assert_allclose(make_matrices(to_quaternions(matrix)), matrix, atol=1e-9)


@given(vectors, vectors)
def test_the_angle_is_the_length_of_the_vector(first: np.ndarray, second: np.ndarray) -> None:
    one, other = make_rotations(3 * first), make_rotations(3 * second)
    vector = measure_rotations(one, other)
    angle = measure_turns(to_quaternions(one), to_quaternions(other))
    assert angle == pytest.approx(np.linalg.norm(vector), abs=1e-6)
