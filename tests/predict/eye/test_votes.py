"""Votes and windows: what is said of the truth comes back as the truth."""

import numpy as np

from anastylosis.learn.eye.fitter_batches import match_truth
from anastylosis.predict.eye.votes import Votes, count_votes, describe_rays, measure_agreement, propose
from anastylosis.predict.eye.window import GRID, WINDOW, cut_windows, find_level, lay_grid, move_proposals
from eyes import BLOCK, make_scene, photograph, say_votes, shake


def test_true_votes_propose_every_block_that_is_seen() -> None:
    scene = make_scene()
    shot = photograph(scene)
    votes = count_votes(say_votes(scene, shot)[0], shot.view.camera)
    proposals, count = propose(votes, BLOCK)
    truth = match_truth(shot.view.camera, proposals, scene.blocks)
    seen = set(np.unique(shot.ids[2::4, 2::4])) - {-1, 0, 1, 2}  # of those that fell
    assert set(truth.block) == seen
    assert len(truth.block) == len(seen)  # each once
    assert truth.distance.max() < 0.2  # of 20 mm and 20 degrees
    assert (np.diff(count) <= 0.01).all()


def test_noisy_votes_still_agree() -> None:
    scene = make_scene(seed=3)
    shot = photograph(scene, seed=3)
    votes = count_votes(say_votes(scene, shot)[0], shot.view.camera)
    noise = np.random.default_rng(0).normal(0, 0.004, votes.position.shape)
    proposals, _ = propose(votes._replace(position=votes.position + noise), BLOCK)
    truth = match_truth(shot.view.camera, proposals, scene.blocks)
    seen = set(np.unique(shot.ids[2::4, 2::4])) - {-1, 0, 1, 2}  # of those that fell
    assert set(truth.block[truth.distance < 1]) == seen


def test_rays_know_where_the_tower_stood() -> None:
    scene = make_scene()
    shot = photograph(scene)
    camera = shot.view.camera
    steep, foot, meets, height = describe_rays(camera)
    assert meets[shot.ids == 1].mean() > 0.99  # a block that stands in the column
    assert 0 < meets.mean() < 0.5
    assert (height[meets == 0] == 0).all()
    assert steep.min() > 0
    assert abs(float(np.median(foot))) < 0.5  # a pixel covers about what it should


def test_no_votes_no_proposals() -> None:
    nothing = Votes(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))
    assert len(propose(nothing, BLOCK)[0].size) == 0


def test_agreement_is_one_with_itself_and_none_far_away() -> None:
    axes = np.stack([np.eye(3), np.eye(3), np.eye(3)[:, [1, 0, 2]]])
    votes = Votes(np.ones(3), np.array([(0, 0, 0), (0.1, 0, 0), (0, 0, 0)]), axes)
    agree = measure_agreement(votes, votes)
    np.testing.assert_allclose(np.diag(agree), 1, atol=1e-5)
    assert agree[0, 1] < 1e-6  # far away
    assert agree[0, 2] < 0.05  # turned by a quarter


def test_moves_to_the_truth_arrive_there() -> None:
    scene = make_scene()
    camera = photograph(scene).view.camera
    proposals = shake(scene.blocks, 0.02, 0.3)
    truth = match_truth(camera, proposals, scene.blocks)
    moved = move_proposals(camera, proposals, truth.moves)
    assert match_truth(camera, moved, scene.blocks).distance.max() < 1e-9


def test_a_window_shows_the_block_in_its_middle_as_it_is_drawn() -> None:
    scene = make_scene()
    shot = photograph(scene, foot=1e-3)
    windows = cut_windows(shot.view, scene.blocks)
    assert windows.picture.shape == (12, 6, WINDOW, WINDOW)
    faces = windows.picture[:, 3:].sum(axis=1)
    assert set(np.unique(faces)) == {0.0, 1.0}  # one face at a time
    # The box drawn is the block that the picture has there, wherever nothing hides it.
    camera = shot.view.camera
    centre, depth = camera.project(scene.blocks.position)
    x, y = lay_grid(centre, find_level(camera, scene.blocks) * (GRID / (camera.pixel_size * depth))[:, None])
    columns, rows = (np.floor(part).astype(int).clip(0, camera.width - 1) for part in (x, y))
    for block in range(3, 12):
        there = shot.ids[rows[block], columns[block]] == block
        assert (faces[block][there] == 1).mean() > 0.95  # but for pixels at its edges
        assert np.ptp(np.nonzero(there)[1]) > np.ptp(np.nonzero(there)[0])  # its length lies level
