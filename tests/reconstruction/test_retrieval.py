"""Retrieval: by name, by count, by all that is known; and mirrored towers are towers."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.assignment.assigner import Assigner
from anastylosis.geometry import measure_turns
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.reconstruction.retrieval import (
    look_up,
    mirror_fall,
    place_by_reference,
    retrieve,
    retrieve_by_count,
    retrieve_longest,
    retrieve_nearest,
)
from anastylosis.structure import jenga_tower
from support.heaps import small_fall, survey_of


@pytest.fixture(scope="module")
def assignment():
    survey, _ = survey_of(small_fall())
    return Assigner.from_file(SHIPPED_ASSIGNMENT).assign(survey, small_fall().courses)


@pytest.mark.parametrize("name", ["small_exp_0001", "small_exp_0001_final"])
def test_the_episode_of_a_name_is_found(name: str) -> None:
    fall = small_fall()
    found = look_up([fall], name, fall.lies[fall.found, :3])
    assert found is not None
    assert (found.fall, found.how, found.distance) == (fall, "lookup", 0.0)


def test_another_heap_of_the_same_name_is_not_it() -> None:
    fall = small_fall()
    assert look_up([fall], "small_exp_0001", fall.lies[fall.found, :3] + 0.05) is None
    assert look_up([fall], "small_exp_0002", fall.lies[fall.found, :3]) is None
    assert look_up([fall], "a-heap", fall.lies[fall.found, :3]) is None


def with_count(removed: int, **changes):
    """The same fall with so many slots empty: blocks taken off the list."""
    fall = small_fall()
    keep = 3 * fall.courses - removed
    parts = {name: getattr(fall, name)[-keep:] for name in ("size", "slot", "stood", "lies")}
    return replace(fall, **parts, **changes)


def test_the_papers_rule_takes_the_nearest_count_and_the_first_of_equals() -> None:
    falls = [with_count(removed, name=f"f{removed}_{n}") for removed in (7, 5, 9) for n in (0, 1)]
    centres = small_fall().lies[small_fall().found, :3]
    assert retrieve_by_count(falls, small_fall().courses, 5.4, centres).fall.name == "f5_0"
    assert retrieve_by_count(falls, small_fall().courses, 30, centres).fall.name == "f9_0"
    assert retrieve_by_count([], 6, 5, centres) is None


def test_without_any_the_longest_game() -> None:
    falls = [replace(small_fall(), rounds=rounds, name=str(rounds)) for rounds in (3, 8, 5)]
    assert retrieve_longest(falls, np.zeros((1, 3))).fall.name == "8"


def test_the_nearest_is_itself_also_when_it_was_mirrored(assignment) -> None:
    fall = small_fall()
    others = [replace(small_fall(6, seed), name=str(seed)) for seed in (4, 7)]
    found = retrieve_nearest([*others, mirror_fall(fall, -1, 1)], assignment)
    assert (found.fall.name, found.how) == (fall.name, "nearest")
    assert found.distance < 1e-6
    assert np.array_equal(np.sort(found.fall.slot), np.sort(fall.slot))


def test_a_name_goes_before_the_nearest_unless_it_is_not_asked(assignment) -> None:
    fall = small_fall()
    assert retrieve([fall], assignment, fall.name).how == "lookup"
    assert retrieve([fall], assignment, None).how == "nearest"
    assert retrieve([], assignment, fall.name) is None


@pytest.mark.parametrize("signs", [(-1, 1), (1, -1), (-1, -1)])
def test_a_mirrored_fall_stands_where_its_slots_are(signs: tuple[int, int]) -> None:
    fall = small_fall()
    mirrored = mirror_fall(fall, *signs)
    tower = jenga_tower(fall.courses)
    before = np.linalg.norm(fall.stood[:, :3] - tower.position[fall.slot], axis=1)
    after = np.linalg.norm(mirrored.stood[:, :3] - tower.position[mirrored.slot], axis=1)
    assert after == pytest.approx(before, abs=1e-12)
    assert measure_turns(mirrored.stood[:, 3:], tower.orientation[mirrored.slot]) == pytest.approx(
        measure_turns(fall.stood[:, 3:], tower.orientation[fall.slot]), abs=1e-6
    )
    again = mirror_fall(mirrored, *signs)
    assert (again.slot == fall.slot).all()
    assert again.fatal == fall.fatal


def test_blocks_are_placed_as_those_of_the_other_heap() -> None:
    survey, slot = survey_of(small_fall())
    assert (place_by_reference(small_fall(), survey.position) == slot).all()
