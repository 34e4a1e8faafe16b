"""Blocks drawn over the picture they were found in."""

import numpy as np

from anastylosis.predict.eye.quaternion import to_quaternions
from anastylosis.render import frame_points, render_image, wood_look
from anastylosis.report.sight import draw_sight, visible_faces
from eyes import make_scene

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
