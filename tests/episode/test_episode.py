"""Whole episodes: the same every time, complete, and consistent with themselves."""

import json
import math
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest

from anastylosis.episode import Episode, run_episode
from anastylosis.episode.annotation import annotate
from anastylosis.episode.play import start_game
from anastylosis.episode.variation import Variation
from support.games import FALLS, STANDS, config, fingerprint_of, game, played

FALLEN = dict(layers=6, seed=FALLS)
STANDING = dict(layers=4, seed=STANDS)
STACKED = dict(layers=5, seed=0, rule="stack")
EPISODES = pytest.mark.parametrize("which", [FALLEN, STANDING, STACKED], ids=["falls", "stands", "stacked"])

EPISODE_FIELDS = {
    "schema", "version", "seed", "config", "fingerprint", "blocks", "sizes", "masses", "frictions", "restitution", "ending",
    "collapsed", "collapse_time", "seconds", "at_rest", "kinetic_energy", "rounds", "labels",
}  # fmt: skip
ROUND_FIELDS = {
    "round", "removed_block", "layer", "slot", "axis", "outcome", "ziglar_type", "ziglar_risk", "ziglar_torque", "ziglar_force",
    "force_loaded", "force_limit", "force_peak", "work", "path", "neighbour_displacement", "analytic_stable_before",
    "analytic_stable_after", "margin_before", "margin_after", "interface_margin_before", "interface_margin_after",
    "centre_of_mass_before", "centre_of_mass_after", "active_blocks", "positions", "quaternions", "kinetic_energy",
    "displacement_peak", "angle_peak", "collapse_displacement", "collapse_energy", "collapse_angle",
}  # fmt: skip
LABEL_FIELDS = {
    "friction", "removed_count", "removed", "imbalance", "interface_imbalance", "offset", "torque_moves", "standing",
    "fatal_block", "failure_course", "direction", "blocks_on_floor", "stood", "lies", "displacement", "course", "place",
}  # fmt: skip


def test_the_episodes_are_what_these_tests_take_them_for() -> None:
    assert played(**FALLEN).ending == "collapse"
    assert len(played(**FALLEN).rounds) == 5
    assert played(**STANDING).ending == "no_move"
    assert played(**STACKED).ending == "collapse"


def test_one_seed_is_one_episode() -> None:
    first, again = played(**FALLEN), run_episode(config(6), FALLS)
    assert first.fingerprint() == again.fingerprint()
    assert annotate(first) == annotate(again)


def test_another_process_plays_the_same_episode() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(fingerprint_of, 3).result(timeout=120) == fingerprint_of(3)


def test_other_seeds_are_other_episodes() -> None:
    seeds = range(4)
    assert len({played(4, seed).fingerprint() for seed in seeds}) == 4
    assert len({tuple(round_.pull for round_ in played(4, seed).rounds) for seed in seeds}) == 4


@EPISODES
def test_frames_are_the_whole_episode(which: dict) -> None:
    episode = played(**which)
    frames, labels = episode.frames, episode.labels
    blocks, count = len(episode.structure), len(frames.time)
    assert (frames.time.dtype, frames.position.dtype, frames.orientation.dtype) == (np.float32,) * 3
    assert frames.position.shape == (count, blocks, 3)
    assert frames.orientation.shape == (count, blocks, 4)
    assert frames.present.shape == (count, blocks)
    # every eighth step, from the start; the last frame is the end
    steps = frames.time.astype(float) * 240
    assert steps[:-1] == pytest.approx(8 * np.arange(count - 1), abs=1e-3)
    assert 0 < steps[-1] - steps[-2] <= 8 + 1e-3
    assert episode.seconds == pytest.approx(episode.rounds[-1].end_time, rel=1e-6)
    assert np.array_equal(frames.position[0], episode.structure.position.astype(np.float32))
    assert np.array_equal(frames.position[-1], labels.lies.position.astype(np.float32))
    assert np.array_equal(frames.orientation[-1], labels.lies.orientation.astype(np.float32))
    assert np.array_equal(frames.present[-1], labels.lies.present)
    assert all(np.isfinite(array).all() for array in frames)
    assert np.linalg.norm(frames.orientation, axis=-1) == pytest.approx(1, abs=1e-6)


