"""Photograph: blocks drawn as a telephone would see them, with scenery around, things beside, and a camera's faults."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats, Singles
from anastylosis.geometry import Boxes, make_matrices
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.image import Image, render_image
from anastylosis.rendering.lens import Exposure, expose
from anastylosis.rendering.look import Colour, Look, srgb_to_linear
from anastylosis.rendering.scenery import Scenery, paint_scenery

GREY = 0.62  # sRGB of the floor on which a picture is drawn before its scenery is painted


@dataclass(frozen=True, kw_only=True)
class Lamp:
    """One more light: where it comes from, and its share of all light that is not the sky's."""

    azimuth: float  # [rad]
    elevation: float  # [rad]
    share: float  # 0..1


@dataclass(frozen=True, kw_only=True, eq=False)
class Things:
    """N boxes that are no blocks, or parts of such: cards, pens, cups, cartons."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    orientation: Floats  # (N, 4) wxyz
    colours: Floats  # (N, 3) sRGB


@dataclass(frozen=True, kw_only=True, eq=False)
class Photograph:
    """Settings of a photograph beside its blocks and its camera."""

    look: Look
    scenery: Scenery
    exposure: Exposure
    lamps: tuple[Lamp, ...] = ()
    colours: tuple[Colour, ...] = ()  # of painted blocks, one after the other; none: those of the look
    things: Things | None = None


def draw_photograph(
    size: ArrayLike, position: ArrayLike, orientation: ArrayLike, camera: Camera, photograph: Photograph, samples: int = 2
) -> Image:
    """Draw blocks, sizes (B, 3) [m], positions (B, 3) [m], orientations (B, 4) wxyz, as this photograph shows them.

    The block of a pixel is that of its middle; things are no blocks, -1. Samples are painted one by one, `samples` x
    `samples` a pixel, and mixed as light.
    """
    fine = replace(camera, width=samples * camera.width, height=samples * camera.height)
    boxes = Boxes(*(np.asarray(part, np.float64) for part in (size, position, orientation)))
    blocks, things = len(boxes.size), photograph.things
    colours = {row: photograph.colours[row % len(photograph.colours)] for row in range(blocks)} if photograph.colours else {}
    if things is not None:
        boxes = Boxes(*map(np.concatenate, zip(boxes, (things.size, things.position, things.orientation), strict=True)))
        colours |= {blocks + row: colour for row, colour in enumerate(things.colours)}
    light, ids, depth = render_lit(boxes, fine, photograph, colours)
    paint_scenery(
        light, ids, depth, fine, photograph.scenery, float(srgb_to_linear(GREY)),
        (boxes.size, boxes.position, make_matrices(boxes.orientation)), np.arange(len(boxes.size)) < blocks,
    )  # fmt: skip
    middle = samples // 2
    return Image(
        expose(shrink(light, samples), np.ascontiguousarray(depth[middle::samples, middle::samples]), photograph.exposure),
        np.ascontiguousarray(np.where(ids < blocks, ids, -1)[middle::samples, middle::samples]).astype(np.int32),
        np.ascontiguousarray(depth[middle::samples, middle::samples]),
    )


def render_lit(
    boxes: Boxes, camera: Camera, photograph: Photograph, colours: Mapping[int, ArrayLike]
) -> tuple[Singles, NDArray[np.int32], Singles]:
    """Draw the boxes on a plain floor; return the light of all lamps (H, W, 3), the box of each sample, and its depth."""
    look = replace(photograph.look, floor=(GREY, GREY, GREY), backdrop=(GREY, GREY, GREY), fade=1000.0)
    image = render_image(
        boxes.size, boxes.position, boxes.orientation, camera, look, colours=colours, shadows="soft", ids=True, depth=True
    )
    assert image.ids is not None
    assert image.depth is not None
    light = to_light(image.rgb)
    for lamp in photograph.lamps:
        other = replace(look, light_azimuth=lamp.azimuth, light_elevation=lamp.elevation)
        light += lamp.share * (
            to_light(
                render_image(boxes.size, boxes.position, boxes.orientation, camera, other, colours=colours, shadows="soft").rgb
            )
            - light
        )
    return light, image.ids, image.depth


LIGHT = srgb_to_linear(np.arange(256) / 255).astype(np.float32)


def to_light(rgb: NDArray[np.uint8]) -> Singles:
    """Return the linear light of a picture of bytes."""
    return LIGHT[rgb]


def shrink(light: Singles, samples: int) -> Singles:
    """Return the mean of the samples of each pixel."""
    height, width = (side // samples for side in light.shape[:2])
    return np.ascontiguousarray(light.reshape(height, samples, width, samples, 3).mean(axis=(1, 3)), np.float32)
