"""Pulling a block: forces that are determinate, ranges that are not, and which pull the rest can hold."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.mechanics import shared_loads, solve_pull
from anastylosis.structure import Structure, jenga_tower
from support.worlds import box_structure

L, W, H = BLOCK = (0.081, 0.026, 0.018)
MASS, G = 0.0196, 9.81
MU = 0.4
UNIT = MU * MASS * G  # [N]


def ziglar_cell(heading: int) -> Structure:
    """A fixed plate, a block to pull along world axis `heading`, one on it, and a smooth fixed wall that keeps that one."""
    wall = [0.1, 0.1, 0.014]
    wall[heading] = 0.02
    stop = np.array([0.0, 0.0, 0.02 + 1.5 * H])
    stop[heading] = (L, W)[heading] / 2 + 0.01
    boxes = box_structure(
        [(0.3, 0.3, 0.02), BLOCK, BLOCK, wall], [(0, 0, 0.01), (0, 0, 0.02 + H / 2), (0, 0, 0.02 + 1.5 * H), stop],
        fixed=[True, False, False, True],
    )  # fmt: skip
    return replace(boxes, blocks=replace(boxes.blocks, friction=[MU, MU, MU, 0.0]))


def test_a_block_alone() -> None:
    # Eq. (7): mu m g.
    pull = solve_pull(box_structure(BLOCK, [(0, 0, H / 2)]), "b0", (0, 2, 0))
    assert pull.holds
    np.testing.assert_allclose((pull.force_low, pull.force_high), UNIT, rtol=1e-6)


@pytest.mark.parametrize("heading", [0, 1])
def test_ziglars_cell(heading: int) -> None:
    # Eq. (8): m g on the upper face, 2 m g on the lower one: 3 mu m g, along and across.
    pull = solve_pull(ziglar_cell(heading), "b1", np.eye(3)[heading])
    assert pull.holds
    np.testing.assert_allclose((pull.force_low, pull.force_high), 3 * UNIT, rtol=1e-6)


def test_what_lies_on_it_goes_with_it() -> None:
    # Without the wall nothing holds the upper block back.
    cell = ziglar_cell(0).without("b3")
    pull = solve_pull(cell, "b1", (1, 0, 0))
    assert not pull.holds
    assert math.isnan(pull.force_low)
    assert math.isnan(pull.force_high)


def test_the_range_holds_the_even_share() -> None:
    # mu (2 load + m g), the load shared evenly, is one way to share it.
    tower = jenga_tower(6)
    for block, axis in (("L02_1", (1, 0, 0)), ("L02_0", (0, -1, 0))):
        even = MU * (2 * shared_loads(tower)[tower.index(block)] + MASS * G)
        pull = solve_pull(tower, block, axis)
        assert pull.holds
        assert pull.force_low <= even <= pull.force_high
        assert pull.force_low == pytest.approx(UNIT)  # the others can bear everything


def test_along_is_the_pull_that_turns_what_is_above() -> None:
    # A side block drags the ends of the blocks above: sideways when it is pulled along its length, which turns them, and
    # along their own length when it is pulled across, which does not. Ziglar and the paper have it the other way round.
    tower = jenga_tower(6)
    along, across = solve_pull(tower, "L03_0", (0, 1, 0)), solve_pull(tower, "L03_0", (-1, 0, 0))
    assert along.force_high < 0.95 * across.force_high
    # Course 4 under one course more, and no centre to hold it: only across can be held.
    hollow = tower.without("L04_1")
    assert not solve_pull(hollow, "L04_0", (1, 0, 0)).holds
    assert solve_pull(hollow, "L04_0", (0, -1, 0)).holds


def test_a_block_pulled_against_its_neighbour_is_pressed() -> None:
    # Two cubes side by side: towards the neighbour both must slide, and the neighbour sticks up to mu m g and no further;
    # away from it the face between bears nothing.
    pair = box_structure((0.1, 0.1, 0.1), [(0, 0, 0.05), (0.1, 0, 0.05)])
    np.testing.assert_allclose(solve_pull(pair, "b0", (-1, 0, 0))[1:], UNIT, rtol=1e-6)
    pressed = solve_pull(pair, "b0", (1, 0, 0))
    assert pressed.force_low == pytest.approx(UNIT, rel=1e-6)
    assert pressed.force_high == pytest.approx(2 * UNIT, rel=1e-6)


def test_impossible_pulls_are_refused() -> None:
    with pytest.raises(InvalidInput, match="b0 is fixed"):
        solve_pull(ziglar_cell(0), "b0", (1, 0, 0))
    with pytest.raises(InvalidInput, match="not all 0"):
        solve_pull(ziglar_cell(0), "b1", (0, 0, 0))
    with pytest.raises(InvalidInput, match="no block is named"):
        solve_pull(ziglar_cell(0), "b9", (1, 0, 0))