def test_the_fall_is_in_the_frames() -> None:
    episode = played(**FALLEN)
    assert episode.rounds[-1].start_time < episode.collapse_time < episode.seconds
    after = episode.frames.time > episode.collapse_time
    assert after.sum() > 10
    top = episode.structure.course == 5
    assert episode.frames.position[0, top, 2].min() > 0.09
    assert episode.frames.position[after][:, top, 2].min() < 0.04
    energetic = np.linalg.norm(np.diff(episode.frames.position[after], axis=0), axis=-1).max(axis=1)
    assert energetic[0] > 1e-3  # falling,
    assert energetic[-1] < 1e-5  # and at rest


@pytest.mark.parametrize("every", [1, 7])
def test_frames_are_as_dense_as_asked_and_change_nothing(every: int) -> None:
    usual, other = played(**STANDING), played(**STANDING, record_every=every)
    assert np.array_equal(usual.labels.lies.position, other.labels.lies.position)
    assert np.diff(other.frames.time.astype(float) * 240)[:-1] == pytest.approx(every, abs=1e-3)


@EPISODES
def test_everything_ends_at_rest(which: dict) -> None:
    episode = played(**which)
    assert episode.at_rest
    assert episode.energy < 1e-7
    assert all(round_.at_rest for round_ in episode.rounds)


@EPISODES
def test_rounds_follow_each_other(which: dict) -> None:
    episode = played(**which)
    rounds = episode.rounds
    assert [round_.number for round_ in rounds] == list(range(len(rounds)))
    for before, after in pairwise(rounds):
        assert before.end_time == after.start_time
        assert before.outcome != "collapse"
    assert (rounds[-1].outcome == "collapse") == episode.collapsed == (not math.isnan(episode.collapse_time))
    for round_ in rounds:
        assert round_.end_time > round_.start_time
        assert 0 < round_.extraction.peak_force <= round_.force_limit * (1 + 1e-6)
        assert round_.extraction.work > 0
        assert (round_.outcome == "collapse") == bool(round_.conditions.all() and round_ is rounds[-1] and episode.collapsed)


@pytest.mark.parametrize("which", [FALLEN, STANDING], ids=["falls", "stands"])
def test_standing_and_removed_are_all_there_is(which: dict) -> None:
    episode = played(**which)
    labels = episode.labels
    assert (labels.standing ^ labels.removed).all()
    assert labels.removed_count == labels.removed.sum()
    out = {round_.pull.block for round_ in episode.rounds if round_.outcome == "out"}
    assert {name for name, gone in zip(episode.structure.ids, labels.removed, strict=True) if gone} == out


def test_where_nothing_falls_labels_speak_of_the_end() -> None:
    labels = played(**STANDING).labels
    assert (labels.fatal_block, labels.failure_course, labels.blocks_on_floor) == (None, -1, 0)
    assert math.isnan(labels.direction)
    assert np.nanmax(np.abs(labels.displacement)) == 0
    assert labels.removed_count == 6


def test_each_round_starts_where_the_last_one_ended() -> None:
    episode = played(**FALLEN)
    for before, after in pairwise(episode.rounds):
        row = episode.structure.index(after.pull.block)
        assert after.extraction.path[0] == pytest.approx(before.poses.position[row], abs=1e-7)


def test_stacked_blocks_stay_in_the_game() -> None:
    episode = played(**STACKED)
    assert all(round_.active_blocks == 15 for round_ in episode.rounds[:-1])
    assert episode.labels.standing.all()
    out = [round_.pull.block for round_ in episode.rounds if round_.outcome == "out"]
    assert episode.labels.removed_count == len(set(out))
    assert episode.labels.course.max() >= 5


def test_the_rounds_are_told_as_they_end() -> None:
    told: list[str] = []
    episode = run_episode(config(4, rounds=3), STANDS, on_round=lambda round_: told.append(round_.pull.block))
    assert told == [round_.pull.block for round_ in episode.rounds]
    assert len(told) == 3
    assert episode.ending == "round_limit"


def test_no_rounds_leave_the_tower_as_it_settled() -> None:
    episode = run_episode(config(6, rounds=0), 0)
    assert (episode.ending, episode.collapsed, episode.rounds) == ("round_limit", False, ())
    assert np.abs(episode.labels.lies.position - episode.structure.position).max() < 1e-4
    assert json.dumps(annotate(episode), allow_nan=False)


