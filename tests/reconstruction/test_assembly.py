"""The order of building: from the ground up, every step in balance, with closed forms where there are some."""

import numpy as np
import pytest

from anastylosis.mechanics import find_safety
from anastylosis.reconstruction.building import list_step_jobs, measure_step, order_blocks
from anastylosis.structure import jenga_tower


def build(tower, there=()) -> list:
    mask = np.isin(tower.ids, there)
    return [measure_step(job) for job in list_step_jobs(tower, mask)]


def test_every_block_once_and_no_course_before_the_one_below() -> None:
    tower = jenga_tower(4).without("L01_0", "L02_1")
    order = order_blocks(tower, np.zeros(len(tower), bool))
    assert sorted(order) == list(range(len(tower)))
    assert (np.diff(tower.course[order]) >= 0).all()


def test_one_block_bears_its_friction_or_tips() -> None:
    """A box slides at mu g, and tips at width / height = 26 / 18 of g: at 0.4 it slides first."""
    steps = build(jenga_tower(1, friction=0.4).select([1]))
    assert [(step.number, step.slot, step.stands) for step in steps] == [(1, "L00_1", True)]
    assert steps[0].safety == pytest.approx(0.4, rel=1e-6)
    assert steps[0].margin == pytest.approx(0.013)
    (rough,) = build(jenga_tower(1, friction=1.8).select([1]))
    assert rough.safety == pytest.approx(26 / 18, rel=1e-6)


def test_a_small_tower_stands_at_every_step() -> None:
    steps = build(jenga_tower(3).without("L01_0", "L01_2"))
    assert [step.number for step in steps] == list(range(1, 8))
    assert all(step.stands and step.safety > 0 for step in steps)
    assert steps[3].slot == "L01_1"


def test_what_stands_already_is_step_nought() -> None:
    tower = jenga_tower(2)
    steps = build(tower, there=("L00_0", "L00_1", "L00_2"))
    assert (steps[0].number, steps[0].slot) == (0, "")
    assert {step.slot for step in steps[1:]} == {"L01_0", "L01_1", "L01_2"}


def test_a_step_that_cannot_stand_says_so() -> None:
    """On one side block nothing stays that reaches over it: its middle is 27.5 mm from a support 13 mm wide to each side."""
    steps = build(jenga_tower(2).select([0, 4]))
    assert steps[0].stands
    assert not steps[1].stands
    assert steps[1].safety == 0.0
    assert steps[1].margin < 0


@pytest.mark.parametrize("gone", [[4], [3, 5, 7], [0, 2, 10], [1, 4, 7]])
def test_a_step_with_wide_margins_is_not_asked_whether_it_stands_and_does(gone: list[int]) -> None:
    """That statics agree is checked here, of towers with gaps, so that it need not be at each step."""
    tower = jenga_tower(5, friction=0.3).select(~np.isin(np.arange(15), gone))
    for job in list_step_jobs(tower, np.zeros(len(tower), bool)):
        said = measure_step(job)
        asked = find_safety(job.structure, job.interfaces, directions=4, facets=4, smallest_only=True)
        assert (said.stands, said.safety) == (asked.stands, pytest.approx(asked.share, abs=1e-9))
