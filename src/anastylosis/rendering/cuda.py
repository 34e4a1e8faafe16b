"""Pictures on a GPU: the kernels of the CPU, one pixel a thread, from poses that are there.

Boxes and grids of worlds are laid out as on the CPU, the world axis first: the threads of a warp draw neighbouring pixels of one
picture and want the same numbers. Only the poses, which belong to the physics, have it last.
"""

import logging
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
from numba import cuda
from numpy.typing import NDArray

from anastylosis.gpu import DevicePoses, GpuArrays, as_on_cpu, gpu_entry
from anastylosis.rendering.boxes import (
    UNIT_TOLERANCE,
    DrawnBoxes,
    Projection,
    build_boxes,
    build_projection,
    measure_boxes,
    naming_world,
    quaternion_length,
)
from anastylosis.rendering.camera import REACH_MAX, Camera
from anastylosis.rendering.cast import map_tile
from anastylosis.rendering.image import Image, table
from anastylosis.rendering.look import Look, Paint, block_side, mix_paint
from anastylosis.rendering.shade import draw_tile
from anastylosis.rendering.sun import CELLS, Sun, count_cells, disc_rays, fill_grid, measure_shadows, sun_axes, sun_tangent

log = logging.getLogger("anastylosis")

Tuple = TypeVar("Tuple", bound=tuple)

# Threads that draw, at most, each one pixel after the other: an A100 has room for twice as many, if they used few registers.
LANES = 131_072
SCRATCH = 256_000_000  # [B] of what they note of their pixels, all together, at most
# What is told of a world: its present boxes; a block that cannot be drawn, or -1; boxes in all cells of its grid.
COUNT, TROUBLE, ENTRIES = 0, 1, 2

cells_for = numba.njit(count_cells)


class Scratch(NamedTuple):
    """Scratch arrays of the threads, the thread axis last: the boxes near a pixel, depth and surface of its samples."""

    found: Any  # (B, T)
    depth: Any  # (samples, T)
    surface: Any  # (samples, T)


class RenderBatch(NamedTuple):
    """Poses and looks of all worlds on the GPU, the world axis first."""

    view: Projection
    boxes: DrawnBoxes
    sun: Sun
    paint: Paint  # of the present blocks
    status: Any  # (W, 3)


@numba.njit
def view_of(view, w):
    return Projection(
        view.eye[w], view.corner[w], view.across[w], view.down[w], view.ahead[w], view.width[w], view.height[w], view.pixel[w]
    )  # fmt: skip


@numba.njit
def boxes_of(boxes, w, begin, end):
    """Return the boxes begin..end of a world."""
    return DrawnBoxes(
        boxes.row[w, begin:end], boxes.solid[w, begin:end], boxes.ray[w, begin:end], boxes.bounds[w, begin:end],
        boxes.reach[w, begin:end], boxes.depth[w, begin:end],
    )  # fmt: skip


@numba.njit
def sun_of(sun, w, count):
    cells = sun.cells[w]
    return Sun(
        sun.direction[w], sun.box[w, :count], sun.order[w, :count], sun.tangent[w], sun.rays[w], sun.low[w], sun.cell[w], cells,
        sun.start[w, : cells * cells + 1], sun.entry[w],
    )  # fmt: skip


@numba.njit
def paint_of(paint, w):
    return Paint(
        paint.material[w], paint.tone[w], paint.grain[w], paint.seed[w], paint.fineness[w], paint.edge[w], paint.edge_width[w],
        paint.floor[w], paint.backdrop[w], paint.middle[w], paint.fade[w], paint.sunlight[w], paint.sun[w], paint.sky[w],
        paint.bounce[w], paint.occlusion[w], paint.nearness[w], paint.exposure[w],
    )  # fmt: skip


@numba.njit
def is_sound(position, orientation):
    """Check a pose by the rules of `build_boxes`. NaN is not sound."""
    for i in range(3):
        if not abs(position[i]) <= REACH_MAX:
            return False
    return abs(quaternion_length(orientation) - 1.0) <= UNIT_TOLERANCE


@gpu_entry
def place_boxes(view, size, position, orientation, present, all_paint, boxes, paint, status):
    """Put block b of world w, which one thread has, behind the present ones before it."""
    blocks, worlds = present.shape
    n = cuda.grid(1)
    b = n // worlds
    w = n - b * worlds
    if b < blocks:
        k = 0
        for before in range(b):
            if present[before, w]:
                k += 1
        if b == blocks - 1:
            status[w, COUNT] = k + 1 if present[b, w] else k
        if present[b, w]:
            boxes.row[w, k] = b
            paint.grain[w, k] = all_paint.grain[w, b]
            for i in range(3):
                paint.tone[w, k, i] = all_paint.tone[w, b, i]
            for i in range(6):
                paint.seed[w, k, i] = all_paint.seed[w, b, i]
            inside = 0
            if is_sound(position[b, :, w], orientation[b, :, w]):
                inside = measure_boxes(
                    view_of(view, w), size[w, b : b + 1], position[b : b + 1, :, w], orientation[b : b + 1, :, w],
                    all_paint.nearness[w], boxes_of(boxes, w, k, k + 1),
                )  # fmt: skip
            if inside >= 0:
                status[w, TROUBLE] = b


