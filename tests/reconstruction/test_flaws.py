"""Blocks that cannot be where they are said to be are left out; those that are only badly measured are not."""

import numpy as np

from anastylosis.reconstruction.observation import find_flaws
from support.surveys import tower_survey


def moved(*moves: tuple[int, tuple[float, float, float]]) -> np.ndarray:
    position = tower_survey(3).position.copy()
    for row, way in moves:
        position[row] += way
    return position


def test_a_tower_that_stands_has_no_flaw() -> None:
    assert find_flaws(tower_survey(6), complete=True) == {}


def test_the_later_of_two_blocks_in_one_place_is_left_out() -> None:
    position = moved()
    position[8] = position[7]
    assert list(find_flaws(tower_survey(3, position=position))) == [8]


def test_the_block_that_meets_most_others_is_left_out() -> None:
    """Block 4 is pushed down into all three blocks of the course below it, by 12 of 18 mm."""
    flaws = find_flaws(tower_survey(3, position=moved((4, (0, 0, -0.012)))))
    assert list(flaws) == [4]
    assert "another block" in flaws[4]


def test_blocks_a_few_millimetres_in_each_other_are_badly_measured() -> None:
    assert find_flaws(tower_survey(3, position=moved((4, (0, 0, -0.005)))), complete=False) == {}


def test_a_block_in_the_air() -> None:
    """10 cm up there is nothing that could bear it; 3 cm up a block that was not found might, unless all were."""
    far, near = ((8, (0.5, 0.0, height)) for height in (0.1, -0.015))
    assert list(find_flaws(tower_survey(3, position=moved(far)))) == [8]
    assert find_flaws(tower_survey(3, position=moved(near))) == {}
    assert list(find_flaws(tower_survey(3, position=moved(near)), complete=True)) == [8]
