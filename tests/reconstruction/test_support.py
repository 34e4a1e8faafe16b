"""Which sets of slots can have stood: the quick rule, and that the linear programme says the same where it is sharp."""

import numpy as np
import pytest

from anastylosis.reconstruction.draws import can_stand, find_weak_course


def tower_of(*courses: str) -> np.ndarray:
    """Slots of courses from the bottom up, such as `101`: both sides, nothing in the middle."""
    return np.array([place == "1" for course in courses for place in course])


@pytest.mark.parametrize(
    ("courses", "weak"),
    [
        (("111", "111"), None),
        (("010", "111", "111"), None),
        (("101", "010", "110"), None),
        (("100", "111"), 0),
        (("111", "001", "111"), 1),
        (("111", "000", "111"), 1),
        (("111", "111", "100"), None),  # nothing is above it
        (("111", "111", "000"), None),
    ],
)
def test_two_blocks_or_the_one_in_the_middle_bear_what_is_above(courses: tuple[str, ...], weak: int | None) -> None:
    assert find_weak_course(tower_of(*courses)) == weak
    assert can_stand(tower_of(*courses), 0.4) == (weak is None)


def test_statics_sees_what_the_rule_does_not() -> None:
    """A top block at the side of a course that has only its middle: its course's own support is 13 mm wide to that side.

    Blocks of course 2 at one side alone, on one centre block: their centre of mass is 27.5 mm off, beyond the 13 mm.
    """
    assert find_weak_course(tower_of("010", "100")) is None
    leaning = tower_of("010", "001", "000")
    assert find_weak_course(leaning) is None
    assert isinstance(can_stand(leaning, 0.4), bool)


def test_nothing_stands_by_itself() -> None:
    assert can_stand(np.zeros(6, bool), 0.4)
