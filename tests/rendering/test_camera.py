"""Cameras: closed forms of projection, and views that keep everything in."""

import math

import numpy as np
import pytest

from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering import Camera, frame_points, paper_camera, random_camera
from anastylosis.rendering.camera import front_camera, top_camera
from anastylosis.structure import jenga_tower

LEVEL = Camera(eye=(2.0, 0.0, 0.5), target=(0.0, 0.0, 0.5), field_of_view=math.pi / 2, width=200, height=100)


@pytest.mark.parametrize(
    ("point", "pixel", "depth"),
    [
        # At depth 2 with a tangent of 1 the picture is 4 m high: 25 pixels a metre, from the middle (100, 50).
        ((0.0, 0.0, 0.5), (100, 50), 2.0),
        ((0.0, 1.0, 0.5), (125, 50), 2.0),  # looking along -x, +y is to the right
        ((0.0, 0.0, 1.5), (100, 25), 2.0),
        ((1.0, 1.0, 0.0), (150, 75), 1.0),
        ((-2.0, -4.0, 4.5), (50, 0), 4.0),
    ],
)
def test_known_points_are_projected_to_known_pixels(point, pixel, depth) -> None:
    pixels, deep = LEVEL.project(point)
    np.testing.assert_allclose(pixels, pixel, atol=1e-9)
    assert deep == pytest.approx(depth)


def test_points_behind_the_eye_have_no_pixel() -> None:
    pixels, depth = LEVEL.project([(3.0, 0.0, 0.5), (1.0, 0.0, 0.5)])
    assert np.isnan(pixels[0]).all()
    assert depth.tolist() == pytest.approx([-1.0, 1.0])
    assert np.isfinite(pixels[1]).all()


@pytest.mark.parametrize("seed", range(5))
def test_pixels_become_rays_and_rays_pixels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera = random_camera(rng, 160, 90)
    pixels, depth = rng.uniform(0, 90, (50, 2)), rng.uniform(0.1, 9, 50)
    back, deep = camera.project(camera.unproject(pixels, depth))
    np.testing.assert_allclose(back, pixels, atol=1e-8)
    np.testing.assert_allclose(deep, depth, rtol=1e-12)
    rays = camera.rays()
    assert rays.shape == (90, 160, 3)
    np.testing.assert_allclose(camera.project(np.add(camera.eye, rays[70, 20]))[0], (20.5, 70.5), atol=1e-9)


def scene_corners() -> np.ndarray:
    tower = jenga_tower(18)
    side, top = 0.0405, 18 * 0.018
    assert np.abs(tower.position[:, :2]).max() < side
    corners = [(x * s, y * s, z) for s, h in ((side, top), (0.6, 0.0)) for x in (-1, 1) for y in (-1, 1) for z in (0, h)]
    return np.array(corners)


def is_inside(camera: Camera, points: np.ndarray) -> bool:
    pixels, depth = camera.project(points)
    return bool((depth > 0).all() and (pixels >= 0).all() and (pixels <= (camera.width, camera.height)).all())


@pytest.mark.parametrize(("width", "height"), [(128, 128), (1280, 720), (300, 700)])
@pytest.mark.parametrize("view", [paper_camera, top_camera, front_camera])
def test_tower_and_debris_are_in_the_picture(view, width: int, height: int) -> None:
    camera = view(width, height)
    assert is_inside(camera, scene_corners())
    # and it is the nearest such camera: two opposite sides are as far from the corners as the margin asks for
    pixels, _ = camera.project(np.concatenate([scene_corners(), scene_corners()[8:] + np.array((0, 0, 0.05))]))
    share = pixels / (width, height)
    gaps = np.concatenate([share.min(axis=0), 1 - share.max(axis=0)])
    assert gaps.min() == pytest.approx(0.04, abs=1e-9)
    assert np.sort(gaps)[1] == pytest.approx(0.04, abs=1e-9)


def test_random_cameras_have_everything_in_the_picture_and_differ() -> None:
    rng = np.random.default_rng(0)
    cameras = [random_camera(rng, *size) for size in [(128, 128), (320, 180)] * 100]
    assert all(is_inside(camera, scene_corners()) for camera in cameras)
    assert len({camera.eye for camera in cameras}) == 200
    again = np.random.default_rng(0)
    assert random_camera(again) == cameras[0]


