"""Blocks drawn over the picture they were found in."""

import numpy as np

from anastylosis.detection.view import REACH, Photo
from anastylosis.geometry import to_quaternions
from anastylosis.rendering import Camera, frame_points, render_image
from anastylosis.rendering.look import wood_look
from anastylosis.report.detection_overlay import (
    DOUBTFUL,
    RING_COLOUR,
    draw_found,
    draw_ring,
    draw_sight,
    visible_faces,
    write_numbers,
)
from anastylosis.survey import Survey
from support.drawn_debris import make_scene

GREEN = (30, 220, 60)


def test_outlines_lie_on_the_blocks() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=400, height=400, margin=0.1)
    image = render_image(
        scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes), camera, wood_look(0), ids=True
    )
    drawn = draw_sight(image.rgb, camera, scene.blocks, [GREEN] * len(scene.fell))
    green = (drawn == GREEN).all(axis=2)
    assert green.sum() > 1000
    assert not (image.rgb == GREEN).all(axis=2).any()  # the picture itself is left as it was
    assert image.ids is not None
    near = np.zeros_like(green)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            near |= np.roll(image.ids >= 0, (dy, dx), (0, 1))
    assert near[green].mean() > 0.99


def test_three_faces_at_most_are_turned_to_the_eye() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=100, height=100)
    for row in range(len(scene.fell)):
        assert 1 <= len(visible_faces(scene.blocks, row, camera)) <= 3


def test_blocks_behind_the_eye_are_left_out() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=64, height=64)
    behind = scene.blocks._replace(position=scene.blocks.position + 3 * (np.array(camera.eye) - camera.target))
    blank = np.zeros((64, 64, 3), np.uint8)
    np.testing.assert_array_equal(draw_sight(blank, camera, behind, [GREEN] * 12), blank)


def test_doubtful_blocks_are_told_apart() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=400, height=400, margin=0.1)
    photo = Photo(np.full((400, 400, 3), 90, np.uint8), camera)

    def draw(certainty: float) -> np.ndarray:
        survey = Survey(
            ids=tuple(f"block-{row:03d}" for row in range(12)), size=scene.blocks.size, position=scene.blocks.position,
            orientation=to_quaternions(scene.blocks.axes), certainty=np.where(np.arange(12) == 7, certainty, 0.9),
            notes=tuple(12 * ["fell"]),
        )  # fmt: skip
        return (draw_found([photo], survey, (400, 400)) == DOUBTFUL).all(axis=2)

    sure, doubtful = draw(0.9), draw(0.3)
    assert not sure.any()
    outline = (draw_sight(photo.picture, camera, scene.blocks.take(np.array([7])), [DOUBTFUL]) == DOUBTFUL).all(axis=2)
    assert (doubtful & outline).sum() > 50
    assert not (doubtful & ~outline).any()  # of no other


def test_small_pictures_are_drawn_larger() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=400, height=200, margin=0.1)
    photo = Photo(np.full((200, 400, 3), 90, np.uint8), camera)
    survey = Survey(
        ids=tuple(f"block-{row:03d}" for row in range(12)), size=scene.blocks.size, position=scene.blocks.position,
        orientation=to_quaternions(scene.blocks.axes), notes=tuple(12 * ["fell"]),
    )  # fmt: skip
    assert draw_found([photo, photo], survey).shape == (512, 2048, 3)
    assert draw_found([photo], survey, (100, 100)).shape == (50, 100, 3)


def test_numbers_are_in_the_middle_of_their_blocks() -> None:
    scene = make_scene()
    camera = frame_points(scene.blocks.position, width=400, height=400, margin=0.1)
    blank = np.full((400, 400, 3), 90, np.uint8)
    rows, columns = np.nonzero((write_numbers(blank, camera, scene.blocks.position, {7: "043"}) != blank).any(axis=2))
    middle, _ = camera.project(scene.blocks.position[7:8])
    assert len(rows) > 30
    assert np.hypot(columns - middle[0, 0], rows - middle[0, 1]).max() < 20
    behind = scene.blocks.position + 3 * (np.array(camera.eye) - camera.target)
    np.testing.assert_array_equal(write_numbers(blank, camera, behind, {7: "043"}), blank)


def test_the_ring_is_where_blocks_are_looked_for() -> None:
    camera = frame_points([(-0.7, -0.7, 0.0), (0.7, 0.7, 0.0)], elevation=0.7, width=400, height=400)
    blank = np.zeros((400, 400, 3), np.uint8)
    rows, columns = np.nonzero((draw_ring(blank, camera) == RING_COLOUR).all(axis=2))
    assert len(rows) > 100
    rays = camera.rays(np.stack([columns + 0.5, rows + 0.5], axis=1))
    floor = np.asarray(camera.eye[:2]) - camera.eye[2] / rays[:, 2:] * rays[:, :2]
    np.testing.assert_allclose(np.linalg.norm(floor, axis=1), REACH, atol=0.02)


def test_of_a_ring_around_the_eye_only_what_is_before_it_is_drawn() -> None:
    camera = Camera(eye=(0.0, 0.0, 0.1), target=(1.0, 0.0, 0.0), width=100, height=100)
    assert (draw_ring(np.zeros((100, 100, 3), np.uint8), camera) == RING_COLOUR).all(axis=2).any()
