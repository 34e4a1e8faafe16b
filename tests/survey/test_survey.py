"""Surveys: what is refused, what is read-only, boxes by whatever side they are called, ground and site."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.errors import InvalidInput
from anastylosis.survey import Ground
from anastylosis.survey.survey import sort_axes
from support.surveys import UTM, corner_set, places, same_turns, sizes, survey, tower_survey, turns
from support.worlds import turn


def test_nothing_heavy_is_loaded() -> None:
    heavy = ("numba", "torch", "scipy", "pandas", "pyarrow", "matplotlib", "anastylosis.physics", "anastylosis.dataset")
    code = f"import sys, anastylosis.survey; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_arrays_cannot_be_written() -> None:
    made = survey()
    for array in (
        made.size,
        made.position,
        made.orientation,
        made.position_sd,
        made.orientation_sd,
        made.certainty,
        made.ground.origin,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_defaults_are_exact_and_silent() -> None:
    made = survey()
    assert (made.notes, made.source, made.warnings) == (("", ""), "", ())
    assert not made.position_sd.any()
    assert not made.orientation_sd.any()
    assert (made.certainty == 1).all()
    assert made.ground.is_site


def test_select_takes_a_mask_or_rows() -> None:
    tower = tower_survey(
        3,
        notes=[f"note {row}" for row in range(9)],
        position_sd=np.arange(9) / 1000,
        certainty=np.arange(1, 10) / 10,
        source="here",
    )
    some = tower.select([7, 2])
    assert (len(some), some.ids, some.notes, some.source) == (2, ("L02_1", "L00_2"), ("note 7", "note 2"), "here")
    np.testing.assert_array_equal(some.position, tower.position[[7, 2]])
    np.testing.assert_array_equal(some.position_sd, [0.007, 0.002])
    np.testing.assert_array_equal(some.certainty, [0.8, 0.3])
    assert tower.select(np.arange(9) == 4).ids == ("L01_1",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": np.zeros((0, 3))}, "at least one stone, got none"),
        ({"size": [(1, 1, 1), (1, 0, 1)]}, "size of block 1 is 0"),
        ({"size": [(1, 1, 1), (1, 1, 2e4)]}, "size of block 1 is 20000: it must be above 0 and at most 10000 m"),
        ({"position": [(0, 0, 0), (0, np.nan, 0)]}, "position of block 1 is nan"),
        ({"position": [(0, 0, 0), (0, 487213.0, 0)]}, "within 10000 m of the foot of the structure"),
        ({"orientation": [(1, 0, 0, 0), (1, 1, 0, 0)]}, "orientation of block 1 has length 1.41"),
        ({"position_sd": [0, -1]}, "position_sd of block 1 is -1"),
        ({"orientation_sd": [0, 4]}, "orientation_sd of block 1 is 4: it must be in 0..pi"),
        ({"ids": ("A", "A")}, "2 stones need 2 different ids, none of them empty; got 1"),
        ({"ids": ("A", " ")}, "none of them empty"),
        ({"ids": ("A", "B\x1b[2J")}, r"id is 'B\\x1b\[2J'; take the control characters out"),
        ({"ids": ("A", "B\u202e")}, "take the control characters out"),
        ({"ids": ("A", "B" * 101)}, "id has 101 characters"),
        ({"ids": ("A", 7)}, "id is '7'; it has to be a text"),
        ({"certainty": (1.0, 0.0)}, "certainty of block 1 is 0: it must be above 0 and at most 1"),
        ({"certainty": (1.1, 1.0)}, "certainty of block 0 is 1.1"),
        ({"notes": ("one",)}, "2 stones need 2 notes"),
    ],
)
def test_impossible_surveys_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        survey(**changes)


def test_texts_have_single_spaces() -> None:
    made = survey(ids=(" north\twall ", "گل\u200cبرگ"), notes=("two\r\nlines", ""))
    assert made.ids == ("north wall", "گل\u200cبرگ")  # a joiner within a Persian word is no control character
    assert made.notes == ("two lines", "")


@pytest.mark.parametrize(
    "changes", [{"origin": (1, 2)}, {"origin": (np.nan, 0, 0)}, {"origin": (1e9, 0, 0)}, {"heading": np.inf}, {"heading": 30.0}]
)
def test_impossible_grounds_are_refused(changes: dict) -> None:
    with pytest.raises(InvalidInput, match=f"{next(iter(changes))} is"):
        Ground(**changes)


@given(sizes, places, turns)
def test_a_box_is_the_same_box_with_its_longest_side_first(size: list, place: list, orientation: np.ndarray) -> None:
    sorted_size, turned = sort_axes(size, orientation)
    assert sorted_size.tolist() == sorted(size, reverse=True)
    before, after = corner_set(np.array(size), np.array(place), orientation), corner_set(sorted_size, np.array(place), turned)
    # Corners that nearly share a coordinate may be sorted otherwise: every corner has one at its place.
    apart = np.linalg.norm(before[:, None] - after, axis=2)
    assert apart.min(axis=0).max() < 1e-12 * 100
    assert apart.min(axis=1).max() < 1e-12 * 100


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_every_order_of_sides(order: tuple[int, ...]) -> None:
    size, orientation = np.array((3.0, 2.0, 1.0))[list(order)], turn((1, 2, 3), 0.7)
    sorted_size, turned = sort_axes(size, orientation)
    assert sorted_size.tolist() == [3, 2, 1]
    np.testing.assert_allclose(
        corner_set(sorted_size, np.zeros(3), turned), corner_set(size, np.zeros(3), orientation), atol=1e-15
    )


def test_sorted_boxes_are_not_touched() -> None:
    tower = tower_survey(2)
    size, orientation = sort_axes(tower.size, tower.orientation)
    np.testing.assert_array_equal(size, tower.size)
    np.testing.assert_array_equal(orientation, tower.orientation)


def test_a_ground_that_is_turned_and_far_away() -> None:
    # The ground's x axis points to the site's y: a quarter turn, counter-clockwise.
    ground = Ground(origin=(100.0, 200.0, 5.0), heading=np.pi / 2)
    position, orientation = ground.from_site(np.array([[100.0, 203.0, 6.0]]), np.array([[1.0, 0, 0, 0]]))
    np.testing.assert_allclose(position, [(3, 0, 1)], atol=1e-15)
    assert same_turns(orientation, turn((0, 0, 1), -np.pi / 2)[None]).max() < 1e-15


@given(places, turns, st.floats(-np.pi, np.pi))
def test_there_and_back_again(place: list, orientation: np.ndarray, heading: float) -> None:
    ground = Ground(origin=UTM, heading=heading)
    site = np.array([place]) + UTM
    ground_pose = ground.from_site(site, orientation[None])
    back = ground.to_site(*ground_pose)
    np.testing.assert_allclose(back[0], site, atol=1e-9, rtol=0)
    assert same_turns(back[1], orientation[None]).max() < 1e-14