def test_the_paper_looks_from_22_and_35_degrees() -> None:
    back = -paper_camera().axes[2]
    assert math.degrees(math.asin(back[2])) == pytest.approx(22)
    assert math.degrees(math.atan2(back[1], back[0])) == pytest.approx(35)


def test_from_above_and_from_the_front_x_is_to_the_right() -> None:
    for camera, axis in ((top_camera(), (0, 1, 0)), (front_camera(), (0, 0, 1))):
        middle, right, up = camera.project([(0, 0, 0), (0.1, 0, 0), 0.1 * np.array(axis)])[0]
        assert right[0] > middle[0] + 1
        assert right[1] == pytest.approx(middle[1])
        assert up[1] < middle[1] - 1
        assert up[0] == pytest.approx(middle[0])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(128, 128), (300, 100), (100, 300)])
def test_what_is_framed_is_in_the_middle(seed: int, shape: tuple[int, int]) -> None:
    """Both ways, also the one in which there is room to spare: a row of debris seen at a slant was high up in the picture."""
    points = np.random.default_rng(seed).uniform((-0.6, -0.1, 0.0), (0.6, 0.1, 0.1), (40, 3))
    width, height = shape
    pixels, _ = frame_points(points, width=width, height=height, margin=0.04).project(points)
    assert pixels.min(axis=0) + pixels.max(axis=0) == pytest.approx((width, height), abs=1e-5)
    free = np.minimum(pixels.min(axis=0), (width, height) - pixels.max(axis=0)) / (width, height)
    assert free.min() == pytest.approx(0.04)


def test_a_frame_can_follow_any_points() -> None:
    points = np.random.default_rng(1).uniform(-3, 8, (30, 3)) + np.array((0, 0, 4))
    camera = frame_points(points, elevation=0.3, azimuth=2.0, width=64, height=48, margin=0.1)
    pixels, _ = camera.project(points)
    assert pixels.min() > 0.1 * 48 - 1e-6
    assert (pixels.max(axis=0) < (0.9 * 64 + 1e-6, 0.9 * 48 + 1e-6)).all()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (dict(width=0), "width"), (dict(height=-3), "height"), (dict(width=10**9), "width"), (dict(width=1.5), "width"),
        (dict(width=8000, height=8000), "too many"), (dict(field_of_view=0.0), "field"), (dict(field_of_view=3.0), "field"),
        (dict(field_of_view=math.nan), "field"), (dict(eye=(1, 1, 0)), "above the floor"), (dict(eye=(0, 0, 1)), "points along"),
        (dict(target=(2, 0, 1)), "same place"), (dict(eye=(1, 2)), "eye"), (dict(target=(math.nan, 0, 0)), "target"),
        (dict(eye=(1e9, 0, 1)), "eye"), (dict(up=(0, 0, 0)), "up"),
    ],
)  # fmt: skip
def test_cameras_that_cannot_be_are_refused(change: dict, word: str) -> None:
    settings = dict(eye=(2, 0, 1), target=(0, 0, 0)) | change
    with pytest.raises(InvalidConfig, match=word):
        Camera(**settings)


def test_what_cannot_be_framed_or_projected_is_refused() -> None:
    for points in (np.zeros((0, 3)), np.zeros((4, 2)), np.full((2, 3), np.nan)):
        with pytest.raises(InvalidInput, match="points"):
            frame_points(points)
    with pytest.raises(InvalidConfig, match="margin"):
        frame_points(np.eye(3), margin=0.5)
    with pytest.raises(InvalidConfig, match="elevation"):
        frame_points(np.eye(3), elevation=-0.1)
    with pytest.raises(InvalidConfig, match="reach"):
        paper_camera(reach=0)
    with pytest.raises(InvalidConfig, match="layers"):
        paper_camera(layers=0)
    with pytest.raises(InvalidInput, match="points"):
        LEVEL.project(np.zeros((4, 2)))
    with pytest.raises(InvalidInput, match="pixels"):
        LEVEL.rays(np.zeros((4, 3)))
