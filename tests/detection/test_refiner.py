"""Refinements, by a refiner that knows the truth: proposals move to where blocks are."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.refiner import (
    REFINER_OUTPUTS,
    Crops,
    Refinement,
    RefinerFunction,
    aim_frames,
    average_refinements,
    refine_boxes,
)
from anastylosis.detection.votes import decode_votes
from anastylosis.training.detection.refiner import label_proposals
from anastylosis.training.detection.scores import match_blocks
from support.drawn_debris import make_scene, photograph, say_votes, shake


def know(true: BoxProposals, shown: BoxProposals, eye: np.ndarray) -> RefinerFunction:
    """Says of proposals where they belong."""

    def refiner(crops: Crops, traits: np.ndarray) -> np.ndarray:
        away, near, _ = label_proposals(shown, true, aim_frames(eye, shown))
        said = np.zeros((len(traits), REFINER_OUTPUTS), np.float32)
        said[:, 0], said[:, 1:3], said[:, 3:] = np.where(near, 4, -4), -5.0, away
        return said

    return refiner


def test_a_judge_that_knows_moves_every_block_home() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    vote_map = [decode_votes(shot.view.camera, say_votes(scene, shot)[0])]
    off = shake(scene.blocks, 0.008, 0.2)
    refiner = know(scene.blocks, off, np.asarray(shot.view.camera.eye))
    moved, refinement = refine_boxes([shot.view], vote_map, off, np.ones(12), refiner)
    matches = match_blocks(moved, scene.blocks)
    assert len(matches.true) == 12
    assert matches.place.max() < 1e-6
    assert matches.turn.max() < 1e-3
    assert (refinement.logit == 4).all()


def test_of_two_views_the_surer_counts_more() -> None:
    def say(logit: float, deviation: float, shift: float) -> Refinement:
        return Refinement(np.array([logit]), np.full((1, 2), deviation), np.full((1, 3), shift), np.zeros((1, 3)))

    refinements = [say(2.0, -5.0, 0.01), say(-1.0, -5.0 + np.log(3), 0.05)]
    joined = average_refinements(refinements, np.ones((2, 1), bool))
    assert joined.shift[0] == pytest.approx([0.02] * 3)  # three to one
    assert joined.logit[0] == pytest.approx(1.25)
    alone = average_refinements(refinements, np.array([[False], [True]]))
    assert alone.logit[0] == -1.0  # a view that does not show it says nothing


def test_a_view_that_looks_away_says_nothing() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    eye = np.asarray(shot.view.camera.eye)
    away = shot.view._replace(camera=replace(shot.view.camera, target=tuple(2 * eye + (0.0, 0.0, 1.0))))
    vote_map = decode_votes(shot.view.camera, say_votes(scene, shot)[0])
    refiner = know(scene.blocks, scene.blocks, eye)
    said = iter([refiner, lambda crops, traits: np.full((len(traits), REFINER_OUTPUTS), -3.0, np.float32)])
    _, refinement = refine_boxes(
        [shot.view, away], [vote_map, vote_map], scene.blocks, np.ones(12), lambda *given: next(said)(*given)
    )
    assert (refinement.logit == 4).all()


def test_no_judge_is_believed_beyond_two_steps() -> None:
    scene = make_scene(seed=1)
    shot = photograph(scene, seed=1)
    vote_map = [decode_votes(shot.view.camera, say_votes(scene, shot)[0])]
    wild = lambda crops, traits: np.full((len(traits), REFINER_OUTPUTS), 1e6, np.float32)  # noqa: E731
    moved, refinement = refine_boxes([shot.view], vote_map, scene.blocks, np.ones(12), wild)
    assert np.linalg.norm(moved.position - scene.blocks.position, axis=1).max() < 0.15
    assert np.isfinite(moved.axes).all()
    assert np.isfinite(refinement.deviation).all()
