"""Verdicts, by a judge that knows the truth: it moves proposals to where blocks are."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.detection.close_up import CloseUps, aim_frames
from anastylosis.detection.evidence import hear
from anastylosis.detection.proposals import Proposals
from anastylosis.detection.verdict import JUDGED, Judge, Verdict, join_verdicts, look_closely
from anastylosis.training.detection.judge_batches import label_proposals
from anastylosis.training.detection.scores import match_blocks
from eyes import make_scene, photograph, say_votes, shake


def know(true: Proposals, shown: Proposals, eye: np.ndarray) -> Judge:
    """Says of proposals where they belong."""

    def judge(close_ups: CloseUps, traits: np.ndarray) -> np.ndarray:
        away, near, _ = label_proposals(shown, true, aim_frames(eye, shown))
        said = np.zeros((len(traits), JUDGED), np.float32)
        said[:, 0], said[:, 1:3], said[:, 3:] = np.where(near, 4, -4), -5.0, away
        return said

    return judge


def test_a_judge_that_knows_moves_every_block_home() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    heard = [hear(shot.view.camera, say_votes(scene, shot)[0])]
    off = shake(scene.blocks, 0.008, 0.2)
    judge = know(scene.blocks, off, np.asarray(shot.view.camera.eye))
    moved, verdict = look_closely([shot.view], heard, off, np.ones(12), judge)
    matches = match_blocks(moved, scene.blocks)
    assert len(matches.true) == 12
    assert matches.place.max() < 1e-6
    assert matches.turn.max() < 1e-3
    assert (verdict.odds == 4).all()


def test_of_two_views_the_surer_counts_more() -> None:
    def say(odds: float, deviation: float, shift: float) -> Verdict:
        return Verdict(np.array([odds]), np.full((1, 2), deviation), np.full((1, 3), shift), np.zeros((1, 3)))

    verdicts = [say(2.0, -5.0, 0.01), say(-1.0, -5.0 + np.log(3), 0.05)]
    joined = join_verdicts(verdicts, np.ones((2, 1), bool))
    assert joined.shift[0] == pytest.approx([0.02] * 3)  # three to one
    assert joined.odds[0] == pytest.approx(1.25)
    alone = join_verdicts(verdicts, np.array([[False], [True]]))
    assert alone.odds[0] == -1.0  # a view that does not show it says nothing


def test_a_view_that_looks_away_says_nothing() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    eye = np.asarray(shot.view.camera.eye)
    away = shot.view._replace(camera=replace(shot.view.camera, target=tuple(2 * eye + (0.0, 0.0, 1.0))))
    heard = hear(shot.view.camera, say_votes(scene, shot)[0])
    judge = know(scene.blocks, scene.blocks, eye)
    said = iter([judge, lambda close_ups, traits: np.full((len(traits), JUDGED), -3.0, np.float32)])
    _, verdict = look_closely([shot.view, away], [heard, heard], scene.blocks, np.ones(12), lambda *given: next(said)(*given))
    assert (verdict.odds == 4).all()


def test_no_judge_is_believed_beyond_two_steps() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    heard = [hear(shot.view.camera, say_votes(scene, shot)[0])]
    wild = lambda close_ups, traits: np.full((len(traits), JUDGED), 1e6, np.float32)  # noqa: E731
    moved, verdict = look_closely([shot.view], heard, scene.blocks, np.ones(12), wild)
    assert np.linalg.norm(moved.position - scene.blocks.position, axis=1).max() < 0.15
    assert np.isfinite(moved.axes).all()
    assert np.isfinite(verdict.deviation).all()
