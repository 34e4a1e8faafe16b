"""Forces that slide a block out: Ziglar's numbers, the load-aware form, and what is refused."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.mechanics import push_force_slide, push_force_torque, shared_loads
from anastylosis.mechanics.push_force import friction_limit, push_force_layers, push_force_loaded
from anastylosis.structure import jenga_tower

MASS = 0.0196  # [kg]
G = 9.81  # [m/s^2]


def test_coulomb_limit() -> None:
    # Eq. (7): f = mu N.
    np.testing.assert_allclose(friction_limit(0.4, [0.0, 1.0, 2.5]), [0.0, 0.4, 1.0])


@pytest.mark.parametrize(
    ("friction", "slide_mN", "torque_mN"), [(0.25, 144.2, 192.3), (0.40, 230.7, 307.6), (0.60, 346.1, 461.5)]
)
def test_the_papers_forces(friction: float, slide_mN: float, torque_mN: float) -> None:
    # Eq. (8): 3 mu m g; Eq. (9): 4 mu m g; the paper prints one decimal of a millinewton.
    assert push_force_slide(friction, MASS) * 1e3 == pytest.approx(slide_mN, abs=0.05)
    assert push_force_torque(friction, MASS) * 1e3 == pytest.approx(torque_mN, abs=0.05)


def test_ziglar_is_the_layer_under_the_top_one() -> None:
    # mu m g (2 n + 1) with n = 1 is Eq. (8).
    assert push_force_layers(0.4, MASS, 1) == pytest.approx(push_force_slide(0.4, MASS), rel=1e-15)


def test_layers_are_a_load() -> None:
    # mu (2 load + m g) with load = n m g is mu m g (2 n + 1).
    layers = np.arange(18)
    np.testing.assert_allclose(push_force_layers(0.4, MASS, layers), push_force_loaded(0.4, MASS, layers * MASS * G))
    assert push_force_layers(0.4, MASS, 17) == pytest.approx(0.4 * MASS * G * 35)


def test_arrays_broadcast() -> None:
    force = push_force_slide(np.array([[0.25], [0.5]]), np.array([0.01, 0.02, 0.04]), gravity=10.0)
    np.testing.assert_allclose(force, [[0.075, 0.15, 0.3], [0.15, 0.3, 0.6]])


def test_full_courses_share_evenly() -> None:
    # n m g under n full courses.
    tower = jenga_tower(18)
    np.testing.assert_allclose(shared_loads(tower), (17 - tower.course) * MASS * G, rtol=1e-12)


def test_the_blocks_that_stay_take_the_load() -> None:
    tower = jenga_tower(3).without("L01_0", "L01_2", "L02_0")
    loads = dict(zip(tower.ids, shared_loads(tower), strict=True))
    assert loads["L02_1"] == 0
    assert loads["L01_1"] == pytest.approx(2 * MASS * G)  # two blocks on one
    assert loads["L00_2"] == pytest.approx(3 * MASS * G / 3)


def test_an_empty_course_shares_nothing() -> None:
    tower = jenga_tower(3).without("L01_0", "L01_1", "L01_2")
    np.testing.assert_allclose(shared_loads(tower), [MASS * G] * 3 + [0] * 3, atol=1e-15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: push_force_slide(-0.1, MASS), "friction is -0.1: it must be"),
        (lambda: push_force_torque(0.4, -1.0), "mass is -1"),
        (lambda: push_force_slide(0.4, np.nan), "mass is nan: it must be a finite number"),
        (lambda: push_force_slide(0.4, [MASS, -2.0]), "mass is -2"),
        (lambda: push_force_slide(0.4, MASS, gravity=-9.81), "gravity is -9.81"),
        (lambda: push_force_layers(0.4, MASS, -1), "layers_above is -1"),
        (lambda: push_force_loaded(0.4, MASS, -0.5), "load is -0.5"),
        (lambda: friction_limit(0.4, np.inf), "normal_force is inf"),
        (lambda: shared_loads(jenga_tower(1), gravity=-1.0), "gravity is -1"),
    ],
)
def test_impossible_values_are_refused(call, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