@pytest.mark.parametrize("variation", [Variation(), Variation(tolerance=1e-4, jitter=2e-4, mass=0.05)], ids=["ideal", "varied"])
def test_an_intact_tower_never_collapses(variation: Variation) -> None:
    # 10 s without a pull: not even one of the three conditions holds at any step
    play, _ = start_game(config(8, variation=variation), 0)
    play.recorder.run(2400)
    assert play.recorder.collapse is None
    assert not play.recorder.conditions.any()
    assert play.recorder.peak_displacement < 1e-3


def test_a_tower_that_cannot_stand_falls_before_it_is_touched() -> None:
    # sixty uneven layers: nobody plays with what is falling already
    uneven = Variation(tolerance=4e-4, jitter=1e-4)
    episode = run_episode(config(60, variation=uneven, settle_start=10.0, settle_collapse=2.0), 0)
    assert (episode.ending, episode.rounds, episode.labels.fatal_block) == ("collapse", (), None)
    assert 0 < episode.collapse_time < 10
    assert episode.labels.standing.all()
    assert episode.labels.failure_course >= 0
    assert np.array_equal(episode.labels.stood.position, episode.structure.position)
    assert json.dumps(annotate(episode), allow_nan=False)


@pytest.mark.parametrize("seed", range(3))
def test_a_tower_without_protected_layers_is_played_to_the_end(seed: int) -> None:
    episode = run_episode(config(3, protected_layers=0, rounds=20), seed)
    assert episode.ending in ("collapse", "no_move", "round_limit")
    assert episode.labels.standing.any()
    assert json.dumps(annotate(episode), allow_nan=False)


def test_who_finds_all_blocks_stuck_gives_up() -> None:
    episode = run_episode(config(4, pull_factor=0.2), 0)
    assert episode.ending == "no_move"
    assert sorted(round_.pull.block for round_ in episode.rounds) == [
        f"L0{layer}_{place}" for layer in (0, 1) for place in range(3)
    ]
    assert {round_.outcome for round_ in episode.rounds} == {"stuck"}
    assert episode.labels.removed_count == 0
    assert episode.labels.torque_moves == 0  # none was made
    assert np.abs(episode.labels.lies.position - episode.structure.position).max() < 1e-3


def rows_of(episode: Episode, value: list) -> list[bool]:
    """Which rows of an annotated array are there."""
    assert len(value) == len(episode.structure)
    return [row is not None for row in value]


@EPISODES
def test_the_annotation_is_json_and_complete(which: dict) -> None:
    episode = played(**which)
    notes = json.loads(json.dumps(annotate(episode), allow_nan=False))
    assert notes.keys() >= EPISODE_FIELDS
    assert notes["labels"].keys() >= LABEL_FIELDS
    assert len(notes["rounds"]) == len(episode.rounds)
    for written, round_ in zip(notes["rounds"], episode.rounds, strict=True):
        assert written.keys() >= ROUND_FIELDS
        assert written["removed_block"] == round_.pull.block
        assert (written["layer"], written["slot"]) == (round_.course, round_.place)
        assert written["force_peak"] == round_.extraction.peak_force
        assert rows_of(episode, written["positions"]) == rows_of(episode, written["quaternions"]) == round_.poses.present.tolist()
        assert written["path"] == round_.extraction.path.tolist()
        assert written["forces"] == round_.extraction.forces.tolist()
    labels = notes["labels"]
    assert rows_of(episode, labels["stood"]["positions"]) == episode.labels.standing.tolist()
    assert rows_of(episode, labels["lies"]["positions"]) == episode.labels.lies.present.tolist()
    assert labels["removed"] == episode.labels.removed.tolist()
    assert notes["config"]["layers"] == which["layers"]
    assert notes["config"]["engine"]["timestep"] == 1 / 240


def test_a_block_in_the_hand_is_not_a_collapse() -> None:
    # it leaves the tower by more than a length, and however it turns: only the others are watched
    play = game(6)
    row = play.tower.index("L05_1")
    play.simulation.state.position[0, row] += (0, 0, 0.3)
    play.simulation.state.angular_velocity[0, row] = (30, 0, 0)
    play.recorder.run(24, in_hand=row)
    assert play.recorder.collapse is None
    assert play.recorder.peak_displacement < 1e-3
    play.recorder.run(1)  # as soon as it is not in the hand, it counts
    assert play.recorder.collapse is not None


def test_asking_for_the_frames_adds_none() -> None:
    play = game(2)
    play.recorder.run(3)  # so that the present instant is between two kept frames
    first, again = play.recorder.frames(), play.recorder.frames()
    assert len(first.time) == len(again.time)
