"""Which pulls are allowed, and where they go."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.episode.pulls import Pull, list_pulls
from anastylosis.structure import Structure, jenga_tower
from support.games import yawed
from support.worlds import multiply, turn


def pulls_of(structure: Structure, block: str, protected_layers: int = 2) -> set[tuple[str, int]]:
    return {(pull.axis, pull.sign) for pull in list_pulls(structure, protected_layers) if pull.block == block}


def test_the_top_two_layers_are_protected() -> None:
    tower = jenga_tower(6)
    blocks = {pull.block for pull in list_pulls(tower, 2)}
    assert blocks == {f"L{layer:02d}_{place}" for layer in range(4) for place in range(3)}
    assert {pull.block for pull in list_pulls(tower, 0)} == set(tower.ids)
    assert list_pulls(tower, 6) == list_pulls(tower, 9) == ()


def test_the_top_is_where_the_highest_block_is() -> None:
    # of the top course one block is left: it and the course below are the top two
    tower = jenga_tower(5).without("L04_0", "L04_2")
    assert {pull.block[:3] for pull in list_pulls(tower, 2)} == {"L00", "L01", "L02"}
    assert {pull.block[:3] for pull in list_pulls(tower.without("L04_1"), 2)} == {"L00", "L01"}


def test_a_centre_block_leaves_along_its_length_only() -> None:
    tower = jenga_tower(6)
    for layer in range(4):
        assert pulls_of(tower, f"L{layer:02d}_1") == {("y", -1), ("y", 1)}
    # also when its neighbours are gone: the erratum keeps one label for the centre block
    assert pulls_of(tower.without("L01_0", "L01_2"), "L01_1") == {("y", -1), ("y", 1)}


def test_a_side_block_also_leaves_across_one_way() -> None:
    tower = jenga_tower(6)
    for layer in range(4):
        for place in (0, 2):
            ways = pulls_of(tower, f"L{layer:02d}_{place}")
            assert len(ways) == 3
            assert sum(axis == "x" for axis, _ in ways) == 1


@given(st.floats(-math.pi, math.pi), st.floats(-1, 1), st.floats(-1, 1))
def test_pulls_go_outwards_and_along_whatever_way_the_tower_is_turned(yaw: float, x: float, y: float) -> None:
    ideal = yawed(jenga_tower(4), yaw)
    tower = ideal.at(ideal.position + np.array((x, y, 0)), ideal.orientation)
    centre = tower.position.mean(axis=0)
    for pull in list_pulls(tower, 0):
        row = tower.index(pull.block)
        way, out = pull.direction(tower), tower.position[row] - centre
        along = np.array((np.cos(yaw), np.sin(yaw), 0.0))
        if tower.course[row] % 2:
            along = np.array((-along[1], along[0], 0.0))
        assert np.linalg.norm(way) == pytest.approx(1, abs=1e-12)
        assert way[2] == 0
        if pull.axis == "y":
            assert way == pytest.approx(pull.sign * along, abs=1e-9)
        else:  # side blocks stand (81 - 26) / 2 mm from the middle, across their length
            assert way @ along == pytest.approx(0, abs=1e-9)
            assert way @ out == pytest.approx(0.0275, abs=1e-9)


def test_a_block_that_was_turned_over_is_pulled_along_its_own_axes() -> None:
    # a half turn about the length turns the width round: the sign of the way out changes, the way does not
    tower = jenga_tower(3)
    orientation = tower.orientation.copy()
    orientation[0] = multiply(turn((1, 0, 0), math.pi), orientation[0])
    turned = tower.at(tower.position, orientation)
    (before,) = (pull for pull in list_pulls(tower, 0) if pull.block == "L00_0" and pull.axis == "x")
    (after,) = (pull for pull in list_pulls(turned, 0) if pull.block == "L00_0" and pull.axis == "x")
    assert after.sign == -before.sign
    assert after.direction(turned) == pytest.approx(before.direction(tower), abs=1e-12)


def test_outwards_is_away_from_the_neighbours_where_courses_have_slid_apart() -> None:
    # all above the first course has been dragged along by 60 mm, beyond the side block L00_2
    tower = jenga_tower(5)
    slid = tower.at(tower.position + np.where(tower.course[:, None] > 0, (0, 0.06, 0), 0), tower.orientation)
    for block, out in (("L00_0", -1.0), ("L00_2", 1.0)):
        (pull,) = (pull for pull in list_pulls(slid, 2) if pull.block == block and pull.axis == "x")
        assert pull.direction(slid) == pytest.approx((0, out, 0), abs=1e-12)


def test_a_tilted_block_is_pulled_level() -> None:
    tower = jenga_tower(3)
    orientation = tower.orientation.copy()
    orientation[1] = turn((0, 1, 0), 0.2)
    assert Pull("L00_1", "y", 1).direction(tower.at(tower.position, orientation)) == pytest.approx((1, 0, 0), abs=1e-12)


def test_given_up_blocks_are_left_out() -> None:
    tower = jenga_tower(5)
    every, some = list_pulls(tower, 2), list_pulls(tower, 2, {"L00_0", "L02_1"})
    assert set(every) - set(some) == {pull for pull in every if pull.block in ("L00_0", "L02_1")}


def test_the_last_block_stays() -> None:
    tower = jenga_tower(2)
    assert list_pulls(tower.without(*tower.ids[1:]), 0) == ()
    assert {pull.block for pull in list_pulls(tower.without(*tower.ids[2:]), 0)} == set(tower.ids[:2])


def test_the_order_is_that_of_the_blocks() -> None:
    blocks = [pull.block for pull in list_pulls(jenga_tower(4), 1)]
    assert blocks == sorted(blocks)