@gpu_entry
def measure_suns(boxes, sun, status):
    """Lay the grid of world w, which thread w has."""
    w = cuda.grid(1)
    if w < status.shape[0]:
        count = status[w, COUNT]
        sun.cells[w] = cells_for(count)
        measure_shadows(boxes_of(boxes, w, 0, count), sun_of(sun, w, count))


@gpu_entry
def order_boxes(sun, status):
    """Put box k of world w, which one thread has, in its place: the nearest to the sun first, equal ones as they come."""
    worlds, blocks = sun.order.shape
    n = cuda.grid(1)
    w = n // blocks
    k = n - w * blocks
    if w < worlds and k < status[w, COUNT]:
        here, place = sun.box[w, k, 3], 0
        for other in range(status[w, COUNT]):
            there = sun.box[w, other, 3]
            if there > here or (there == here and other < k):
                place += 1
        sun.order[w, place] = k


@gpu_entry
def fill_grids(boxes, sun, status, write):
    """Count the boxes in each cell of world w, which thread w has; with `write`, put them there."""
    w = cuda.grid(1)
    if w < status.shape[0]:
        count = status[w, COUNT]
        fill_grid(boxes_of(boxes, w, 0, count), sun_of(sun, w, count), write)
        status[w, ENTRIES] = sun.start[w, sun.cells[w] * sun.cells[w]]


@numba.njit
def find_pixel(n, height, width):
    """Return world, line and column of pixel n of all pictures."""
    line = n // width
    w = line // height
    return w, line - w * height, n - line * width


@gpu_entry
def draw_pixels(view, boxes, sun, paint, status, shadows, samples, table, found, depth, surface, rgb):
    """Fill `rgb` (worlds, height, width, 3), each thread every n-th pixel. A pixel is a tile of its own."""
    worlds, height, width = rgb.shape[:3]
    t, threads = cuda.grid(1), found.shape[1]
    if t < threads:
        for n in range(t, worlds * height * width, threads):
            w, top, left = find_pixel(n, height, width)
            count = status[w, COUNT]
            draw_tile(
                view_of(view, w), boxes_of(boxes, w, 0, count), sun_of(sun, w, count), paint_of(paint, w), shadows, samples,
                table, left, top, 1, 1, found[:, t], depth[:, t], surface[:, t], rgb[w],
            )  # fmt: skip


@gpu_entry
def map_pixels(view, boxes, status, found, tile_depth, tile_surface, ids, depth):
    """Fill `ids` and `depth` (worlds, height, width), as `draw_pixels` does."""
    worlds, height, width = ids.shape
    t, threads = cuda.grid(1), found.shape[1]
    if t < threads:
        for n in range(t, worlds * height * width, threads):
            w, top, left = find_pixel(n, height, width)
            count = status[w, COUNT]
            map_tile(
                view_of(view, w), boxes_of(boxes, w, 0, count), left, top, 1, 1, found[:, t], tile_depth[:, t],
                tile_surface[:, t], ids[w], depth[w],
            )  # fmt: skip


def draw_worlds(
    poses: DevicePoses, cameras: Sequence[Camera], looks: Sequence[Look], samples: int, shadows: str, *, ids: bool, depth: bool
) -> Image:
    """Draw a picture of every world, as `render_image` draws it."""
    announce()
    batch = place_worlds(poses, cameras, looks, shadows)
    batch = build_grids(batch)
    worlds, blocks = poses.size.shape[:2]
    shape = (worlds, cameras[0].height, cameras[0].width)
    scratch = room_to_note(blocks, samples, shape)
    grid = GpuArrays.grid_for(scratch.found.shape[1])
    rgb = room((*shape, 3), np.uint8)
    with as_on_cpu():
        draw_pixels[grid](*batch, shadows != "none", samples, cuda.to_device(table()), *scratch, rgb)
    if not (ids or depth):
        return Image(rgb.copy_to_host())
    rows, deep = room(shape, np.int32), room(shape, np.float32)
    with as_on_cpu():
        map_pixels[grid](batch.view, batch.boxes, batch.status, *scratch, rows, deep)
    return Image(rgb.copy_to_host(), rows.copy_to_host() if ids else None, deep.copy_to_host() if depth else None)


