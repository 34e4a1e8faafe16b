"""Crops: what the refiner sees of a proposed block is where the block would be, from whatever side it is seen."""

import numpy as np
import pytest

from anastylosis.detection.detections import enter_boxes
from anastylosis.detection.refiner import CROP, IMAGE_CHANNELS, VOTE_CHANNELS, VOTE_CROP, aim_frames, cut_crops, lay_samples
from anastylosis.detection.votes import decode_votes
from support.drawn_debris import make_scene, photograph, say_votes, shake

FACES = slice(3, 6)


def test_frames_are_right_handed_and_go_along_the_block() -> None:
    scene = make_scene(seed=1)
    eye = np.array([0.4, -0.5, 0.6])
    frames = aim_frames(eye, scene.blocks)
    np.testing.assert_allclose(frames @ np.swapaxes(frames, -1, -2), np.broadcast_to(np.eye(3), frames.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(frames), 1.0)
    across = np.einsum("ni,ni->n", frames[:, 1], scene.blocks.axes[..., 0])
    np.testing.assert_allclose(across, 0, atol=1e-12)


def test_a_block_that_is_seen_end_on_has_a_frame() -> None:
    scene = make_scene(seed=1)
    blocks = scene.blocks
    eye = blocks.position[0] + 0.5 * blocks.axes[0, :, 0]
    frames = aim_frames(eye, blocks.take(np.array([0])))
    assert np.isfinite(frames).all()
    np.testing.assert_allclose(frames[0] @ frames[0].T, np.eye(3), atol=1e-9)


def test_faces_are_drawn_where_the_renderer_sees_the_block() -> None:
    scene = make_scene(seed=2)
    shot = photograph(scene, seed=2)
    frames = aim_frames(np.asarray(shot.view.camera.eye), scene.blocks)
    crops = cut_crops(shot.view, decode_votes(shot.view.camera, say_votes(scene, shot)[0]), scene.blocks, frames)
    assert crops.picture.shape == (12, IMAGE_CHANNELS, *CROP)
    assert crops.votes.shape == (12, VOTE_CHANNELS, *VOTE_CROP)
    pixels = np.floor(lay_samples(shot.view.camera, scene.blocks, frames, CROP)).astype(int)
    inside = ((pixels >= 0) & (pixels < shot.ids.shape[0])).all(axis=-1)
    column, row = np.moveaxis(np.where(inside[..., None], pixels, 0), -1, 0)
    own = inside & (shot.ids[row, column] == np.arange(12)[:, None, None])
    drawn = crops.picture[:, FACES].sum(axis=1) > 0
    assert own.sum() > 500
    assert (drawn & own).sum() > 0.97 * own.sum()  # what is seen of it is within its faces, but for rims
    entry, face = enter_boxes(shot.view.camera, lay_samples(shot.view.camera, scene.blocks, frames, CROP), scene.blocks)
    met = np.isfinite(entry)
    assert (drawn == met).mean() > 0.999
    assert (crops.picture[:, FACES].argmax(axis=1) == face)[met & drawn].mean() > 0.999


def test_votes_are_quoted_as_seen_from_the_block() -> None:
    scene = make_scene(seed=3)
    shot = photograph(scene, seed=3)
    vote_map = decode_votes(shot.view.camera, say_votes(scene, shot)[0])
    fallen = scene.blocks.take(scene.fell)
    away = shake(fallen, 0.004, 0.0)
    frames = aim_frames(np.asarray(shot.view.camera.eye), away)
    quoted = cut_crops(shot.view, vote_map, away, frames).votes
    shift = np.einsum("nij,nj->ni", frames, fallen.position - away.position) / 0.02
    for block in range(len(shift)):
        voted = quoted[block, 1] > 0
        near = np.abs(quoted[block, 2:5] - shift[block][:, None, None]).max(axis=0) < 0.05
        assert (voted & near).sum() >= 3  # its own cells say by how much it is off
    assert quoted[:, 0].max() == pytest.approx(1.0, abs=0.01)
