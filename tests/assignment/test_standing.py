"""What still stands is seen: blocks in their slots, on others that are."""

import numpy as np
import pytest

from anastylosis.assignment import find_standing
from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.geometry import measure_turns, multiply_quaternions, turn_about
from anastylosis.structure import jenga_tower
from support.surveys import tower_survey


def test_all_blocks_of_a_tower_that_stands_are_where_they_are() -> None:
    assert find_standing(tower_survey(5), jenga_tower(5)).tolist() == list(range(15))


def test_boxes_are_the_same_turned_by_halves() -> None:
    tower = jenga_tower(3)
    for axis in range(3):
        turned = multiply_quaternions(tower.orientation, np.broadcast_to(turn_about(axis, np.pi), tower.orientation.shape))
        assert find_standing(tower_survey(3, orientation=turned), tower).tolist() == list(range(9))


def test_what_lies_beside_or_across_has_fallen() -> None:
    tower = jenga_tower(3)
    position, orientation = tower.position.copy(), tower.orientation.copy()
    position[8] += (0.0, 0.05, 0.0)
    orientation[7] = multiply_quaternions(turn_about(2, np.pi / 2), orientation[7])
    position[6] += (0.0, 0.0, 0.008)  # 8 mm higher: still there
    found = find_standing(tower_survey(3, position=position, orientation=orientation), tower)
    assert found.tolist() == [*range(7), UNASSIGNED, UNASSIGNED]


def test_blocks_of_a_stump_may_have_shifted_along_more_than_across() -> None:
    """Along their length slots have no neighbours, so two centimetres are no doubt; across they have, 26 mm away."""
    tower = jenga_tower(3)
    length, width = tower.position.copy(), tower.position.copy()
    length[3:6, 1] += 0.02  # blocks of the second course lie along y
    width[3:6, 0] += 0.02
    assert find_standing(tower_survey(3, position=length), tower).tolist() == list(range(9))
    assert find_standing(tower_survey(3, position=width), tower)[3:6].tolist() != [3, 4, 5]


@pytest.mark.parametrize(("shift", "stands"), [(0.010, True), (-0.010, True), (0.012, False), (-0.012, False)])
def test_a_centimetre_across_is_no_fall(shift: float, stands: bool) -> None:
    tower = jenga_tower(3)
    position = tower.position.copy()
    position[6] += (0.0, shift, 0.0)  # the third course lies along x
    found = find_standing(tower_survey(3, position=position), tower)
    assert found.tolist() == [*range(6), 6 if stands else UNASSIGNED, 7, 8]


def test_a_survey_that_is_less_good_is_given_more_room() -> None:
    """13 mm across: fallen, if it is measured exactly; if within 5 mm, it may stand. No survey is so bad that 20 mm are none."""
    tower = jenga_tower(3)
    for shift, deviation, slot in ((0.013, 0.0, UNASSIGNED), (0.013, 0.005, 6), (0.020, 0.05, UNASSIGNED)):
        position = tower.position.copy()
        position[6] -= (0.0, shift, 0.0)  # outwards
        survey = tower_survey(3, position=position, position_sd=np.full(9, deviation))
        assert find_standing(survey, tower)[6] == slot


def test_nothing_stands_on_a_course_that_is_gone() -> None:
    """A block that hangs where its slot is, without the course under it."""
    survey = tower_survey(4)
    there = survey.select([0, 1, 2, 3, 4, 5, 10])  # none of course 2, one of course 3
    assert find_standing(there, jenga_tower(4)).tolist() == [0, 1, 2, 3, 4, 5, UNASSIGNED]


def test_blocks_of_another_size_are_in_no_slot() -> None:
    survey = tower_survey(2)
    size = survey.size.copy()
    size[0] *= 1.6
    assert find_standing(tower_survey(2, size=size), jenga_tower(2))[0] == UNASSIGNED


@pytest.mark.parametrize(("angle", "expected"), [(0.0, 0.0), (0.3, 0.3), (np.pi - 0.2, 0.2), (np.pi / 2, np.pi / 2)])
def test_turns_are_taken_modulo_the_symmetry_of_a_box(angle: float, expected: float) -> None:
    """About each axis alone, a turn by pi - a leaves the box as one by a does."""
    for axis in range(3):
        assert measure_turns(np.array(turn_about(axis, angle)), np.array([1.0, 0, 0, 0])) == pytest.approx(expected, abs=1e-6)
