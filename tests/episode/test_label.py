"""Labels against falls whose answer is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anastylosis.episode import Criterion
from anastylosis.episode.label import collapse_direction, count_on_floor, failure_course, label_episode
from anastylosis.episode.label import lowest_points as lowest
from anastylosis.episode.recorder import Collapse
from anastylosis.structure import jenga_tower
from support.games import FALLS, game, played
from support.worlds import BLOCK, UPRIGHT, box_structure, corners, random_turns, turn

LENGTH, WIDTH, HEIGHT = BLOCK
FLAT, ON_SIDE, ON_END = UPRIGHT, turn((1, 0, 0), math.pi / 2), turn((0, 1, 0), math.pi / 2)
IN_THE_AIR = box_structure(BLOCK, [(0, 0, 0.5)])


@pytest.mark.parametrize(("orientation", "height"), [(FLAT, HEIGHT), (ON_SIDE, WIDTH), (ON_END, LENGTH)])
@pytest.mark.parametrize("over", [False, True], ids=["face up", "turned over"])
def test_a_block_on_the_floor_counts_whatever_side_it_lies_on(orientation, height: float, over: bool) -> None:
    w, x, y, z = orientation
    q = (-x, w, -z, y) if over else orientation  # a half turn about the block's length first
    lying = box_structure(BLOCK, [(0.3, 0.1, height / 2)], [q])
    assert lowest(lying) == pytest.approx([0], abs=1e-12)
    assert count_on_floor(IN_THE_AIR, lying) == 1
    above = box_structure(BLOCK, [(0.3, 0.1, height / 2 + HEIGHT)], [q])  # on another block that lies flat
    assert count_on_floor(IN_THE_AIR, above) == 0


def test_a_block_that_leans_with_an_edge_on_the_floor_counts() -> None:
    lean = math.radians(40)  # lowest edge at z - (l sin + h cos) / 2
    height = (LENGTH * math.sin(lean) + HEIGHT * math.cos(lean)) / 2
    assert count_on_floor(IN_THE_AIR, box_structure(BLOCK, [(0, 0, height)], [turn((0, 1, 0), lean)])) == 1
    assert count_on_floor(IN_THE_AIR, box_structure(BLOCK, [(0, 0, height + 2e-3)], [turn((0, 1, 0), lean)])) == 0


def test_the_first_course_lay_there_before() -> None:
    tower = jenga_tower(4)
    assert count_on_floor(tower, tower) == 0
    position = tower.position.copy()
    position[4] = (0.5, 0, HEIGHT / 2)
    assert count_on_floor(tower, tower.at(position, tower.orientation)) == 1


@given(st.integers(0, 2**32 - 1))
def test_the_lowest_point_is_the_lowest_corner(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes = box_structure(rng.uniform(0.01, 0.1, (4, 3)), rng.uniform(0, 1, (4, 3)), random_turns(rng, 4))
    poses = zip(boxes.blocks.size, boxes.position, boxes.orientation, strict=True)
    assert lowest(boxes) == pytest.approx([corners(*pose)[:, 2].min() for pose in poses], abs=1e-12)


def test_the_failure_course_is_the_lowest_that_left_its_place() -> None:
    # half of the thresholds: 0.25 lengths, or 15 degrees
    course = np.repeat(np.arange(4), 3)
    away, turned = np.zeros(12), np.zeros(12)
    away[9:] = 0.6 * LENGTH  # the top course is what was noticed,
    away[7] = 0.26 * LENGTH  # the one below is on its way,
    away[3:6], turned[3:6] = 0.24 * LENGTH, math.radians(14)  # and this one has only leant

    def lowest_course() -> int:
        return failure_course(Collapse(1.0, away, turned), course, Criterion(), LENGTH)

    assert lowest_course() == 2
    turned[5] = math.radians(16)
    assert lowest_course() == 1


@pytest.mark.parametrize("degrees", [0, 45, 90, -90, 135, -30])
def test_the_direction_is_that_of_the_mean_way(degrees: float) -> None:
    heading = math.radians(degrees)
    way = np.zeros((6, 3))
    way[2:] = [(d * math.cos(heading), d * math.sin(heading), -d) for d in (0.1, 0.2, 0.3, 0.4)]
    way[0] = np.nan  # taken away
    assert collapse_direction(way) == pytest.approx(heading)


@pytest.mark.parametrize(("degrees", "push"), [(0, (1, 0)), (180, (-1, 0)), (90, (0, 1)), (-90, (0, -1))])
def test_a_tower_that_is_pushed_over_falls_that_way(degrees: float, push: tuple[float, float]) -> None:
    play = game(6)
    tower = play.tower
    play.simulation.state.velocity[0, tower.course >= 2, :2] = 1.2 * np.array(push)
    play.settle(5.0, until_collapse=False)
    labels = label_episode(play, [])
    off = math.remainder(labels.direction - math.radians(degrees), 2 * math.pi)
    assert abs(math.degrees(off)) < 10
    assert labels.failure_course == 2
    assert labels.blocks_on_floor >= 6
    assert labels.fatal_block is None  # nobody pulled
    assert labels.removed_count == 0
    assert labels.standing.all()


@pytest.mark.parametrize("rule", ["take", "stack"])
def test_margins_are_those_of_the_tower_before_the_fatal_pull(rule: str) -> None:
    # with the rule "stack" blocks have left the course they were built in: the margin is of the one they stand in
    episode = played(5, 0, rule=rule)
    labels, before = episode.labels, episode.rounds[-1].before
    assert episode.collapsed
    assert (labels.imbalance, labels.interface_imbalance) == (-before.margin, -before.interface_margin)


def test_labels_speak_of_the_instant_before_the_fatal_pull() -> None:
    episode = played(seed=FALLS)
    labels, last = episode.labels, episode.rounds[-1]
    assert episode.collapsed
    assert labels.fatal_block == last.pull.block
    taken = [round_.pull.block for round_ in episode.rounds[:-1]]
    names = np.array(episode.structure.ids)
    assert sorted(names[labels.removed]) == sorted(taken)
    assert labels.removed_count == len(taken)
    assert (labels.standing == ~labels.removed).all()
    assert (labels.standing == labels.stood.present).all()
    assert labels.imbalance == -last.before.margin
    assert labels.interface_imbalance == -last.before.interface_margin
    assert labels.imbalance < 0  # it stood
    assert labels.torque_moves == sum(round_.move.kind == "side_xaxis" for round_ in episode.rounds)
    assert labels.friction == episode.config.friction
    assert 0 <= labels.failure_course < 6
    assert -math.pi <= labels.direction <= math.pi
    assert np.array_equal(labels.stood.position[labels.standing], episode.rounds[-2].poses.position[labels.standing])


def test_offset_is_from_the_middle_of_the_ground_polygon() -> None:
    # all six courses full: the centre of mass is over the middle; without L00_2 the ground polygon ends at the edge of
    # L00_1, y = 13 mm, so that its middle is at y = (13 - 40.5) / 2 = -13.75 mm; five full courses and two blocks above it
    whole, cut = label_episode(game(6), []), label_episode(game(6, "L00_2"), [])
    assert whole.offset < 1e-5
    centre = -27.5e-3 / 17
    assert cut.offset == pytest.approx(13.75e-3 + centre, abs=2e-5)
    assert cut.imbalance == pytest.approx(-(13e-3 - centre), abs=2e-5)


def test_a_slot_that_was_filled_again_is_not_removed() -> None:
    # L02_0 goes out of the top course and L00_1 into its slot
    play = game(3, rule="stack")
    play.simulation.remove("L02_0")
    play.simulation.remove("L00_1")
    play.put_on_top("L00_1")
    labels = label_episode(play, [])
    assert np.array(play.tower.ids)[labels.removed].tolist() == ["L00_1"]
    assert (labels.course[1], labels.place[1]) == (2, 0)


def test_a_stacked_block_that_falls_off_gave_way_on_top() -> None:
    # L01_1 is put on top and knocked off in the same round: what gave way is course 5, not the course it came from
    play = game(5, rule="stack")
    play.begin_round()
    play.simulation.remove("L01_1")
    play.put_on_top("L01_1")
    row = play.tower.index("L01_1")
    play.simulation.state.velocity[0, row], play.simulation.state.angular_velocity[0, row] = (1.0, 0, 0.5), (0, 20, 0)
    play.wait(5.0)
    labels = label_episode(play, [])
    assert labels.failure_course == 5
    assert labels.course[row] == 1  # where it stood before the round
