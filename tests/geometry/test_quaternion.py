"""Quaternions: products, matrices and back, against SciPy's rotations."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from anastylosis.errors import InvalidStructure
from anastylosis.geometry import make_matrices, multiply_quaternions, to_quaternions, turn_about, unit_quaternions
from support.surveys import turns


@given(turns, turns)
def test_a_product_turns_by_the_second_and_then_by_the_first(first: np.ndarray, second: np.ndarray) -> None:
    product = make_matrices(multiply_quaternions(first, second))
    np.testing.assert_allclose(product, make_matrices(first) @ make_matrices(second), atol=1e-12)


@given(turns)
def test_matrices_are_those_of_scipy_and_lead_back(orientation: np.ndarray) -> None:
    matrix = make_matrices(orientation)
    np.testing.assert_allclose(matrix, Rotation.from_quat(np.roll(orientation, -1)).as_matrix(), atol=1e-12)
    back = to_quaternions(matrix)
    assert abs(back @ orientation) == pytest.approx(1.0, abs=1e-9)  # of either sign


@pytest.mark.parametrize("axis", range(3))
def test_a_turn_about_an_axis(axis: int) -> None:
    angle = np.linspace(-3, 3, 13)
    expected = Rotation.from_rotvec(angle[:, None] * np.eye(3)[axis]).as_matrix()
    np.testing.assert_allclose(make_matrices(turn_about(axis, angle)), expected, atol=1e-12)


def test_lengths_near_one_become_one_and_others_are_refused() -> None:
    unit = unit_quaternions(np.array([(1.0 + 5e-7, 0, 0, 0), (0, 0.6, 0.8, 0)]))
    np.testing.assert_array_equal(np.linalg.norm(unit, axis=1), 1.0)
    assert not unit.flags.writeable
    with pytest.raises(InvalidStructure, match="orientation of block 1 has length 2: a rotation is a unit quaternion"):
        unit_quaternions(np.array([(1.0, 0, 0, 0), (0, 0, 2.0, 0)]))