def place_worlds(poses: DevicePoses, cameras: Sequence[Camera], looks: Sequence[Look], shadows: str) -> RenderBatch:
    """Send what a picture has beside its poses, and measure the boxes; refuse worlds that cannot be drawn."""
    worlds, blocks = poses.size.shape[:2]
    sides = [block_side(size) for size in poses.size]
    every = np.arange(blocks, dtype=np.int32)
    mixed = [mix_paint(look, every, blocks, side, camera, {}) for look, side, camera in zip(looks, sides, cameras, strict=True)]
    view, all_paint = send_stacked(list(map(build_projection, cameras))), send_stacked(mixed)
    paint = all_paint._replace(
        tone=room((worlds, blocks, 3)), grain=room((worlds, blocks)), seed=room((worlds, blocks, 6))
    )  # fmt: skip
    boxes = DrawnBoxes(
        row=room((worlds, blocks), np.int32), solid=room((worlds, blocks, 16)), ray=room((worlds, blocks, 12)),
        bounds=room((worlds, blocks, 4), np.int64), reach=room((worlds, blocks, 4), np.int64), depth=room((worlds, blocks)),
    )  # fmt: skip
    status = cuda.to_device(np.tile(np.array([0, -1, 0]), (worlds, 1)))
    with as_on_cpu():
        place_boxes[GpuArrays.grid_for(worlds * blocks)](
            view, cuda.to_device(np.ascontiguousarray(poses.size)), poses.position, poses.orientation, poses.present, all_paint,
            boxes, paint, status,
        )  # fmt: skip
    refuse_worlds(poses, cameras, [one.nearness for one in mixed], status.copy_to_host())
    return RenderBatch(view, boxes, room_for_suns(looks, blocks, shadows), paint, status)


def refuse_worlds(poses: DevicePoses, cameras: Sequence[Camera], nearness: Sequence[float], status: NDArray[np.int64]) -> None:
    """Raise `InvalidStructure` for the first world that cannot be drawn; the CPU finds out why."""
    for w in np.flatnonzero((status[:, COUNT] == 0) | (status[:, TROUBLE] >= 0)).tolist():
        position, orientation, present = (GpuArrays.download(array)[w] for array in poses[1:4])
        with naming_world(w):
            build_boxes(poses.size[w], position, orientation, present, cameras[w], nearness[w])


def room_for_suns(looks: Sequence[Look], blocks: int, shadows: str) -> Sun:
    """Send the light of every look, and make room for the grids."""
    worlds = len(looks)
    angles = [(look.light_azimuth, look.light_elevation) for look in looks]
    tangents = [sun_tangent(look.light_radius, shadows) for look in looks]
    cells = max(map(count_cells, range(1, min(blocks, CELLS * CELLS) + 1)))
    return Sun(
        direction=cuda.to_device(np.stack([sun_axes(*pair) for pair in angles])), box=room((worlds, blocks, 6)),
        order=room((worlds, blocks), np.int64), tangent=cuda.to_device(np.array(tangents)),
        rays=cuda.to_device(np.stack([disc_rays(*pair, tangent) for pair, tangent in zip(angles, tangents, strict=True)])),
        low=room((worlds, 2)), cell=room((worlds, 2)), cells=room(worlds, np.int64),
        start=room((worlds, cells * cells + 1), np.int64), entry=room((worlds, 1), np.int32),
    )  # fmt: skip


def build_grids(batch: RenderBatch) -> RenderBatch:
    """Lay the boxes of every world into the grid of its sun, as `build_sun` does."""
    boxes, sun, status = batch.boxes, batch.sun, batch.status
    worlds, blocks = sun.order.shape
    with as_on_cpu():
        measure_suns[GpuArrays.grid_for(worlds)](boxes, sun, status)
        order_boxes[GpuArrays.grid_for(worlds * blocks)](sun, status)
        fill_grids[GpuArrays.grid_for(worlds)](boxes, sun, status, False)
        entries = int(status.copy_to_host()[:, ENTRIES].max())
        sun = sun._replace(entry=room((worlds, max(entries, 1)), np.int32))
        fill_grids[GpuArrays.grid_for(worlds)](boxes, sun, status, True)
    return batch._replace(sun=sun)


def room_to_note(blocks: int, samples: int, shape: tuple[int, int, int]) -> Scratch:
    """Make scratch arrays for as many threads as are worth having."""
    each = 4 * blocks + 12 * samples * samples
    threads = min(int(np.prod(shape)), LANES, max(32, SCRATCH // each))
    return Scratch(
        room((blocks, threads), np.int32), room((samples * samples, threads)), room((samples * samples, threads), np.int32)
    )  # fmt: skip


def room(shape: int | tuple[int, ...], dtype: Any = np.float64) -> Any:
    """Make an array on the GPU with anything in it."""
    return cuda.device_array(shape, dtype)


def send_stacked(many: Sequence[Tuple]) -> Tuple:
    """Send tuples of W worlds as one tuple of arrays (W, ...) on the GPU."""
    return type(many[0])(*(cuda.to_device(np.stack(field)) for field in zip(*many, strict=True)))


@cache
def announce() -> None:
    """Announce, once, that the first picture will take a while."""
    log.warning("compiling the picture kernels for the GPU, once in each process: about half a minute ...")
