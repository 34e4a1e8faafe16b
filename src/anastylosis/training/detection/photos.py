"""Photographs of debris whose truth is known, as users take them."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.view import Photo
from anastylosis.geometry import to_quaternions
from anastylosis.rendering import frame_points, make_look, random_domain, render_image
from anastylosis.training.detection.scenes import DebrisScene, list_corners

VIEWS = (1, 1, 2)  # pictures of a collapse in a cache, one number or the other
DOMAIN = 0.5  # share in any light; the rest is wood, as `render` draws it
SIDE = 512  # [pixels] of a picture
ELEVATION = math.radians(25), math.radians(45)
QUARTER = math.pi / 2  # between two pictures of one scene
VISIBLE = 30  # [pixels] a block of which so many are seen counts
BLUR_MAX = 1.0  # [pixels]


def take_photos(
    scene: DebrisScene, views: int, rng: np.random.Generator, *, domain: bool
) -> tuple[list[Photo], NDArray[np.bool_]]:
    """Take pictures from all around, each a quarter turn on; return them and which blocks are visible.

    `domain`: light, floor, tones and sensor of any kind, instead of wood.
    """
    corners, azimuth = list_corners(scene.blocks), rng.uniform(0, 2 * math.pi)
    photos, visible = [], np.zeros(len(scene.fell), bool)
    for view in range(views):
        camera = frame_points(
            corners, elevation=rng.uniform(*ELEVATION), azimuth=azimuth + QUARTER * view, width=SIDE, height=SIDE
        )
        look, sensor = make_look("wood", scene.seed % 2**32), None
        if domain:
            _, look, sensor = random_domain(rng, SIDE, SIDE)
            sensor = replace(sensor, blur=min(sensor.blur, BLUR_MAX))
        image = render_image(
            scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes), camera, look,
            antialias=2, shadows="soft", ids=True, sensor=sensor,
        )  # fmt: skip
        assert image.ids is not None
        photos.append(Photo(image.rgb, camera))
        visible |= np.bincount(image.ids[image.ids >= 0], minlength=len(visible)) >= VISIBLE
    return photos, visible
