"""Laid out: blocks in a row on the ground are found, and a heap has none."""

import math

import numpy as np
import pytest

from anastylosis.assignment.unfallen import find_laid_out
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey import Survey

GROUND = BLOCK_SIZE[2] / 2
STEP = 0.05  # [m]


def lay(place: np.ndarray, turn: np.ndarray, height: float = GROUND) -> Survey:
    """Blocks with their centres at these places (B, 2), turned about the vertical."""
    turn = np.broadcast_to(turn, len(place))
    none = np.zeros(len(place))
    return Survey(
        ids=tuple(f"B{row}" for row in range(len(place))),
        size=np.tile(BLOCK_SIZE, (len(place), 1)),
        position=np.column_stack([place, none + height]),
        orientation=np.column_stack([np.cos(turn / 2), none, none, np.sin(turn / 2)]),
    )


def make_row(count: int, heading: float = 0.4, step: float = STEP) -> np.ndarray:
    return step * np.arange(count)[:, None] * (math.cos(heading), math.sin(heading))


@pytest.mark.parametrize(("count", "laid"), [(4, 0), (5, 5), (9, 9)])
def test_five_in_a_row_are_laid_out_and_four_are_not(count: int, laid: int) -> None:
    assert find_laid_out(lay(make_row(count), np.array(1.0)), BLOCK_SIZE).sum() == laid


def test_a_row_that_bends_a_little_is_followed_to_its_end() -> None:
    heading = np.linspace(0, 0.2, 12)
    place = STEP * np.cumsum(np.column_stack([np.cos(heading), np.sin(heading)]), axis=0)
    assert find_laid_out(lay(place, np.array(0.0)), BLOCK_SIZE).all()


@pytest.mark.parametrize(
    ("survey", "why"),
    [
        (lay(make_row(6), np.radians([0, 30, 0, 30, 0, 30])), "not parallel"),
        (lay(make_row(6), np.array(0.0), height=0.1), "not on the ground"),
        (lay(make_row(6, step=0.03), np.array(0.0)), "too close: part of a tower that fell as one"),
        (lay(make_row(6, step=0.3), np.array(0.0)), "too far apart"),
        (lay(make_row(6) + 0.012 * np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1]]), np.array(0.0)), "not even"),
    ],
)
def test_other_blocks_are_not_laid_out(survey: Survey, why: str) -> None:
    assert not find_laid_out(survey, BLOCK_SIZE).any(), why


def test_rows_are_found_among_a_thousand_blocks() -> None:
    rng = np.random.default_rng(7)
    place, turn = rng.uniform(-2, 2, (1000, 2)), rng.uniform(0, math.pi, 1000)
    place[:8], turn[:8] = make_row(8) - 1.0, 0.7
    place[8:14], turn[8:14] = make_row(6, heading=2.0, step=0.09) + 1.0, 2.1
    assert np.flatnonzero(find_laid_out(lay(place, turn), BLOCK_SIZE)).tolist() == list(range(14))
