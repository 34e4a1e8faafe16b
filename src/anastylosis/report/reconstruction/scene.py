"""Scenes: blocks as they are at one moment, drawn on a stage; the slots that are empty as outlines."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from anastylosis.reconstruct.case import Execute, Tell
from anastylosis.render import Camera, Look, render_image
from anastylosis.render.picture import Picture
from anastylosis.report.reconstruction.shades import BYTES, TAKEN
from anastylosis.structure import Structure
from anastylosis.survey.rotation import make_matrices

__all__ = ["Scene", "Stage", "build_scene", "draw_scene", "draw_scenes", "surround"]

ANTIALIAS = 2  # rays along a pixel's side
SAMPLES = 40  # along an edge: each is asked whether it is hidden
BEHIND = 3e-3  # [m] an edge that lies on the face of a block is seen
PIXELS = 400  # of a picture's width, for each pixel of a line
SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
EDGES = np.array([(a, b) for a in range(8) for b in range(a) if abs(SIGNS[a] - SIGNS[b]).sum() == 2])
Floats = NDArray[np.float64]


class Stage(NamedTuple):
    """Where scenes are seen from, and in which light."""

    camera: Camera
    look: Look
    shadows: str = "hard"


class Scene(NamedTuple):
    """N blocks; SI units."""

    size: Floats  # (N, 3)
    position: Floats  # (N, 3)
    orientation: Floats  # (N, 4)
    present: NDArray[np.bool_]  # (N,)
    colours: Mapping[int, tuple[float, float, float]]  # of rows that have one
    outlines: tuple[int, ...] = ()  # rows of `slots` that are drawn as red outlines
    slots: Structure | None = None


def build_scene(
    structure: Structure, filled: NDArray[np.bool_], colours: Mapping[int, tuple[float, float, float]] | None = None
) -> Scene:
    """A tower with these slots filled, (S,), and the others outlined."""
    empty = tuple(np.flatnonzero(~filled).tolist())
    return Scene(structure.blocks.size, structure.position, structure.orientation, filled, dict(colours or {}), empty, structure)


def draw_scene(stage: Stage, scene: Scene) -> Picture:
    """One picture."""
    outlined = scene.slots is not None and len(scene.outlines) > 0
    image = render_image(
        scene.size, scene.position, scene.orientation, stage.camera, stage.look,
        present=scene.present, colours=scene.colours, antialias=ANTIALIAS, shadows=stage.shadows, depth=outlined,
    )  # fmt: skip
    if scene.slots is None or image.depth is None:
        return image.rgb
    return draw_outlines(image.rgb, image.depth, stage.camera, scene.slots.select(list(scene.outlines)))


def draw_outlines(picture: Picture, depth: NDArray[np.float32], camera: Camera, slots: Structure) -> Picture:
    """The edges of slots, as far as no block hides them; `depth` (H, W) is that of the picture [m]."""
    corners = slots.position[:, None] + (SIGNS * slots.blocks.size[:, None] / 2) @ np.swapaxes(
        make_matrices(slots.orientation), -1, -2
    )
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    start, end = (corners[:, EDGES[:, k], None, :] for k in (0, 1))
    points = ((1 - share) * start + share * end).reshape(-1, SAMPLES, 3)
    pixels, deep = camera.project(points)
    seen = find_seen(depth, pixels, deep)
    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    for edge, flags in zip(pixels, seen, strict=True):
        for first, last in find_runs(flags):
            ends = [tuple(edge[first].tolist()), tuple(edge[last].tolist())]
            pen.line(ends, fill=BYTES[TAKEN], width=max(1, round(camera.width / PIXELS)))
    return np.asarray(image)


def find_seen(depth: NDArray[np.float32], pixels: Floats, deep: Floats) -> NDArray[np.bool_]:
    """(...) points of a picture, at these pixels (..., 2) and depths (...), that nothing hides."""
    height, width = depth.shape
    inside = (deep > 0) & (pixels >= 0).all(axis=-1) & (pixels < (width, height)).all(axis=-1)
    column, row = np.where(inside[..., None], pixels, 0).astype(np.int64).transpose(-1, *range(pixels.ndim - 1))
    return np.asarray(inside & (deep <= depth[row, column] + BEHIND))


def find_runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """The first and the last row of every run of two or more."""
    change = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    for first, after in change.reshape(-1, 2).tolist():
        if after - first > 1:
            yield first, after - 1


def draw_scenes(stage: Stage, scenes: Sequence[Scene], execute: Execute, tell: Tell) -> Iterator[Picture]:
    """All of them, in their order, here or on all cores; each as soon as it and those before it are drawn."""
    waiting: dict[int, Picture] = {}
    following = 0
    tell("pictures", 0, len(scenes))
    jobs = execute(partial(draw_numbered, stage), list(enumerate(scenes)))
    for done, ((number, _), picture) in enumerate(jobs, 1):
        waiting[number] = picture
        tell("pictures", done, len(scenes))
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def draw_numbered(stage: Stage, job: tuple[int, Scene]) -> Picture:
    return draw_scene(stage, job[1])


def surround(size: Floats, position: Floats, orientation: Floats | None = None) -> Floats:
    """Points around blocks, (M, 3), that keep all of each in a picture: their corners, or, if it is not told how they are turned,
    those of cubes around them."""
    if orientation is None:
        corners = SIGNS * float(size.max()) / 2
    else:
        corners = (SIGNS * size[:, None] / 2) @ np.swapaxes(make_matrices(orientation), -1, -2)
    points = (position.reshape(-1, 1, 3) + corners).reshape(-1, 3)
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    return points
