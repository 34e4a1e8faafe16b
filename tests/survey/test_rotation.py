"""Rotations as people write them, against SciPy's."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.survey.rotation import CONVENTIONS, parse_convention, read_rotations, write_rotations
from support.surveys import same_turns, turns

EULER = [name for name in CONVENTIONS if name.startswith("euler")]


def test_all_orders_are_there() -> None:
    assert len(EULER) == len(set(EULER)) == 12


@pytest.mark.parametrize("name", EULER)
def test_euler_angles_are_scipys(name: str) -> None:
    _, order, way = name.split()
    angles = np.random.default_rng(0).uniform(-np.pi, np.pi, (50, 3))  # about x, y, z
    theirs = Rotation.from_euler(order.upper() if way == "intrinsic" else order, angles[:, ["xyz".index(axis) for axis in order]])
    ours = read_rotations(CONVENTIONS[name], angles)
    np.testing.assert_allclose(make_matrices(ours), theirs.as_matrix(), atol=1e-14)


@pytest.mark.parametrize("name", CONVENTIONS)
@given(turns)
def test_written_and_read_again(name: str, orientation: np.ndarray) -> None:
    columns = write_rotations(CONVENTIONS[name], orientation)
    assert np.isfinite(columns).all()
    assert same_turns(read_rotations(CONVENTIONS[name], columns), orientation) < 1e-13


@pytest.mark.parametrize("name", CONVENTIONS)
@pytest.mark.parametrize("tilt", [1e-3, 1e-8, 1e-12, 0.0])
def test_nothing_is_lost_near_the_poles(name: str, tilt: float) -> None:
    convention = CONVENTIONS[name]
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (100, 3))
    middle = (convention.sequence or (0, 1, 2))[1]
    angles[:, middle] = np.pi / 2 - tilt
    orientation = read_rotations(CONVENTIONS["euler xyz intrinsic"] if not convention.sequence else convention, angles)
    again = read_rotations(convention, write_rotations(convention, orientation))
    assert same_turns(again, orientation).max() < 1e-13


def test_trend_and_plunge_are_a_geologists() -> None:
    # A length that trends east by south, 120 degrees from north, and plunges 30 degrees: it points along
    # (sin 120 cos 30, cos 120 cos 30, -sin 30). Without roll its width is level and its top looks up.
    orientation = read_rotations(CONVENTIONS["azimuth plunge roll"], np.radians((120.0, 30.0, 0.0)))
    length, width, height = make_matrices(orientation).T
    np.testing.assert_allclose(length, (0.75, -0.4330127018922193, -0.5), atol=1e-15)
    assert abs(width[2]) < 1e-15
    assert height[2] == pytest.approx(np.cos(np.radians(30)))


def test_roll_pitch_and_yaw_are_an_aeroplanes() -> None:
    # Yaw 90: x points to y. Then pitch 90: x points down.
    convention = CONVENTIONS["euler zyx intrinsic"]
    np.testing.assert_allclose(make_matrices(read_rotations(convention, (0, 0, np.pi / 2)))[:, 0], (0, 1, 0), atol=1e-15)
    np.testing.assert_allclose(make_matrices(read_rotations(convention, (0, np.pi / 2, 1.0)))[:, 0], (0, 0, -1), atol=1e-15)


@pytest.mark.parametrize("words", ["Euler  ZYX  Intrinsic", "euler-zyx-intrinsic", "euler, zyx, intrinsic"])
def test_words_in_any_case(words: str) -> None:
    assert parse_convention(words).name == "euler zyx intrinsic"


@pytest.mark.parametrize("words", ["", "euler", "euler zyz intrinsic", "euler zyx", "matrix"])
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(InvalidInput, match="is no rotation that is known here; write `quaternion`"):
        parse_convention(words)
