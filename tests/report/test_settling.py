"""Blocks of a heap while the tower is put up: none hangs in the air, none stands in another."""

from types import SimpleNamespace

import numpy as np
import pytest

from anastylosis.assignment import UNASSIGNED
from anastylosis.report.reconstruction.rebuilding import RebuildingMove, show_moves
from anastylosis.report.reconstruction.settling import SLACK, find_boxes, find_pierced, settle
from anastylosis.structure import jenga_tower

SIZE = np.array([0.075, 0.025, 0.015])
FLAT = np.array([1.0, 0.0, 0.0, 0.0])


def lay(*places: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blocks that lie flat, by the place of the middle of their lower side."""
    count = len(places)
    return np.tile(SIZE, (count, 1)), np.array(places) + np.array((0, 0, SIZE[2] / 2)), np.tile(FLAT, (count, 1))


def test_a_pile_comes_down_when_its_foot_is_gone() -> None:
    size, position, orientation = lay((0, 0, 0), (0, 0, 0.015), (0, 0, 0.030), (0.5, 0, 0))
    present = np.array([False, True, True, True])
    settled = settle(size, position, orientation, present, present)
    np.testing.assert_allclose(settled[1:, 2], [0.0075, 0.0225, 0.0075])
    assert (settled[:, :2] == position[:, :2]).all()


def test_what_lies_on_something_stays() -> None:
    size, position, orientation = lay((0, 0, 0), (0.03, 0, 0.015), (0, 0.2, 0.002))  # the last lies as it was measured
    every = np.ones(3, bool)
    assert (settle(size, position, orientation, every, every) == position).all()


def test_a_block_that_stands_is_not_moved() -> None:
    size, position, orientation = lay((0, 0, 0.3))
    assert (settle(size, position, orientation, np.ones(1, bool), np.zeros(1, bool)) == position).all()


def test_a_block_in_the_way_of_the_tower_is_found() -> None:
    size, position, orientation = lay((0, 0, 0), (0.05, 0, 0.005), (0.2, 0, 0), (0, 0, 0.015))
    pierced = find_pierced(size, position, orientation, np.array([False, True, True, True]), 0)
    assert pierced.tolist() == [False, True, False, False]


@pytest.mark.parametrize("beside", [True, False])
def test_a_block_that_is_not_put_back_never_hangs(beside: bool) -> None:
    """It lies on a block that is put back: it comes down, or fades where the tower rises through it."""
    tower = jenga_tower(3)
    foot = tower.position[0]
    away = np.array((0.5 if beside else foot[0], 0.0 if beside else foot[1], 0.0))
    size = np.tile(tower.blocks.size[0], (2, 1))
    high = size[0, 2]
    position = np.array([(0.5, 0.0, high / 2), (*away[:2], 1.5 * high if beside else 0.5 * high)])
    survey = SimpleNamespace(
        size=size, position=position, orientation=np.tile(tower.orientation[0], (2, 1)), certainty=np.ones(2), ids=("a", "b")
    )
    survey_of = type("Survey", (SimpleNamespace,), {"__len__": lambda self: 2})(**vars(survey))
    state = SimpleNamespace(slot=np.array([0, UNASSIGNED]), filled=np.arange(9) == 0)
    placed = np.zeros((2, 9))
    placed[0, 0] = 1.0
    found = SimpleNamespace(
        survey=survey_of, structure=tower, rows=np.arange(2), pinned=np.full(2, UNASSIGNED), placed=placed,
        best=SimpleNamespace(state=state),
    )  # fmt: skip
    last = list(show_moves(found, [RebuildingMove(0, 0, "", "")]))[-1]
    assert bool(last.present[1]) == beside
    low, _ = find_boxes(last.size, last.position, last.orientation)
    assert (low[last.present, 2] < SLACK).all()
