"""Draft: the picture of a scene much like the one to draw, and which of its tiles have to be drawn again.

A block is seen where it is, hides some of the sky from what is near it, and casts a shadow along the rays of the sun down to the
floor. Tiles beyond all that keep their bits when it comes, goes or moves.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Flags, Integers
from anastylosis.errors import InvalidInput
from anastylosis.geometry import find_corners
from anastylosis.rendering.boxes import DrawnBoxes, build_boxes
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.cast import TILE
from anastylosis.rendering.look import NEARNESS, Look, block_side
from anastylosis.rendering.sun import sun_axes

PIECES = 8  # of a shadow on its way to the floor; around each a rectangle of pixels is taken
SPARE = 2  # [pixels] around such a rectangle


class Draft(NamedTuple):
    """Picture to draw upon, by one camera in one look, of blocks of equal sizes."""

    rgb: NDArray[np.uint8]  # (H, W, 3) before a sensor
    stale: Flags  # (rows, columns) tiles that may look otherwise; all others are kept


def draft_upon(
    rgb: NDArray[np.uint8], sizes: ArrayLike, moved: Iterable[tuple[Integers, ArrayLike, ArrayLike]], camera: Camera, look: Look
) -> Draft:
    """Return a draft upon the picture of a scene in which blocks of sizes (B, 3) came, went or moved; shadows are hard.

    `moved`: rows of blocks, with position (B, 3) and orientation (B, 4) of all blocks: where those rows were, and where they are.
    """
    stale, side = np.zeros(count_tiles(camera), bool), block_side(sizes)
    for rows, position, orientation in moved:
        if len(rows):
            own_sizes, places, turns = (np.asarray(each)[rows] for each in (sizes, position, orientation))
            stale |= find_stale(own_sizes, places, turns, camera, look, side=side)
    return Draft(rgb, stale)


def count_tiles(camera: Camera) -> tuple[int, int]:
    """Rows and columns."""
    return -(-camera.height // TILE), -(-camera.width // TILE)


def check_draft(draft: Draft, camera: Camera) -> Draft:
    """Return the draft, or refuse it: the kernels write wherever `stale` tells them to."""
    shapes = ((camera.height, camera.width, 3), np.uint8), (count_tiles(camera), np.bool_)
    for name, values, (shape, kind) in zip(Draft._fields, draft, shapes, strict=True):
        given, needed = np.asarray(values), np.dtype(kind)
        if given.shape != shape or given.dtype != needed:
            raise InvalidInput(
                f"{name} of the draft is {given.dtype} of shape {given.shape}; this camera needs {needed} of shape {shape}"
            )
    return Draft(np.asarray(draft.rgb), np.asarray(draft.stale))


def find_stale(
    sizes: ArrayLike, position: ArrayLike, orientation: ArrayLike, camera: Camera, look: Look, *, side: float
) -> Flags:
    """Find the tiles (rows, columns) that may look otherwise with these blocks than without them, where shadows are hard.

    Blocks as of `render_image`; `side` [m]: `block_side` of the whole scene.
    """
    boxes = build_boxes(sizes, position, orientation, None, camera, NEARNESS * side)
    stale = np.zeros(count_tiles(camera), bool)
    for left, top, right, bottom in [*boxes.reach.tolist(), *bound_shadows(boxes, camera, look)]:
        stale[top // TILE : -(-bottom // TILE), left // TILE : -(-right // TILE)] = True
    return stale


def bound_shadows(boxes: DrawnBoxes, camera: Camera, look: Look) -> list[list[int]]:
    """Return pixels left, top, right, bottom around each piece of each shadow: the box, moved along the rays into the floor."""
    solid = boxes.solid
    corners = find_corners(solid[:, :3], 2 * solid[:, 3:6], solid[:, 6:15].reshape(-1, 3, 3))
    towards = sun_axes(look.light_azimuth, look.light_elevation)[0]
    way = np.maximum(corners[..., 2].max(axis=1), 0.0) / towards[2]  # (N,) [m]
    ends = np.linspace(0.0, 1.0, PIECES + 1)[:, None, None, None] * way[:, None, None] * towards
    moved = corners - ends  # (PIECES + 1, N, 8, 3)
    pixels, depth = camera.project(np.concatenate([moved[:-1], moved[1:]], axis=2))
    most = (camera.width, camera.height)
    if not (depth > 0).all():  # behind the eye
        return [[0, 0, *most]]
    low, high = pixels.min(axis=2) - SPARE, pixels.max(axis=2) + SPARE
    bounds = np.concatenate([np.clip(low, 0, most), np.clip(np.ceil(high), 0, most)], axis=-1)
    found: list[list[int]] = bounds.reshape(-1, 4).astype(np.int64).tolist()
    return found
