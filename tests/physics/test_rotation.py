"""Quaternions and rotation matrices against closed forms."""

import numpy as np
import pytest

from anastylosis.kernel import entry
from anastylosis.physics import rotation
from support.worlds import matrix, multiply, random_turns, turn

EPS = np.finfo(float).eps


@entry
def rotation_matrix(q, r):
    rotation.rotation_matrix(q, r)


@entry
def integrate_orientation(q, wx, wy, wz, dt, out):
    rotation.integrate_orientation(q, wx, wy, wz, dt, out)


@entry
def world_inverse_inertia(r, ix, iy, iz, out):
    rotation.world_inverse_inertia(r, ix, iy, iz, out)


@entry
def there_and_back(r, x, y, z):
    a, b, c = rotation.rotate(r, x, y, z)
    return (a, b, c), rotation.unrotate(r, a, b, c)


def as_matrix(q):
    r = np.empty(9)
    rotation_matrix(np.asarray(q), r)
    return r.reshape(3, 3)


def integrate(q, omega, dt):
    out = np.empty(4)
    integrate_orientation(np.asarray(q), *omega, dt, out)
    return out


def angle_between(p, q):
    """Angle of the turn that takes p to q [rad], accurate for small ones: 2 asin |vector part of p* q|."""
    return 2 * np.arcsin(min(1.0, np.linalg.norm(multiply(np.array(p) * [1, -1, -1, -1], q)[1:])))


def test_rotation_matrix_turns_about_the_axis() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        axis, angle, v = rng.normal(size=3), rng.uniform(-np.pi, np.pi), rng.normal(size=3)
        k = axis / np.linalg.norm(axis)
        # Rodrigues: v cos a + (k x v) sin a + k (k . v)(1 - cos a)
        expected = v * np.cos(angle) + np.cross(k, v) * np.sin(angle) + k * (k @ v) * (1 - np.cos(angle))
        assert as_matrix(turn(axis, angle)) @ v == pytest.approx(expected, abs=20 * EPS * np.linalg.norm(v))


def test_rotation_matrix_is_orthonormal() -> None:
    for q in random_turns(np.random.default_rng(1), 100):
        r = as_matrix(q)
        # R R^T = 1 as far as |q| = 1: an error of eps in |q| gives 4 eps in R.
        assert np.abs(r @ r.T - np.eye(3)).max() < 10 * EPS
        assert np.linalg.det(r) == pytest.approx(1.0, abs=10 * EPS)  # a turn, not a mirror


def test_rotate_and_unrotate_are_inverse() -> None:
    rng = np.random.default_rng(2)
    for q in random_turns(rng, 20):
        v = rng.normal(size=3)
        world, body = there_and_back(as_matrix(q).ravel(), *v)
        assert world == pytest.approx(matrix(q) @ v, abs=20 * EPS)
        assert body == pytest.approx(v, abs=20 * EPS)


def test_integrated_orientation_follows_world_omega() -> None:
    # q(dt) = exp(omega dt / 2) (x) q(0): the turn stands on the left, in the world frame. The error of one
    # step of q' = 1/2 [0, omega] (x) q, renormalised, is that of 2 atan(theta / 2) against theta: theta^3 / 12.
    rng = np.random.default_rng(3)
    for q in random_turns(rng, 30):
        omega, dt = rng.normal(size=3) * 20, 10 ** rng.uniform(-5, -2)
        theta = np.linalg.norm(omega) * dt
        exact = multiply(turn(omega, theta), q)
        assert angle_between(integrate(q, omega, dt), exact) <= theta**3 / 12 + 10 * EPS


def test_integrated_orientation_is_of_second_order() -> None:
    # Over a fixed time the error falls at least fourfold when the step is halved.
    omega, start = np.array([3.0, -5.0, 7.0]), random_turns(np.random.default_rng(4), 1)[0]
    exact = multiply(turn(omega, np.linalg.norm(omega)), start)
    errors = []
    for steps in (50, 100, 200):
        q = start
        for _ in range(steps):
            q = integrate(q, omega, 1 / steps)
        errors.append(angle_between(q, exact))
    assert errors[1] < errors[0] / 3.9
    assert errors[2] < errors[1] / 3.9


def test_orientation_keeps_unit_length() -> None:
    q = turn((1, 2, 3), 1.0)
    for _ in range(1000):
        integrate_orientation(q, 100.0, -30.0, 5.0, 1e-3, q)  # in place, as the step does it
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=4 * EPS)


def test_integration_in_place_gives_the_same_bits() -> None:
    q = turn((3, 1, 2), 2.0)
    apart = integrate(q, (1.0, 2.0, 3.0), 0.01)
    integrate_orientation(q, 1.0, 2.0, 3.0, 0.01, q)
    assert np.array_equal(q, apart)


def test_world_inverse_inertia_is_the_turned_tensor() -> None:
    rng = np.random.default_rng(5)
    for q in random_turns(rng, 20):
        inverse = 10 ** rng.uniform(2, 6, 3)
        out = np.empty(6)
        world_inverse_inertia(as_matrix(q).ravel(), *inverse, out)
        expected = matrix(q) @ np.diag(inverse) @ matrix(q).T  # R I^-1 R^T
        xx, xy, xz, yy, yz, zz = out
        assert np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) == pytest.approx(expected, abs=20 * EPS * inverse.max())
