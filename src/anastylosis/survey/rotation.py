"""Conventions in which surveys write rotations: quaternions, Euler angles in any order, trend and plunge of the long axis."""

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices, multiply_quaternions, turn_about

ANGLES = ("roll", "pitch", "yaw")  # about x, about y, about z


class Convention(NamedTuple):
    """One way to write a rotation from body to site axes."""

    name: str
    columns: tuple[str, ...]
    sequence: tuple[int, ...]  # axes of the turns, each about the axes as turned so far; none: a quaternion


QUATERNION = Convention("quaternion", ("qw", "qx", "qy", "qz"), ())
# Trend, from the site's y (north) clockwise, and plunge, downwards, of the length; then a turn about it. With roll 0 the width
# is level.
AZIMUTH = Convention("azimuth plunge roll", ("azimuth", "plunge", "roll"), (2, 1, 0))
EULER = tuple(
    # Turns about fixed axes are the same turns about the axes as turned so far, in the opposite order.
    Convention(f"euler {''.join('xyz'[axis] for axis in order)} {way}", ANGLES, order if way == "intrinsic" else order[::-1])
    for way in ("intrinsic", "extrinsic")
    for order in permutations((2, 1, 0))
)
CONVENTIONS = {convention.name: convention for convention in (QUATERNION, *EULER, AZIMUTH)}


def parse_convention(text: str) -> Convention:
    """Return the convention that a text names, in any case; commas and hyphens in it do not matter."""
    words = " ".join(text.lower().replace(",", " ").replace("-", " ").split())
    if words not in CONVENTIONS:
        raise InvalidInput(
            f"{text[:60]!r} is no rotation that is known here; write `quaternion`, `euler zyx intrinsic` (any order of x, y, z; "
            "intrinsic or extrinsic) or `azimuth plunge roll`",
            kind="survey_rotation",
        )
    return CONVENTIONS[words]


def read_rotations(convention: Convention, values: ArrayLike) -> Floats:
    """Return the unit quaternions (..., 4) of the values in the columns of a convention; angles in radians."""
    numbers = np.asarray(values, np.float64)
    if convention.name == QUATERNION.name:
        return numbers / np.linalg.norm(numbers, axis=-1, keepdims=True)
    if convention.name == AZIMUTH.name:
        azimuth, plunge, roll = np.moveaxis(numbers, -1, 0)
        numbers = np.stack([roll, plunge, np.pi / 2 - azimuth], axis=-1)
    first, second, third = (turn_about(axis, numbers[..., axis]) for axis in convention.sequence)
    return multiply_quaternions(multiply_quaternions(first, second), third)


def write_rotations(convention: Convention, orientation: ArrayLike) -> Floats:
    """Return the values (..., 3 or 4) for the columns of a convention from unit quaternions (..., 4); angles in radians."""
    quaternion = np.asarray(orientation, np.float64)
    if convention.name == QUATERNION.name:
        return quaternion
    angles = split_turns(make_matrices(quaternion), convention.sequence)
    if convention.name == AZIMUTH.name:
        roll, plunge, yaw = np.moveaxis(angles, -1, 0)
        angles = np.stack([np.mod(np.pi / 2 - yaw, 2 * np.pi), plunge, roll], axis=-1)
    return angles


def split_turns(matrix: Floats, sequence: tuple[int, ...]) -> Floats:
    """Return angles (..., 3) about x, y, z whose turns, in this sequence of axes a, b, c, make rotation matrices (..., 3, 3).

    R = R_a(alpha) R_b(beta) R_c(gamma), so R_bc = -e sin(alpha) cos(beta), R_cc = cos(alpha) cos(beta), R_ac = e sin(beta),
    where e is 1 for cyclic sequences and -1 for others. Gamma is read off R_a(-alpha) R: where beta is a quarter turn
    and alpha may be anything (gimbal lock), gamma is still the one that fits it.
    """
    a, b, c = sequence
    e = 1.0 if (b - a) % 3 == 1 else -1.0
    alpha = np.arctan2(-e * matrix[..., b, c], matrix[..., c, c])
    beta = np.arctan2(e * matrix[..., a, c], np.hypot(matrix[..., b, c], matrix[..., c, c]))
    cos, sin = np.cos(alpha)[..., None], e * np.sin(alpha)[..., None]
    row = cos * matrix[..., b, :] + sin * matrix[..., c, :]
    angles = np.empty(matrix.shape[:-1])
    angles[..., a], angles[..., b], angles[..., c] = alpha, beta, np.arctan2(e * row[..., a], row[..., b])
    return angles
