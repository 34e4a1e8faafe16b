"""The hand against Coulomb and Newton: what a pull takes, what it leaves behind, and what is never made from nothing."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.episode import Pull, hand
from anastylosis.episode.game import Game
from anastylosis.episode.hand import ACCELERATION, Hand, pull_block
from anastylosis.episode.play import play_round, refuse_pull
from anastylosis.episode.pulls import list_pulls
from anastylosis.errors import InvalidInput
from anastylosis.physics import EngineConfig
from anastylosis.structure import Structure
from support.games import config, game, game_with_wall
from support.worlds import BLOCK, MASS, UPRIGHT, G, box_structure

MU = 0.4
UNIT = MU * MASS * G  # mu m g [N]
LENGTH, WIDTH, HEIGHT = BLOCK


def cell() -> Structure:
    """A fixed block, one on it, one on that: the one arrangement in which the load is determinate."""
    stack = box_structure(BLOCK, [(0, 0, (k + 0.5) * HEIGHT) for k in range(3)], friction=MU, fixed=(True, False, False))
    return replace(stack, course=np.arange(3), place=np.array([0, 0, 0]))


@pytest.mark.parametrize(("axis", "size"), [("y", LENGTH), ("x", WIDTH)])
def test_the_force_in_a_determinate_cell(axis: str, size: float) -> None:
    # Above the block m g, below it 2 m g less what the hand carries, the share s / size that sticks out:
    # F(s) = mu m g (3 - s / size), as long as the block above rests on this one alone
    play = Game(config(2, friction=MU, pull_speed=0.05), cell())
    way = (1.0, 0.0, 0.0) if axis == "y" else (0.0, 1.0, 0.0)
    play.simulation.pull("b2", way, 0.0, 20.0)  # the block above is kept in place
    pulled = pull_block(play.recorder, play.standing(), Pull("b1", axis, 1), 20.0, play.config)
    assert pulled.outcome == "out"
    came = (pulled.path - pulled.path[0]) @ way
    at = np.flatnonzero((came > 0.1 * size) & (came < 0.4 * size))
    seen = came[(at - 1) // hand.GLANCE * hand.GLANCE]  # the hand looks once a glance, and then the force jumps, by up to 2 %
    assert len(at) > 30
    assert pulled.forces[at] == pytest.approx(UNIT * (3 - seen / size), rel=0.02)


@pytest.mark.parametrize("course", [1, 3])
def test_a_course_together_takes_the_load_aware_force(course: int) -> None:
    # How three blocks share the load is indeterminate, their sum is not: mean F = mu m g (2 n + 1), and m a for the start
    above = 5 - course
    forces = []
    for place in range(3):
        played = play_round(game(friction=MU, pull_factor=2.0), Pull(f"L{course:02d}_{place}", "y", 1))
        assert played.outcome == "out"
        assert played.move.force_loaded == pytest.approx(UNIT * (2 * above + 1))
        assert played.force_limit == pytest.approx(2 * played.move.force_loaded + MASS * ACCELERATION)
        assert played.extraction.peak_force == played.extraction.forces.max() <= played.force_limit
        forces.append(played.extraction.forces[4:16].mean())  # sliding, and within 5 mm of its place
    assert np.mean(forces) == pytest.approx(UNIT * (2 * above + 1) + MASS * ACCELERATION, rel=0.03)


@pytest.mark.parametrize("pull", [Pull("L01_0", "y", 1), Pull("L01_1", "y", -1), Pull("L02_2", "x", 1), Pull("L03_0", "x", 1)])
def test_a_block_that_is_out_is_gone_and_the_rest_stands(pull: Pull) -> None:
    play = game()
    assert pull in list_pulls(play.standing(), 2)
    played = play_round(play, pull)
    assert played.outcome == played.extraction.outcome == "out"
    size = LENGTH if pull.axis == "y" else WIDTH
    path = played.extraction.path
    assert path.dtype == np.float32
    assert len(path) == len(played.extraction.forces)
    assert size < np.linalg.norm(path[-1] - path[0]) < 1.6 * size
    assert pull.block not in play.standing().ids
    assert played.active_blocks == 17
    assert played.at_rest
    assert played.energy < play.config.rest_energy
    # neighbours were hardly moved, and what is said of them is true
    way = np.linalg.norm(played.poses.position - play.stood.poses.position, axis=1)[played.poses.present]
    assert way.max() < 1e-3
    assert 0 < played.extraction.neighbour_displacement <= played.peak_displacement < 1e-3


@pytest.mark.parametrize("pull", [Pull("L01_0", "y", 1), Pull("L02_2", "x", 1)])
def test_work_is_force_along_the_way(pull: Pull) -> None:
    extraction = play_round(game(), pull).extraction
    steps = np.linalg.norm(np.diff(extraction.path.astype(float), axis=0), axis=1)
    assert extraction.work == pytest.approx(extraction.forces[1:] @ steps, rel=1e-3)
    assert extraction.forces[0] == 0  # the first entry is the start, before the hand pulls


def pull_and_look(play: Game, pull: Pull, glances: int, look) -> Hand:
    """Pull for some glances; `look` is called before the first and after each."""
    hand_ = Hand(play.recorder, play.standing(), pull, 20.0, play.config.pull_speed)
    look(hand_)
    for _ in range(glances):
        hand_.move(play.config.pull_speed)
        look(hand_)
    return hand_


@pytest.mark.parametrize("pull", [Pull("L01_0", "y", 1), Pull("L01_0", "x", 1), Pull("L00_1", "y", -1)])
def test_no_energy_comes_from_nowhere(pull: Pull) -> None:
    # E(t) - E(0) <= work of the hand along the pull + work of the force that carries what sticks out
    play = game()
    rows: list[tuple[float, float]] = []
    lift = [0.0, 0.0, 0.0]  # work so far [J], force [N], height [m]

    def look(hand_: Hand) -> None:
        height = hand_.position[2]
        lift[0] += play.simulation.control.force[0, hand_.row, 2] * (height - lift[2]) if rows else 0.0
        lift[2] = height
        rows.append((play.simulation.energy()[0], hand_.work + lift[0]))

    pull_and_look(play, pull, 8, look)
    energy, work = np.array(rows).T
    assert work[-1] > 1e-3  # [J]
    assert (energy - energy[0] - work).max() < 0.01 * work[-1]


def test_momentum_comes_from_the_hand_and_the_floor(monkeypatch) -> None:
    # sum of m v = integral of (F_hand + friction of the floor), along and across the pull. With one substep a step, and a
    # look at every one, the sums are exact but for rounding of the solver: 1 % of the impulse of the hand.
    monkeypatch.setattr(hand, "GLANCE", 1)
    h = 1 / 1920
    play = game(engine=EngineConfig(timestep=h, substeps=1))
    mass = play.tower.blocks.mass
    impulse = np.zeros(2)
    given = 0.0
    worst = 0.0

    def look(hand_: Hand) -> None:
        nonlocal given, worst
        contacts = play.simulation.contacts()
        floor = contacts.pair[:, 1] == len(mass)  # blocks feel the opposite of what the floor feels
        force = play.simulation.servo_force("L01_0")
        impulse[:] += h * (force * hand_.axis[:2] - contacts.friction[floor, :2].sum(axis=0)) * (play.recorder.steps > start)
        given += h * force * (play.recorder.steps > start)
        worst = max(worst, np.abs(mass @ play.simulation.state.velocity[0, :, :2] - impulse).max())

    start = play.recorder.steps
    pull_and_look(play, Pull("L01_0", "y", 1), 200, look)
    assert given > 0.05  # [N s]
    assert worst < 0.01 * given


def test_a_weak_hand_gets_stuck_and_changes_nothing() -> None:
    play = game(pull_factor=0.5)
    before = play.look()
    played = play_round(play, Pull("L01_1", "y", 1))
    assert played.outcome == "stuck"
    assert played.extraction.peak_force == pytest.approx(0.5 * played.move.force_loaded + MASS * ACCELERATION, rel=1e-6)
    assert np.abs(play.look().poses.position - before.poses.position).max() < 1e-4
    assert played.active_blocks == 18
    assert played.at_rest
    assert not played.conditions[[0, 2]].any()


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("gap", [0.002, 0.02])
def test_a_block_that_gets_stuck_on_the_way_is_put_back(gap: float, sign: int) -> None:
    pull = Pull("L01_1", "y", sign)
    play = game_with_wall(gap, pull)
    played = play_round(play, pull)
    assert played.outcome == "stuck"
    path = played.extraction.path - played.extraction.path[0]
    assert np.abs(path[:, 1]).max() == pytest.approx(gap, abs=1e-4)  # up to the wall, and into it by no more than the skin
    way = played.poses.position - play.stood.poses.position
    assert np.linalg.norm(way, axis=1).max() < 1e-3
    assert played.at_rest
    assert played.active_blocks == 13
    # nothing acts on it any more
    assert not play.simulation.control.servo_limit.any()
    assert not play.simulation.control.force.any()
    assert not play.simulation.control.torque.any()


def test_the_last_block_of_a_layer_brings_the_tower_down() -> None:
    play = game(6, "L03_0", "L03_2")
    played = play_round(play, Pull("L03_1", "y", 1))
    assert played.outcome == "collapse"
    assert played.conditions.all()
    assert play.recorder.collapse is not None
    assert played.start_time < play.recorder.collapse.time <= played.end_time
    assert played.peak_displacement > 0.5 * LENGTH
    assert played.peak_energy > 5e-5
    assert np.degrees(played.peak_angle) > 30
    assert played.at_rest
    assert not play.simulation.control.servo_limit.any()  # the hand let go


@pytest.mark.parametrize(
    ("pull", "message"),
    [
        (Pull("L09_0", "y", 1), "no block is named 'L09_0'"),
        (Pull("L01_1", "y", 1), "L01_1 was taken away; pull a block that still stands"),
        (Pull("L00_1", "x", 1), "L00_1 cannot be pulled along x: it stands between two neighbours; pull it along y"),
        (Pull("L00_0", "x", 1), "L00_0 cannot be pulled along x with sign +1: inwards it would hit its neighbours; outwards is"),
        (Pull("L01_0", "x", -1), "outwards is sign +1"),  # its neighbour is gone, the one beyond is not
        (Pull("L00_1", "z", 1), "axis is 'z'"),
        (Pull("L00_1", "y", 0), "sign of the pull of L00_1 is 0; it is +1 or -1"),
    ],
)
def test_what_cannot_be_pulled_is_refused(pull: Pull, message: str) -> None:
    play = game(3)
    play.simulation.remove("L01_1")
    before = play.simulation.state_hash()
    with pytest.raises(InvalidInput) as refusal:
        play_round(play, pull)
    assert message in str(refusal.value)
    assert play.simulation.state_hash() == before


def test_a_block_alone_in_its_layer_may_go_either_way_across() -> None:
    play = game(3, "L01_1", "L01_2")
    for sign in (-1, 1):
        refuse_pull(play, Pull("L01_0", "x", sign))  # does not


def test_a_protected_block_can_be_pulled_by_who_asks_for_it() -> None:
    assert play_round(game(3), Pull("L02_1", "y", 1)).outcome == "out"


def test_where_blocks_weigh_less_a_pull_needs_less() -> None:
    moon = 1.62  # [m/s^2]
    played = play_round(game(4, engine=EngineConfig(gravity=(0.0, 0.0, -moon))), Pull("L01_1", "y", 1))
    assert played.move.force_loaded == pytest.approx(UNIT * moon / G * (2 * 2 + 1))
    assert played.force_limit == pytest.approx(1.25 * played.move.force_loaded + MASS * ACCELERATION)


def test_a_hand_carries_what_sticks_out() -> None:
    # lift = m g out at the middle of the part that is out, (1 - out) / 2 of the length ahead of the centre
    play = Game(config(2), box_structure(BLOCK, [(0, 0, HEIGHT / 2)], [UPRIGHT]))
    hand_ = pull_and_look(play, Pull("b0", "y", 1), 6, lambda hand_: None)
    before = hand_.way
    hand_._carry()
    out = before / LENGTH
    assert 0.1 < out < 0.9
    assert play.simulation.control.force[0, 0] == pytest.approx((0, 0, MASS * G * out))
    assert play.simulation.control.torque[0, 0] == pytest.approx((0, -MASS * G * out * LENGTH * (1 - out) / 2, 0))


@pytest.mark.parametrize(
    ("block", "near"), [("L02_0", True), ("L01_2", True), ("L03_1", True), ("L00_1", False), ("L04_0", False)]
)
def test_neighbours_are_the_course_and_the_ones_above_and_below(block: str, near: bool) -> None:
    play = game()
    play.simulation.state.position[0, play.tower.index(block)] += (3e-3, 4e-3, 0)
    way = hand.displacement_of_neighbours(play.recorder, play.standing(), Pull("L02_1", "y", 1))
    assert way == pytest.approx(5e-3 if near else 0, abs=1e-6)
