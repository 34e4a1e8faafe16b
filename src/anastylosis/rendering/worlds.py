"""Pictures of many worlds, drawn where their blocks are: on a core here, or on the GPU that steps them."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from anastylosis.errors import InvalidInput
from anastylosis.gpu import DevicePoses
from anastylosis.rendering.boxes import naming_world
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.image import Image, check_drawing, render_image
from anastylosis.rendering.look import Look
from anastylosis.rendering.sensor import Sensor, apply_sensor

One = TypeVar("One")


def render_worlds(
    poses: DevicePoses,
    cameras: Camera | Sequence[Camera],
    looks: Look | Sequence[Look],
    *,
    antialias: int = 1,
    shadows: str = "hard",
    sensors: Sensor | Sequence[Sensor] | None = None,
    ids: bool = False,
    depth: bool = False,
) -> Image:
    """Draw every world of `Simulation.poses()` as `render_image` does; arrays of the `Image` have a leading world axis.

    Cameras, looks and sensors are one for all worlds, or one for each; all pictures have one width and height. On a GPU cameras,
    looks and sizes are sent, poses are read where they are, and finished pictures are brought back; what the sensor does to them
    is done here.
    """
    worlds = len(poses.size)
    samples = check_drawing(antialias, shadows)
    each_camera, each_look = spread(cameras, Camera, worlds, "cameras"), spread(looks, Look, worlds, "looks")
    each_sensor = spread(sensors, Sensor, worlds, "sensors") if sensors is not None else []
    sides = {(camera.width, camera.height) for camera in each_camera}
    if len(sides) != 1:
        raise InvalidInput(f"cameras have pictures of {sorted(sides)} pixels; those of one call have one width and height")
    if poses.device == "cuda":
        from anastylosis.rendering.cuda import draw_worlds

        drawn = draw_worlds(poses, each_camera, each_look, samples, shadows, ids=ids, depth=depth)
    else:
        drawn = draw_here(poses, each_camera, each_look, samples, shadows, ids=ids, depth=depth)
    for w, sensor in enumerate(each_sensor):
        drawn.rgb[w] = apply_sensor(drawn.rgb[w], sensor)
    return drawn


def draw_here(
    poses: DevicePoses, cameras: Sequence[Camera], looks: Sequence[Look], samples: int, shadows: str, *, ids: bool, depth: bool
) -> Image:
    """Draw one picture after the other. Its sibling on a GPU is `cuda.draw_worlds`."""
    images = []
    for w, (camera, look) in enumerate(zip(cameras, looks, strict=True)):
        size, position, orientation, present = (array[w] for array in poses[:4])
        with naming_world(w):
            images.append(
                render_image(
                    size, position, orientation, camera, look, present=present, antialias=samples, shadows=shadows,
                    ids=ids, depth=depth,
                )
            )  # fmt: skip
    rgb, rows, deep = zip(*images, strict=True)
    return Image(np.stack(rgb), np.stack(rows) if ids else None, np.stack(deep) if depth else None)


def spread(given: One | Sequence[One], kind: type[One], worlds: int, name: str) -> list[One]:
    """Return one item for each world."""
    many = [given] * worlds if isinstance(given, kind) else list(given)  # type: ignore[arg-type]
    if len(many) != worlds or not all(isinstance(one, kind) for one in many):
        raise InvalidInput(f"{name}: give one {kind.__name__} for all worlds, or a list with one for each of the {worlds}")
    return many
