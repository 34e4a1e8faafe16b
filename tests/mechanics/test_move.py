"""Kinds of moves: labels, risks, forces, and moves that cannot be made."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput, InvalidStructure
from anastylosis.mechanics import classify_move
from anastylosis.structure import Structure, jenga_tower
from support.worlds import multiply, turn

TOWER = jenga_tower(6)
MASS, G = 0.0196, 9.81


@pytest.mark.parametrize(
    ("block", "axis", "kind", "force_mN", "torque"),
    [
        ("L02_1", "y", "center_xaxis", 230.7, False),
        ("L02_0", "y", "side_yaxis", 230.7, False),
        ("L02_2", "y", "side_yaxis", 230.7, False),
        ("L03_0", "x", "side_xaxis", 307.6, True),
        ("L03_2", "x", "side_xaxis", 307.6, True),
    ],
)
def test_the_papers_table(block: str, axis: str, kind: str, force_mN: float, torque: bool) -> None:
    # Paper §5.4, table "Movement classification", for mu = 0.40 and 19.6 g.
    move = classify_move(TOWER, block, axis)
    assert (move.kind, move.torque) == (kind, torque)
    assert move.force * 1e3 == pytest.approx(force_mN, abs=0.05)


def test_load_aware_force() -> None:
    # mu m g (2 n + 1), n = 3 courses above course 2.
    assert classify_move(TOWER, "L02_1", "y").force_loaded == pytest.approx(0.4 * MASS * G * 7)
    # Two of three blocks stay: 9 blocks rest on 2.
    assert classify_move(TOWER.without("L02_1"), "L02_0", "y").force_loaded == pytest.approx(0.4 * MASS * G * (2 * 9 / 2 + 1))


@pytest.mark.parametrize(
    ("gone", "block", "axis", "risk"),
    [
        ((), "L02_1", "y", "low"),  # both sides stay
        ((), "L02_0", "y", "low"),  # centre and a side stay
        ((), "L02_0", "x", "medium"),  # across: at least medium
        (("L02_0",), "L02_2", "y", "medium"),  # the centre alone stays
        (("L02_0",), "L02_2", "x", "high"),  # across, without the opposite side
        (("L02_0",), "L02_1", "y", "high"),  # one side alone stays
        (("L02_1",), "L02_0", "y", "high"),
        (("L02_1",), "L02_0", "x", "high"),  # the opposite side is there, and is all that stays
        (("L02_0", "L02_1"), "L02_2", "y", "high"),  # nothing stays
        (("L02_0", "L02_2"), "L02_1", "y", "high"),
    ],
)
def test_risk_is_what_stays_in_the_course(gone: tuple[str, ...], block: str, axis: str, risk: str) -> None:
    assert classify_move(TOWER.without(*gone), block, axis).risk == risk


@pytest.mark.parametrize(
    ("gone", "block", "holds"),
    [
        ((), "L02_0", True),  # mu N < 2 mu N
        (("L02_1",), "L02_0", False),  # mu N against mu N
        (("L02_1", "L02_2"), "L02_0", False),  # nothing else bears
        (("L05_0", "L05_1"), "L05_2", True),  # there is no layer above to drag
    ],
)
def test_the_layer_above_is_held_by_what_stays(gone: tuple[str, ...], block: str, holds: bool) -> None:
    # Paper §5.2: f_slide,max < f_1,max + f_2,max, the upper layer does not move.
    assert classify_move(TOWER.without(*gone), block, "y").upper_holds is holds


def test_torque_and_angular_acceleration() -> None:
    # tau = f_slide d, f_slide = mu m g = 0.4 * 0.0196 * 9.81 N, d = (81 - 26) / 2 mm;
    # alpha = tau / I_zz, I_zz = m (l^2 + w^2) / 12 = 1.182e-5 kg m^2 (erratum).
    for block in ("L02_0", "L03_2", "L05_0"):
        move = classify_move(TOWER, block, "x")
        assert move.torque_moment == pytest.approx(0.4 * MASS * G * 0.0275, rel=1e-9)
        assert move.angular_acceleration == pytest.approx(0.4 * MASS * G * 0.0275 / 1.182e-5, rel=5e-4)
    assert classify_move(TOWER, "L02_0", "y").torque_moment == 0
    assert classify_move(TOWER, "L02_1", "y").angular_acceleration == 0


@pytest.mark.parametrize("gone", [("L02_1",), ("L02_2",), ("L02_1", "L02_2")])
def test_the_arm_does_not_depend_on_the_neighbours(gone: tuple[str, ...]) -> None:
    assert classify_move(TOWER.without(*gone), "L02_0", "x").torque_moment == pytest.approx(0.4 * MASS * G * 0.0275)


def test_the_arm_turns_with_the_tower() -> None:
    q = turn((0, 0, 1), 0.5)
    spin = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    turned = TOWER.at(TOWER.position @ spin.T + (0.3, -0.2, 0), [multiply(q, p) for p in TOWER.orientation])
    assert classify_move(turned, "L02_0", "x").torque_moment == pytest.approx(classify_move(TOWER, "L02_0", "x").torque_moment)


def test_a_single_course_has_an_arm() -> None:
    assert classify_move(jenga_tower(1), "L00_0", "x").torque_moment == pytest.approx(0.4 * MASS * G * 0.0275)


def test_the_centre_cannot_leave_across() -> None:
    with pytest.raises(InvalidInput, match="L02_1 cannot be pulled along x: it stands between two neighbours; pull it along y"):
        classify_move(TOWER, "L02_1", "x")


def test_unknown_words_are_refused() -> None:
    with pytest.raises(InvalidInput, match="axis is 'z'"):
        classify_move(TOWER, "L02_0", "z")
    with pytest.raises(InvalidStructure, match="no block is named 'L99_0'"):
        classify_move(TOWER, "L99_0", "y")


def test_other_places_are_refused() -> None:
    wall = Structure(
        blocks=TOWER.select([0, 1, 2, 3]).blocks, ids=("a", "b", "c", "d"), course=np.zeros(4, int),
        position=TOWER.position[:4], orientation=TOWER.orientation[:4],
    )  # fmt: skip
    with pytest.raises(InvalidInput, match="d stands in place 3"):
        classify_move(wall, "d", "y")
