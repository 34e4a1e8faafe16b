"""Where blocks go in the real game: on top, course by course."""

import math

import numpy as np
import pytest

from anastylosis.episode import Pull
from anastylosis.episode.placement import DROP, find_top_slot
from anastylosis.episode.play import play_round
from anastylosis.structure import Structure, jenga_tower
from anastylosis.validation.penetration import overlapping_pair
from support.games import game, yawed
from support.worlds import BLOCK, corners, matrix


def next_slots(tower: Structure, count: int) -> Structure:
    """`tower` with blocks added on top, as `find_top_slot` says; the new ones are named S0, S1, ..."""
    for number in range(count):
        slot = find_top_slot(tower, np.array(BLOCK))
        more = jenga_tower(1).select([0])
        tower = Structure(
            blocks=type(tower.blocks)(
                **{name: np.concatenate([getattr(tower.blocks, name), getattr(more.blocks, name)])
                   for name in ("size", "mass", "friction", "restitution", "fixed")}
            ),
            ids=(*tower.ids, f"S{number}"),
            course=np.append(tower.course, slot.course),
            place=np.append(tower.place, slot.place),
            position=np.vstack([tower.position, slot.position]),
            orientation=np.vstack([tower.orientation, slot.orientation]),
        )  # fmt: skip
    return tower


@pytest.mark.parametrize("layers", [2, 3])
@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0, math.pi])
def test_slots_go_on_as_the_tower_was_built(layers: int, yaw: float) -> None:
    # seven more blocks on n courses are the courses n, n + 1 and the first place of n + 2 of a taller tower
    built, ideal = next_slots(yawed(jenga_tower(layers), yaw), 7), yawed(jenga_tower(layers + 3), yaw)
    count = len(built)
    assert built.course.tolist() == ideal.course[:count].tolist()
    assert built.place.tolist() == ideal.place[:count].tolist()
    drops = DROP * np.maximum(0, built.course - layers + 1)  # each course is let go a little above the last
    assert built.position[:, :2] == pytest.approx(ideal.position[:count, :2], abs=1e-12)
    assert built.position[:, 2] == pytest.approx(ideal.position[:count, 2] + drops, abs=1e-12)
    for mine, theirs in zip(built.orientation, ideal.orientation, strict=False):
        assert matrix(mine) == pytest.approx(matrix(theirs), abs=1e-12)


def test_a_gap_in_the_top_course_is_filled_first() -> None:
    slot = find_top_slot(jenga_tower(4).without("L03_1"), np.array(BLOCK))
    assert (slot.course, slot.place) == (3, 1)
    assert slot.position[:2] == pytest.approx((0, 0), abs=1e-12)


def test_a_block_is_let_go_above_the_highest_corner() -> None:
    # one block of the top course is thicker by 1 mm and another tilted by 2 degrees
    tower = jenga_tower(2)
    position, orientation = tower.position.copy(), tower.orientation.copy()
    position[4, 2] += 1e-3
    orientation[3] = np.array((np.cos(0.0175), 0, 0, 0)) + np.array((0, np.sin(0.0175), 0, 0))
    crooked = tower.at(position, orientation)
    slot = find_top_slot(crooked, np.array(BLOCK))
    highest = max(corners(BLOCK, position[row], orientation[row])[:, 2].max() for row in (3, 4, 5))
    assert slot.position[2] - BLOCK[2] / 2 == pytest.approx(highest + DROP, abs=1e-12)


def test_a_tower_with_several_stackings_stands() -> None:
    play = game(5, rule="stack")
    pulls = [Pull("L00_1", "y", 1), Pull("L01_1", "y", -1), Pull("L02_1", "y", 1), Pull("L03_1", "y", 1)]
    for number, pull in enumerate(pulls):
        played = play_round(play, pull, number)
        assert played.outcome == "out"
        assert played.active_blocks == 15  # none is lost
        assert played.at_rest
    standing = play.standing()
    slots = dict(zip(standing.ids, zip(standing.course.tolist(), standing.place.tolist(), strict=True), strict=True))
    assert [slots[pull.block] for pull in pulls] == [(5, 0), (5, 1), (5, 2), (6, 0)]
    # they stand where an ideal tower has these slots, to within what pulls moved it
    ideal = jenga_tower(7)
    for pull in pulls:
        course, place = slots[pull.block]
        row = standing.index(pull.block)
        assert standing.position[row] == pytest.approx(ideal.position[3 * course + place], abs=2e-3)
        assert abs(matrix(standing.orientation[row])[0, 0]) == pytest.approx(1 - course % 2, abs=0.02)
    depth, *_ = overlapping_pair(standing.position, standing.orientation, standing.blocks.size)
    assert depth < 1e-4


def test_a_stacked_block_is_not_a_collapse() -> None:
    # it was moved from the first course to the top by hand, by far more than half a length, and turned by 90 degrees
    play = game(5, rule="stack")
    played = play_round(play, Pull("L01_1", "y", 1))
    assert played.outcome == "out"
    assert played.peak_displacement < 1e-3
    assert played.peak_angle < 0.05
