"""Scenes: blocks at one moment, drawn with one camera and light. Empty slots are outlines."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from anastylosis.arrays import Floats
from anastylosis.geometry import find_corners, make_matrices
from anastylosis.progress import Execute, Progress
from anastylosis.rendering import Camera, Look, Picture, draft_upon, render_image
from anastylosis.report.colour import PALETTE
from anastylosis.report.reconstruction.shades import BYTES
from anastylosis.report.still import ANTIALIAS
from anastylosis.structure import Structure
from anastylosis.survey import Survey

SAMPLES = 40  # along an edge: each is asked whether it is hidden
RUN = 6  # scenes that one process draws one after the other; more would save little, and leave cores without work
MUCH = 0.25  # share of the blocks: where more of them move nearly all of a picture changes
BEHIND = 3e-3  # [m] an edge that lies on the face of a block is seen
PIXELS = 400  # of a picture's width, for each pixel of a line
EDGES = np.array([(a, b) for a in range(8) for b in range(a) if (a ^ b).bit_count() == 1])  # between corners


class ViewSettings(NamedTuple):
    """Camera, light and shadows with which scenes are drawn."""

    camera: Camera
    look: Look
    shadows: str = "hard"


class BlockScene(NamedTuple):
    """N blocks; SI units."""

    size: Floats  # (N, 3)
    position: Floats  # (N, 3)
    orientation: Floats  # (N, 4)
    present: NDArray[np.bool_]  # (N,)
    colours: Mapping[int, tuple[float, float, float]]  # of rows that have one
    outlines: tuple[int, ...] = ()  # rows of `slots` that are drawn as red outlines
    slots: Structure | None = None

    @classmethod
    def from_slots(
        cls,
        structure: Structure,
        filled: NDArray[np.bool_] | None = None,
        colours: Mapping[int, tuple[float, float, float]] | None = None,
    ) -> "BlockScene":
        """Make a scene of a tower with these slots filled, (S,), and the others outlined; all are if none are named."""
        there = np.ones(len(structure), bool) if filled is None else filled
        empty = tuple(np.flatnonzero(~there).tolist())
        return cls(structure.blocks.size, structure.position, structure.orientation, there, dict(colours or {}), empty, structure)

    @classmethod
    def from_survey(cls, survey: Survey, colours: Mapping[int, tuple[float, float, float]] | None = None) -> "BlockScene":
        """Make a scene of blocks as they lie in a survey."""
        return cls(survey.size, survey.position, survey.orientation, np.ones(len(survey), bool), colours or {})

    def surround(self, *, turned: bool = True) -> Floats:
        """Return points (M, 3) that keep the blocks whole in a picture: their corners, or those of cubes around them."""
        there = self.present
        return surround(self.size[there], self.position[there], self.orientation[there] if turned else None)


def draw_scene(settings: ViewSettings, scene: BlockScene) -> Picture:
    """Draw one picture."""
    return draw_run(settings, [scene])[0]


def draw_run(settings: ViewSettings, scenes: Sequence[BlockScene]) -> list[Picture]:
    """Draw scenes that are each much like the one before: only what may have changed is drawn again. Gives the same bits."""
    pictures: list[Picture] = []
    plain: Picture | None = None  # the one before, without outlines
    for before, scene in zip([None, *scenes], scenes, strict=False):
        moved = None if before is None else find_moved(settings, before, scene)
        draft = None if plain is None or moved is None else draft_upon(plain, scene.size, moved, settings.camera, settings.look)
        outlined = scene.slots is not None and len(scene.outlines) > 0
        image = render_image(
            scene.size, scene.position, scene.orientation, settings.camera, settings.look, present=scene.present,
            colours=scene.colours, antialias=ANTIALIAS, shadows=settings.shadows, depth=outlined, draft=draft,
        )  # fmt: skip
        picture = plain = image.rgb
        if scene.slots is not None and image.depth is not None:
            picture = draw_outlines(plain, image.depth, settings.camera, scene.slots.select(list(scene.outlines)))
        pictures.append(picture)
    return pictures


def find_moved(
    settings: ViewSettings, before: BlockScene, after: BlockScene
) -> list[tuple[NDArray[np.int64], Floats, Floats]] | None:
    """Return rows that came, went, moved or changed colour, with the poses in each scene that has them.

    None: all is drawn again, because much moves or shadows are soft.
    """
    if settings.shadows != "hard" or not np.array_equal(before.size, after.size):
        return None
    other = (before.position != after.position).any(axis=1) | (before.orientation != after.orientation).any(axis=1)
    other = (other & before.present & after.present) | (before.present != after.present)
    other |= [before.colours.get(row) != after.colours.get(row) for row in range(len(other))]
    if other.sum() > MUCH * len(other):
        return None
    return [(np.flatnonzero(other & scene.present), scene.position, scene.orientation) for scene in (before, after)]


def draw_outlines(picture: Picture, depth: NDArray[np.float32], camera: Camera, slots: Structure) -> Picture:
    """Draw the edges of slots, as far as no block hides them; `depth` (H, W) is that of the picture [m]."""
    corners = find_corners(slots.position, slots.blocks.size, make_matrices(slots.orientation))
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
            pen.line(ends, fill=BYTES[PALETTE.taken], width=max(1, round(camera.width / PIXELS)))
    return np.asarray(image)


def find_seen(depth: NDArray[np.float32], pixels: Floats, deep: Floats) -> NDArray[np.bool_]:
    """Mark points (...) of a picture, at these pixels (..., 2) and depths (...), that nothing hides."""
    height, width = depth.shape
    inside = (deep > 0) & (pixels >= 0).all(axis=-1) & (pixels < (width, height)).all(axis=-1)
    column, row = np.where(inside[..., None], pixels, 0).astype(np.int64).transpose(-1, *range(pixels.ndim - 1))
    return np.asarray(inside & (deep <= depth[row, column] + BEHIND))


def find_runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Find the first and the last row of every run of two or more."""
    change = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    for first, after in change.reshape(-1, 2).tolist():
        if after - first > 1:
            yield first, after - 1


def draw_scenes(settings: ViewSettings, scenes: Sequence[BlockScene], execute: Execute, progress: Progress) -> Iterator[Picture]:
    """Draw scenes here or on all cores; yield each in order, as soon as it and those before are drawn."""
    waiting: dict[int, list[Picture]] = {}
    following = done = 0
    progress("pictures", 0, len(scenes))
    length = RUN if settings.shadows == "hard" else 1
    runs = [(first, scenes[first : first + length]) for first in range(0, len(scenes), length)]
    for (first, _), pictures in execute(partial(draw_numbered, settings), runs):
        waiting[first] = pictures
        done += len(pictures)
        progress("pictures", done, len(scenes))
        while following in waiting:
            ready = waiting.pop(following)
            following += len(ready)
            yield from ready


def draw_numbered(settings: ViewSettings, run: tuple[int, Sequence[BlockScene]]) -> list[Picture]:
    return draw_run(settings, run[1])


def surround(size: Floats, position: Floats, orientation: Floats | None = None) -> Floats:
    """Return points (M, 3) that keep blocks whole in a picture: their corners, or those of cubes around them.

    Cubes are used if the turns of the blocks are not given.
    """
    if orientation is None:
        sides, matrices = np.full((1, 3), size.max()), np.eye(3)[None]
    else:
        sides, matrices = size, make_matrices(orientation)
    points = find_corners(position.reshape(-1, 3), sides, matrices).reshape(-1, 3)
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    return points
