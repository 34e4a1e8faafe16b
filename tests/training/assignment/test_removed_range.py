"""Range of the number of empty slots: whole numbers, wider with what is likely unfound, and it can be read again."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from anastylosis.assignment import Assigner
from anastylosis.assignment.model import RemovedRange, check_removed_range, parse_assignment_card, write_assignment_card
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.training.assignment.removed_range import HIGH, KNEE, LOW, make_range
from support.assignments import make_assignment_card

MADE = RemovedRange(knee=3.0, low=(-0.5, -0.5, -1.0, 1.0), high=(1.2, 0.0, 0.5, -0.5))


@pytest.mark.parametrize(
    ("expected", "missing", "ends"),
    [
        (0.2, 1, (0, 1)),  # low end: 0.2 - 0.5 - 0.1 - 0.8, below 0
        (6.0, 6, (2, 6)),  # 6 - 0.5 - 3 = 2.5; no more than are missing
        (6.0, 8, (0, 8)),  # and two that were probably not found: 0.5
        (10.0, 16, (1, 13)),  # 10 - 0.5 - 5 - 6 + 3 = 1.5; 10 + 1.2 + 3 - 1.5 = 12.7
        (6.0, 4, (2, 6)),  # more are expected than are missing
    ],
)
def test_ends_are_whole_and_wider_with_what_is_unfound(expected: float, missing: int, ends: tuple[int, int]) -> None:
    assert MADE.find(expected, missing) == ends


def test_many_are_found_at_once_as_one() -> None:
    expected, missing = np.array([0.2, 6.0, 10.0]), np.array([1, 8, 16])
    low, high = MADE.find(expected, missing)
    assert [*zip(low, high, strict=True)] == [MADE.find(*each) for each in zip(expected, missing, strict=True)]


def test_whatever_is_fitted_can_be_read_again() -> None:
    rng = np.random.default_rng(0)
    bounds = np.array([KNEE, *LOW, *HIGH])
    made = make_range(rng.uniform(*bounds.T))
    check_removed_range(made)
    card = make_assignment_card()
    card = replace(card, calibration=replace(card.calibration, removed_range=made))
    assert parse_assignment_card(write_assignment_card(card)).calibration.removed_range == made


def test_a_range_with_too_few_numbers_is_refused() -> None:
    card = json.loads(write_assignment_card(make_assignment_card()))
    card["calibration"]["removed_range"] = asdict(MADE) | {"low": [0.0]}
    with pytest.raises(Exception, match="not one of ours"):
        parse_assignment_card(json.dumps(card))


def test_the_range_of_the_net_that_ships_widens_with_hidden_blocks() -> None:
    found = Assigner.from_file(SHIPPED_ASSIGNMENT).card.calibration
    low, high = found.find_removed_range(10.0, 22)  # 12 slots are probably of blocks that were not found
    assert high - low > np.diff(found.find_removed_range(10.0, 12))[0]
    assert found.find_removed_range(0.1, 0)[0] == 0  # 0 is a number that may be true
