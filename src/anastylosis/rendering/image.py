"""Image: blocks on a floor, drawn by a camera in a look, with the exact block and depth of every pixel."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import InvalidInput
from anastylosis.kernel import announce_compilation, follow_compilation
from anastylosis.kernel_cache import mark_compiled
from anastylosis.picture_format import LUMA
from anastylosis.rendering.boxes import build_boxes, build_projection, measure_boxes, take
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.cast import TILE, map_ids
from anastylosis.rendering.draft import Draft, check_draft, count_tiles
from anastylosis.rendering.grid import enter, meet_faces, project, project_grid
from anastylosis.rendering.look import NEARNESS, Look, block_side, mix_paint, srgb_table, wood_look
from anastylosis.rendering.sampling import mix, sample
from anastylosis.rendering.sensor import Sensor, apply_sensor
from anastylosis.rendering.shade import draw
from anastylosis.rendering.sun import build_sun, fill_grid, measure_shadows, sun_tangent

SHADOWS = ("hard", "soft", "none")
SAMPLES_MAX = 8  # rays a pixel side


class Image(NamedTuple):
    """Picture, with block and depth at the centre of every pixel."""

    rgb: NDArray[np.uint8]  # (H, W, 3) sRGB
    ids: NDArray[np.int32] | None = None  # (H, W) row of the block; -1: floor or backdrop
    depth: NDArray[np.float32] | None = None  # (H, W) z-depth [m], along the viewing axis; infinite: backdrop

    @property
    def grey(self) -> NDArray[np.uint8]:
        """Return the picture (H, W) in shades of grey."""
        return to_grey(self.rgb)


def render_image(
    sizes: ArrayLike,
    position: ArrayLike,
    orientation: ArrayLike,
    camera: Camera,
    look: Look,
    *,
    present: ArrayLike | None = None,
    colours: Mapping[int, ArrayLike] | None = None,
    antialias: int = 1,
    shadows: str = "hard",
    sensor: Sensor | None = None,
    ids: bool = False,
    depth: bool = False,
    draft: Draft | None = None,
) -> Image:
    """Draw the blocks with sizes (B, 3) [m] at position (B, 3) [m], orientation (B, 4) wxyz, on the floor z = 0.

    `present` (B,) is False for blocks that are gone; `colours` are sRGB colours of chosen rows (see `scale` and
    `report.colour.HIGHLIGHT`); `sensor` blurs the picture and adds noise. `antialias` x `antialias` rays are shot for each pixel;
    `ids` and `depth` are those of its centre. The same arguments give the same bits, with a `draft` of a scene that is
    nearly the same and without it. One picture is drawn on one core: draw many in many processes.
    """
    samples = check_drawing(antialias, shadows)
    if draft is None:
        draft = Draft(np.empty((camera.height, camera.width, 3), np.uint8), np.ones(count_tiles(camera), bool))
    draft = check_draft(draft, camera)
    announce_compilation("rendering", "about ten seconds")
    size = take(sizes, "sizes", (-1, 3))
    side = block_side(size) if len(size) else 1.0
    boxes = build_boxes(size, position, orientation, present, camera, NEARNESS * side)
    view = build_projection(camera)
    paint = mix_paint(look, boxes.row, len(size), side, camera, colours or {})
    sun = build_sun(boxes, look.light_azimuth, look.light_elevation, sun_tangent(look.light_radius, shadows))
    found = np.empty(len(boxes.row), np.int32)
    tile_depth, tile_surface = np.empty((TILE * samples) ** 2), np.empty((TILE * samples) ** 2, np.int32)
    rgb = draft.rgb.copy()
    draw(view, boxes, sun, paint, shadows != "none", samples, table(), draft.stale, found, tile_depth, tile_surface, rgb)
    mark_compiled("rendering")
    if sensor is not None:
        rgb = apply_sensor(rgb, sensor)
    if not (ids or depth):
        return Image(rgb)
    rows = np.empty((camera.height, camera.width), np.int32)
    deep = np.empty((camera.height, camera.width), np.float32)
    map_ids(view, boxes, found, tile_depth, tile_surface, rows, deep)
    return Image(rgb, rows if ids else None, deep if depth else None)


def check_drawing(antialias: int, shadows: str) -> int:
    """Return the rays along a pixel's side; refuse what cannot be drawn."""
    if isinstance(antialias, bool) or not isinstance(antialias, int | np.integer) or not 1 <= antialias <= SAMPLES_MAX:
        raise InvalidInput(f"antialias is {antialias!r}; it is the number of rays along a pixel's side, 1..{SAMPLES_MAX}")
    if shadows not in SHADOWS:
        raise InvalidInput(f"shadows is {shadows!r}; choose one of {', '.join(SHADOWS)}")
    return int(antialias)


@cache
def table() -> NDArray[np.uint8]:
    return srgb_table()


def to_grey(rgb: ArrayLike) -> NDArray[np.uint8]:
    """Return the grey (...) of sRGB bytes (..., 3): 0.299 red + 0.587 green + 0.114 blue."""
    colour = np.asarray(rgb)
    if colour.dtype != np.uint8 or colour.shape[-1:] != (3,):
        raise InvalidInput(f"a picture is uint8 (..., 3), got {colour.dtype} {colour.shape}")
    red, green, blue = (colour[..., k] * weight for k, weight in enumerate(LUMA))
    return np.rint(red + green + blue).astype(np.uint8)


def warm_up() -> None:
    """Compile every kernel of this room, or load it from the cache."""
    entries = (draw, map_ids, measure_boxes, measure_shadows, fill_grid, mix, project, enter)
    with follow_compilation("rendering kernels", *entries):
        use_kernels()


def use_kernels() -> None:
    """Call every kernel of this room."""
    camera = Camera(eye=(1.0, 0.0, 1.0), target=(0.0, 0.0, 0.0), width=8, height=8)
    render_image([(1.0, 1.0, 0.1)], [(0, 0, 0.05)], [(1, 0, 0, 0)], camera, wood_look(0), shadows="soft", ids=True)
    sample(np.zeros((1, 1, 3), np.float32), np.zeros((1, 2), np.float32))
    project_grid(np.ones((1, 3)), np.ones((1, 2, 3)), (1, 1), camera)
    meet_faces(np.ones((1, 3)), np.ones((1, 2, 3)), np.ones((1, 3)), (1, 1))
