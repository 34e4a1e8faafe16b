"""Range of the number of empty slots: whatever is fitted can be read again."""

import numpy as np

from anastylosis.assignment.model import check_removed_range
from anastylosis.training.assignment.removed_range import EXPECTED, make_range, sum_steps


def test_a_knot_without_an_example_leaves_a_range() -> None:
    steps = np.array([9.0] * (len(EXPECTED) - 1) + [0.1] * len(EXPECTED))  # the low end climbs over the high one
    made = make_range(*sum_steps(steps))
    check_removed_range(made)
    assert made.low == (0.0, 3.0, 6.0, 10.0, 16.0, 30.0)
    assert made.high == (0.1, 3.0, 6.0, 10.0, 16.0, 30.0)


def test_a_range_that_holds_what_is_expected_is_kept() -> None:
    low, high = np.array([0.0, 1.0, 3.0, 6.0, 9.0, 20.0]), np.array([2.0, 6.0, 10.004, 15.0, 25.0, 40.0])
    made = make_range(low, high)
    assert made.low == tuple(low)
    assert made.high == (2.0, 6.0, 10.0, 15.0, 25.0, 40.0)
