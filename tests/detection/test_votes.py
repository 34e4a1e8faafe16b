"""Votes and rays: the encoded truth decodes to the truth."""

import numpy as np

from anastylosis.detection.detections import BoxProposals, enter_boxes
from anastylosis.detection.slot_classifier import SLOT_CHANNELS, SLOT_CROP, SLOT_FEATURES, cut_slot_crops, lay_grid
from anastylosis.detection.votes import (
    Votes,
    cluster_votes,
    describe_rays,
    embed_boxes,
    extract_votes,
    make_axes,
    measure_nearness,
)
from anastylosis.training.detection.scores import match_blocks
from support.drawn_debris import BLOCK, SLOTS, make_scene, photograph, say_votes


def list_seen(shot) -> set[int]:
    """Blocks that fell and have a vote."""
    return set(np.unique(shot.ids[2::4, 2::4])) - {-1, 0, 1, 2}


def test_true_votes_propose_every_block_that_is_seen() -> None:
    scene = make_scene()
    shot = photograph(scene)
    votes, number = extract_votes(say_votes(scene, shot)[0], shot.view.camera)
    assert number.max() + 1 == len(votes.weight) == (number >= 0).sum()
    proposals, count = cluster_votes(votes, BLOCK)
    matches = match_blocks(proposals, scene.blocks, 0.004, 0.07)
    assert set(matches.true) == list_seen(shot)
    assert len(count) == len(matches.true)  # each once
    assert (np.diff(count) <= 0.01).all()


def test_noisy_votes_still_agree() -> None:
    scene = make_scene(seed=3)
    shot = photograph(scene, seed=3)
    votes, _ = extract_votes(say_votes(scene, shot)[0], shot.view.camera)
    noise = np.random.default_rng(0).normal(0, 0.004, votes.position.shape)
    proposals, _ = cluster_votes(votes._replace(position=votes.position + noise), BLOCK)
    assert set(match_blocks(proposals, scene.blocks).true) == list_seen(shot)


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
    nothing = Votes(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 2)))
    assert len(cluster_votes(nothing, BLOCK)[0].size) == 0


def test_votes_for_the_same_are_near_and_others_far() -> None:
    axes = np.stack([np.eye(3), np.eye(3), np.eye(3)[:, [1, 0, 2]]])
    told = embed_boxes(np.array([(0, 0, 0), (0.1, 0, 0), (0, 0, 0)]), axes)
    agree = measure_nearness(told, told)
    np.testing.assert_allclose(np.diag(agree), 1, atol=1e-5)
    assert agree[0, 1] < 1e-6  # far away
    assert agree[0, 2] < 0.05  # turned by a quarter


def test_rays_enter_a_box_where_it_is_drawn() -> None:
    scene = make_scene()
    shot = photograph(scene, foot=1e-3)
    camera = shot.view.camera
    rows, columns = np.nonzero(shot.ids == 5)
    pixels = np.stack([columns, rows], axis=-1)[None] + 0.5
    entry, face = enter_boxes(camera, pixels.astype(float), scene.blocks.take(np.array([5])))
    assert np.isfinite(entry).all()
    assert len(np.unique(face)) >= 2  # two or three faces of a box are seen
    behind = BoxProposals(BLOCK[None], np.array([camera.eye]) + (np.array(camera.eye) - camera.target)[None], np.eye(3)[None])
    assert np.isinf(enter_boxes(camera, pixels.astype(float), behind)[0]).all()


def test_a_window_shows_the_faces_of_the_block_that_stands_there() -> None:
    scene = make_scene()
    shot = photograph(scene, foot=1e-3)
    camera = shot.view.camera
    slots = SLOTS.take(np.arange(3))
    windows = cut_slot_crops(shot.view, slots)
    assert windows.picture.shape == (3, SLOT_CHANNELS, *SLOT_CROP)
    assert windows.about.shape == (3, SLOT_FEATURES)
    to_eye = np.asarray(camera.eye) - slots.position
    near = slots.axes * np.sign(np.einsum("nij,ni->nj", slots.axes, to_eye))[:, None]
    for face in (0, 1):
        grid = lay_grid(slots, near, face)
        pixels, _ = camera.project(grid)
        columns, rows = np.moveaxis(np.floor(pixels).astype(int).clip(0, camera.width - 1), -1, 0)
        seen = shot.ids[rows, columns]  # which block each sample shows
        middle = seen[:, SLOT_CROP[0] // 2, SLOT_CROP[1] // 2]
        if face == 0:
            assert middle.tolist() == [0, 1, 2]  # the end of every block of the layer is seen
        assert (np.diff(grid[..., 2], axis=1) < 0).all()  # downwards
        corner = grid[:, 0, -1] - grid[:, 0, 0]
        assert (np.einsum("ni,ni->n", corner, to_eye) > 0).all()  # the edge between the two faces is on the right of both


def test_axes_from_directions_that_are_not_at_right_angles() -> None:
    axes = make_axes(np.array([[2.0, 0.0, 0.0]]), np.array([[0.3, 0.0, 1.0]]))
    np.testing.assert_allclose(axes[0], np.eye(3), atol=1e-12)
