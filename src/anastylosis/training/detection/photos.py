"""Photographs of debris whose truth is known, as users take them."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.view import Photo
from anastylosis.geometry import to_quaternions
from anastylosis.rendering import (
    Camera,
    Image,
    draw_photograph,
    frame_points,
    make_look,
    random_domain,
    random_photograph,
    render_image,
)
from anastylosis.training.detection.scenes import DebrisScene, find_circles, list_corners

VIEWS = (1, 1, 2)  # pictures of a collapse in a cache, one number or the other
SIDE = 512  # [pixels] of a picture
ELEVATION = math.radians(25), math.radians(45)
FIELD_OF_VIEW = math.radians(32)  # vertical
WIDE_ELEVATION, WIDE_FIELD = (math.radians(15), math.radians(78)), (math.radians(22), math.radians(58))
QUARTER = math.pi / 2  # between two pictures of one scene
VISIBLE = 30  # [pixels] a block of which so many are seen counts
BLUR_MAX = 1.0  # [pixels]


@dataclass(frozen=True, kw_only=True)
class PhotoWorld:
    """Floors and light of pictures, and where they are taken from."""

    kind: str = (
        "wood"  # as `render` draws it; `light`: any tones and light; `photograph`, `held out`: any floor, of which families
    )
    elevation: tuple[float, float] = ELEVATION  # [rad]
    field_of_view: tuple[float, float] = (FIELD_OF_VIEW, FIELD_OF_VIEW)  # [rad]


WOOD, LIGHT = PhotoWorld(), PhotoWorld(kind="light")
PHOTOGRAPH, UNSEEN = PhotoWorld(kind="photograph"), PhotoWorld(kind="held out")
CACHED: tuple[tuple[PhotoWorld, float], ...] = (  # worlds of the pictures in a cache, and the share of each
    (WOOD, 0.2),
    (LIGHT, 0.2),
    (PHOTOGRAPH, 0.2),
    (PhotoWorld(kind="photograph", elevation=WIDE_ELEVATION, field_of_view=WIDE_FIELD), 0.4),
)


def draw_world(rng: np.random.Generator) -> PhotoWorld:
    """Draw the world of a picture in a cache."""
    return CACHED[int(rng.choice(len(CACHED), p=[share for _, share in CACHED]))][0]


def take_photos(
    scene: DebrisScene, views: int, rng: np.random.Generator, world: PhotoWorld = WOOD
) -> tuple[list[Photo], NDArray[np.bool_]]:
    """Take pictures from all around, each a quarter turn on; return them and which blocks are visible."""
    corners, azimuth = list_corners(scene.blocks), rng.uniform(0, 2 * math.pi)
    photos, visible = [], np.zeros(len(scene.fell), bool)
    for view in range(views):
        camera = frame_points(
            corners, elevation=rng.uniform(*world.elevation), azimuth=azimuth + QUARTER * view,
            field_of_view=draw_field(world, rng), width=SIDE, height=SIDE,
        )  # fmt: skip
        image = draw_picture(scene, camera, world, rng)
        assert image.ids is not None
        photos.append(Photo(image.rgb, camera))
        visible |= np.bincount(image.ids[image.ids >= 0], minlength=len(visible)) >= VISIBLE
    return photos, visible


def draw_field(world: PhotoWorld, rng: np.random.Generator) -> float:
    """Draw the field of view [rad]; nothing is drawn where there is no choice."""
    low, high = world.field_of_view
    return rng.uniform(low, high) if high > low else low


def draw_picture(scene: DebrisScene, camera: Camera, world: PhotoWorld, rng: np.random.Generator) -> Image:
    """Draw the scene with the block of each pixel."""
    blocks = scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes)
    if world.kind in ("photograph", "held out"):
        photograph = random_photograph(
            rng, find_circles(scene.blocks), held_out=world.kind == "held out", distance=math.dist(camera.eye, camera.target)
        )
        return draw_photograph(*blocks, camera, photograph)
    look, sensor = make_look("wood", scene.seed % 2**32), None
    if world.kind == "light":
        _, look, sensor = random_domain(rng, SIDE, SIDE)
        sensor = replace(sensor, blur=min(sensor.blur, BLUR_MAX))
    return render_image(*blocks, camera, look, antialias=2, shadows="soft", ids=True, sensor=sensor)
