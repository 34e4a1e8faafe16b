"""Views: a picture that is turned, levelled and brought nearer still shows every point where the new camera has it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.detection.detections import BoxProposals, mirror_proposals
from anastylosis.detection.view import (
    FOOTPRINT,
    SIDE_MAX,
    View,
    aim_at_debris,
    find_pixels,
    frame_points,
    make_frames,
    mirror_view,
    normalise,
    take_view,
)  # fmt: skip
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_rotations, to_quaternions
from anastylosis.rendering import Camera, render_image
from anastylosis.rendering.look import wood_look

CROOKED = Camera(eye=(1.2, -0.7, 0.8), target=(0.05, 0.1, 0.0), up=(0.2, 0.1, 1.0), field_of_view=0.7, width=640, height=480)
MARKS = np.array([(0.1, 0.05, 0.0), (-0.2, 0.1, 0.0), (0.0, -0.2, 0.0), (0.15, 0.2, 0.0)])
MIDDLES = MARKS + np.array([0, 0, 0.01])


def draw_marks(camera: Camera) -> np.ndarray:
    """Dark cubes of 2 cm on the floor."""
    return draw_boxes(BoxProposals(np.full((len(MARKS), 3), 0.02), MIDDLES, np.tile(np.eye(3), (len(MARKS), 1, 1))), camera, 2)


def draw_boxes(boxes: BoxProposals, camera: Camera, antialias: int = 1) -> np.ndarray:
    """Dark boxes."""
    picture = render_image(
        boxes.size, boxes.position, to_quaternions(boxes.axes), camera, wood_look(0), shadows="none",
        colours=dict.fromkeys(range(len(boxes.size)), (0, 0, 0)), antialias=antialias,
    )  # fmt: skip
    return picture.rgb


def test_a_level_view_has_all_of_the_debris_that_the_picture_has() -> None:
    narrow = replace(CROOKED, field_of_view=0.45)
    level = aim_at_debris(narrow)
    assert level.axes[0][2] == pytest.approx(0, abs=1e-12)  # what is to the right is level
    side = np.linspace(-0.6, 0.6, 61)
    floor = np.stack([*np.meshgrid(side, side), np.zeros((61, 61))], axis=-1).reshape(-1, 3)
    floor = floor[np.hypot(floor[:, 0], floor[:, 1]) < 0.59]
    pixels, _ = narrow.project(floor)
    seen = ((pixels >= 0) & (pixels <= (640, 480))).all(axis=1)
    pixels, _ = level.project(floor[seen])
    assert 100 < seen.sum() < len(floor)  # the picture has not all of it
    assert pixels.min() > -0.02 * level.width
    assert pixels.max() < 1.02 * level.width


def test_what_is_far_from_the_tower_is_left_out() -> None:
    wide = Camera(eye=(3.0, -3.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=1.2, width=2000, height=1500)
    near = aim_at_debris(wide)
    assert near.field_of_view < 0.4
    assert near.width <= SIDE_MAX
    assert near.project([(0.0, 0.0, 0.5)])[0][0, 1] > 0  # the top of a tower of 27 layers


def test_where_on_its_axis_a_camera_has_its_target_does_not_matter() -> None:
    near = replace(CROOKED, target=tuple(np.add(CROOKED.eye, 0.2 * np.subtract(CROOKED.target, CROOKED.eye))))
    assert aim_at_debris(near).width == aim_at_debris(CROOKED).width


def test_a_camera_that_looks_elsewhere_is_refused() -> None:
    with pytest.raises(InvalidInput, match="does not look at the place"):
        aim_at_debris(Camera(eye=(3.0, 0.0, 1.0), target=(6.0, 0.0, 0.0), field_of_view=0.5))


def test_points_fill_a_framed_view() -> None:
    camera = frame_points((1.0, 1.0, 0.9), MARKS)
    pixels, depth = camera.project(MARKS)
    assert pixels.min() > 0.05 * camera.width
    assert max(np.ptp(pixels[:, 0]), np.ptp(pixels[:, 1])) == pytest.approx(0.88 * camera.width, rel=0.02)
    assert camera.pixel_size * depth.mean() == pytest.approx(FOOTPRINT, rel=16 / camera.width)  # but for sides of whole multiples


def test_brightness_and_contrast_do_not_matter() -> None:
    picture = np.random.default_rng(0).integers(20, 120, (20, 30, 3)).astype(np.uint8)
    np.testing.assert_allclose(normalise(picture), normalise(picture * 2 + 10), atol=1e-4)
    assert np.isfinite(normalise(np.full((4, 4, 3), 7, np.uint8))).all()  # all of one shade


@pytest.mark.parametrize("near", [False, True])
def test_what_is_seen_is_where_the_new_camera_has_it(near: bool) -> None:
    wanted = frame_points(CROOKED.eye, MARKS) if near else aim_at_debris(CROOKED)
    view = take_view(draw_marks(CROOKED), CROOKED, wanted)
    assert view.picture.dtype == np.float32
    direct = draw_marks(wanted).mean(axis=2)
    for x, y in wanted.project(MIDDLES)[0].astype(int):
        around = slice(max(0, y - 15), y + 16), slice(max(0, x - 15), x + 16)
        dark = direct[around] < 60  # the cube, as the new camera has it
        seen = view.picture[around].mean(axis=2)
        assert seen[dark].mean() < seen[~dark].mean() - 1.5
        assert np.corrcoef(dark.ravel(), seen.ravel())[0, 1] < -0.85


def test_a_camera_amid_the_debris_is_told_to_step_back() -> None:
    with pytest.raises(InvalidInput, match="step back"):
        frame_points((0.0, 0.0, 0.1), [(1.0, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(InvalidInput, match="640 x 480"):
        take_view(np.zeros((10, 20, 3), np.uint8), CROOKED, aim_at_debris(CROOKED))


def test_frames_turn_with_the_ray() -> None:
    ray = np.array([0.6, 0.8, -0.5])
    right, down, up = make_frames(ray)
    for axis in (right, down, up):
        assert np.linalg.norm(axis) == pytest.approx(1)
    assert right @ ray == pytest.approx(0)
    assert down @ ray == pytest.approx(0)
    assert right @ down == pytest.approx(0)
    assert right[2] == 0
    assert down[2] < 0
    cos, sin = math.cos(0.7), math.sin(0.7)
    turn = np.array([(cos, -sin, 0), (sin, cos, 0), (0, 0, 1)])
    np.testing.assert_allclose(make_frames(turn @ ray), make_frames(ray) @ turn.T, atol=1e-12)


def test_a_camera_at_the_same_place_has_what_another_one_sees() -> None:
    wanted = aim_at_debris(CROOKED)
    pixels, depth = CROOKED.project(np.add(CROOKED.eye, wanted.rays()))
    assert (depth > 0).all()
    np.testing.assert_allclose(find_pixels(CROOKED, wanted), pixels, atol=1e-3)


def test_a_mirror_image_is_what_a_mirrored_camera_sees_of_mirrored_blocks() -> None:
    turns = make_rotations(np.random.default_rng(0).normal(0, 0.5, (len(MARKS), 3)))
    blocks = BoxProposals(np.full((len(MARKS), 3), 0.02), MIDDLES, turns)
    seen = View(draw_boxes(blocks, CROOKED).astype(np.float32), CROOKED)
    mirrored = mirror_view(seen)
    pixels, depth = seen.camera.project(blocks.position)
    others, other_depth = mirrored.camera.project(mirror_proposals(blocks).position)
    np.testing.assert_allclose(others, [CROOKED.width, 0] + pixels * [-1, 1], atol=1e-9)
    np.testing.assert_allclose(other_depth, depth)
    np.testing.assert_allclose(np.linalg.det(mirror_proposals(blocks).axes), 1)
    drawn, flipped = (
        (image == 0).all(axis=2) for image in (draw_boxes(mirror_proposals(blocks), mirrored.camera), mirrored.picture)
    )
    assert drawn.sum() > 300
    assert (drawn != flipped).sum() <= 4  # pixels at the edges
