"""Scenes: blocks as they are at one moment, drawn on a stage; the slots that are empty as outlines."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.proposals import Proposals
from anastylosis.reconstruct.case import Execute, Tell
from anastylosis.render import Camera, Look, render_image
from anastylosis.render.picture import Picture
from anastylosis.report.reconstruction.shades import BYTES, TAKEN
from anastylosis.report.sight import draw_sight
from anastylosis.structure import Structure
from anastylosis.survey.rotation import make_matrices

__all__ = ["Scene", "Stage", "build_scene", "draw_scene", "draw_scenes", "surround"]

ANTIALIAS = 2  # rays along a pixel's side
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
    image = render_image(
        scene.size, scene.position, scene.orientation, stage.camera, stage.look,
        present=scene.present, colours=scene.colours, antialias=ANTIALIAS, shadows=stage.shadows,
    )  # fmt: skip
    if scene.slots is None or not scene.outlines:
        return image.rgb
    rows = list(scene.outlines)
    boxes = Proposals(scene.slots.blocks.size[rows], scene.slots.position[rows], make_matrices(scene.slots.orientation[rows]))
    return draw_sight(image.rgb, stage.camera, boxes, [BYTES[TAKEN]] * len(rows))


def draw_scenes(stage: Stage, scenes: Sequence[Scene], execute: Execute, tell: Tell) -> list[Picture]:
    """All of them, in their order, here or on all cores."""
    pictures: list[Picture | None] = [None] * len(scenes)
    tell("pictures", 0, len(scenes))
    jobs = execute(partial(draw_numbered, stage), list(enumerate(scenes)))
    for done, ((number, _), picture) in enumerate(jobs, 1):
        pictures[number] = picture
        tell("pictures", done, len(scenes))
    return [picture for picture in pictures if picture is not None]


def draw_numbered(stage: Stage, job: tuple[int, Scene]) -> Picture:
    return draw_scene(stage, job[1])


def surround(size: Floats, position: Floats) -> Floats:
    """Points around blocks, (M, 3), that keep all of each in a picture."""
    half = float(size.max()) / 2
    corners = np.array([(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)])
    points = (position.reshape(-1, 1, 3) + corners).reshape(-1, 3)
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    return points
