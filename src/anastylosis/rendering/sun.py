"""Sunlight: a grid of cells across the rays of the sun, each with the boxes that stand in them.

The sun is a disc at infinity, or a point. A ray towards it stays in one cell, so that only the boxes of that
cell are looked at, the nearest to the sun first; where a cell is empty nothing is looked at at all.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.kernel import entry, inlined, kernel
from anastylosis.rendering.boxes import DrawnBoxes, to_body
from anastylosis.rendering.cast import slab

CELLS = 64  # cells along a side of the grid, at most
ENTRIES_MAX = 4_000_000  # boxes in all cells together, at most: with many boxes there are fewer cells
# A ray starts this far [m] from its surface: blocks that touch do not shade the face they touch with.
START = 1e-6
SETS = 4  # of directions to points of the sun's disc, a power of 2; neighbouring samples take different ones
RAYS = 16  # directions in a set


class Sun(NamedTuple):
    """Sunlight of one scene and its grid."""

    direction: Floats  # (3, 3) unit vectors: towards the sun, and two across
    # (N, 6) of each box: 1 / direction in its body axes; its highest point towards the sun [m]; how far the edge of
    # its shadow can be blurred [m]; its radius across the rays, the blur included [m]
    box: Floats
    order: NDArray[np.int64]  # (N,) boxes, the nearest to the sun first
    tangent: float  # of the angular radius; 0: hard shadows
    rays: Floats  # (SETS * RAYS, 3) unit vectors towards points of the disc
    low: Floats  # (2,) corner of the grid across the rays [m]
    cell: Floats  # (2,) side of a cell [m], and its inverse
    cells: int  # along a side
    start: NDArray[np.int64]  # (cells * cells + 1,) where the boxes of a cell begin
    entry: NDArray[np.int32]  # boxes, cell by cell


def build_sun(boxes: DrawnBoxes, azimuth: float, elevation: float, tangent: float) -> Sun:
    """Build the light at these angles [rad], with this tangent of its angular radius, and lay the boxes into its grid."""
    direction = sun_axes(azimuth, elevation)
    count = len(boxes.row)
    cells = count_cells(count)
    sun = Sun(
        direction=direction, box=np.empty((count, 6)), order=np.empty(0, np.int64), tangent=tangent,
        rays=disc_rays(azimuth, elevation, tangent), low=np.empty(2), cell=np.empty(2), cells=cells,
        start=np.zeros(cells * cells + 1, np.int64), entry=np.empty(0, np.int32),
    )  # fmt: skip
    measure_shadows(boxes, sun)
    sun = sun._replace(order=np.argsort(-sun.box[:, 3], kind="stable"))
    fill_grid(boxes, sun, False)
    sun = sun._replace(entry=np.empty(sun.start[-1], np.int32))
    fill_grid(boxes, sun, True)
    return sun


def sun_tangent(radius: float, shadows: str) -> float:
    """Return the tangent of the angular radius [rad] of the sun that makes these shadows."""
    return math.tan(radius) if shadows == "soft" else 0.0


def count_cells(count: int) -> int:
    """Return the number of cells along a side of the grid of so many boxes."""
    return int(min(float(CELLS), 4.0 * math.sqrt(count), math.sqrt(ENTRIES_MAX / count)))


def sun_axes(azimuth: float, elevation: float) -> Floats:
    """Return unit vectors (3, 3): towards the sun, and two across its rays."""
    level, rise, x, y = math.cos(elevation), math.sin(elevation), math.cos(azimuth), math.sin(azimuth)
    return np.array([(level * x, level * y, rise), (-y, x, 0.0), (-rise * x, -rise * y, level)])


@lru_cache(maxsize=16)
def disc_rays(azimuth: float, elevation: float, tangent: float) -> Floats:
    """Return unit vectors towards points spread evenly over the sun's disc: a sunflower, dealt out to the sets."""
    direction = sun_axes(azimuth, elevation)
    count = SETS * RAYS
    number = np.arange(count).reshape(RAYS, SETS).T.ravel()  # set by set, each all over the disc
    distance = tangent * np.sqrt((number + 0.5) / count)
    angle = number * (math.pi * (3 - math.sqrt(5)))
    x, y = distance * np.cos(angle), distance * np.sin(angle)
    rays = direction[0] + x[:, None] * direction[1] + y[:, None] * direction[2]
    return rays / np.sqrt((rays * rays).sum(axis=1, keepdims=True))


@entry
def measure_shadows(boxes, sun):
    """Fill `sun.box`, and lay the grid over all boxes and the blur of their shadows."""
    d = sun.direction
    low_a = low_b = math.inf
    high_a = high_b = -math.inf
    for k in range(boxes.solid.shape[0]):
        s, out = boxes.solid[k], sun.box[k]
        to_body(s, d[0, 0], d[0, 1], d[0, 2], out, 0)
        extent = abs(out[0]) * s[3] + abs(out[1]) * s[4] + abs(out[2]) * s[5]
        top = s[2] + abs(s[12]) * s[3] + abs(s[13]) * s[4] + abs(s[14]) * s[5]
        for i in range(3):
            out[i] = 1.0 / out[i]
        out[3] = s[0] * d[0, 0] + s[1] * d[0, 1] + s[2] * d[0, 2] + extent
        # The longest way of a ray from the floor to the far side of a box; half as much again for slanting rays.
        out[4] = sun.tangent * 1.5 * (max(top, 0.0) / d[0, 2] + 2.0 * extent)
        out[5] = s[15] + out[4]
        a = s[0] * d[1, 0] + s[1] * d[1, 1] + s[2] * d[1, 2]
        b = s[0] * d[2, 0] + s[1] * d[2, 1] + s[2] * d[2, 2]
        low_a, high_a = min(low_a, a - out[5]), max(high_a, a + out[5])
        low_b, high_b = min(low_b, b - out[5]), max(high_b, b + out[5])
    sun.low[0], sun.low[1] = low_a, low_b
    sun.cell[0] = max(high_a - low_a, high_b - low_b) / sun.cells
    sun.cell[1] = 1.0 / sun.cell[0]


@kernel
def column_hits(boxes, sun, k, a, b, more):
    """Return True when the line towards the sun at (a, b) of the grid comes within `more` [m] of a box."""
    s, inverse, d = boxes.solid[k], sun.box[k], sun.direction
    x = a * d[1, 0] + b * d[2, 0] - s[0]
    y = a * d[1, 1] + b * d[2, 1] - s[1]
    z = a * d[1, 2] + b * d[2, 2] - s[2]
    near_x, far_x = slab(-s[3] - more, s[3] + more, s[6] * x + s[9] * y + s[12] * z, inverse[0])
    near_y, far_y = slab(-s[4] - more, s[4] + more, s[7] * x + s[10] * y + s[13] * z, inverse[1])
    near_z, far_z = slab(-s[5] - more, s[5] + more, s[8] * x + s[11] * y + s[14] * z, inverse[2])
    return max(near_x, near_y, near_z) <= min(far_x, far_y, far_z)


@entry
def fill_grid(boxes, sun, write):
    """Count the boxes of each cell into `start`; with `write`, put them there (the counts must have been made)."""
    cells, start = sun.cells, sun.start
    if not write:
        start[:] = 0
    d, cell = sun.direction, sun.cell[0]
    corner = 0.7072 * cell  # half the diagonal of a cell
    for n in range(sun.order.shape[0]):
        k = sun.order[n]
        s = boxes.solid[k]
        more, reach = corner + sun.box[k, 4], corner + sun.box[k, 5]
        a = s[0] * d[1, 0] + s[1] * d[1, 1] + s[2] * d[1, 2] - sun.low[0]
        b = s[0] * d[2, 0] + s[1] * d[2, 1] + s[2] * d[2, 2] - sun.low[1]
        for j in range(max(0, int((b - reach) / cell)), min(cells, int((b + reach) / cell) + 1)):
            for i in range(max(0, int((a - reach) / cell)), min(cells, int((a + reach) / cell) + 1)):
                middle_a, middle_b = sun.low[0] + (i + 0.5) * cell, sun.low[1] + (j + 0.5) * cell
                if column_hits(boxes, sun, k, middle_a, middle_b, more):
                    if write:
                        sun.entry[start[j * cells + i]] = k
                    start[j * cells + i] += 1
    # Counts become the ends of cells; after writing, each start has moved to its end and moves back by one cell.
    total = 0
    if not write:
        for n in range(cells * cells + 1):
            count = start[n]
            start[n] = total
            total += count
    else:
        for n in range(cells * cells, 0, -1):
            start[n] = start[n - 1]
        start[0] = 0


@inlined
def ray_meets(s, x, y, z, ix, iy, iz, more):
    """Return True when a ray from the world point (x, y, z), 1 / direction in body axes (ix, iy, iz), meets the box `s`.

    `more` [m] is how much larger the box is taken.
    """
    x, y, z = x - s[0], y - s[1], z - s[2]
    near, far = slab(-s[3] - more, s[3] + more, s[6] * x + s[9] * y + s[12] * z, ix)
    near_y, far_y = slab(-s[4] - more, s[4] + more, s[7] * x + s[10] * y + s[13] * z, iy)
    near_z, far_z = slab(-s[5] - more, s[5] + more, s[8] * x + s[11] * y + s[14] * z, iz)
    if near_y > near:
        near = near_y
    if near_z > near:
        near = near_z
    if far_y < far:
        far = far_y
    if far_z < far:
        far = far_z
    return near <= far and far > START


@inlined
def see_sun(boxes, sun, own, turn, px, py, pz):
    """Return the share of the sun's disc seen from a point of box `own` (-1: the floor); `turn` picks the set of rays."""
    d, dense = sun.direction, sun.cell[1]
    # Whole numbers as floats until they are an index: on CUDA floor gives floats.
    a = math.floor((px * d[1, 0] + py * d[1, 1] + pz * d[1, 2] - sun.low[0]) * dense)
    b = math.floor((px * d[2, 0] + py * d[2, 1] + pz * d[2, 2] - sun.low[1]) * dense)
    if a < 0 or b < 0 or a >= sun.cells or b >= sun.cells:
        return 1.0
    place = int(b * sun.cells + a)
    begin, end = sun.start[place], sun.start[place + 1]
    if begin == end:
        return 1.0
    return pass_boxes(boxes.solid, sun, begin, end, own, turn, px, py, pz)


@kernel
def pass_boxes(solid, sun, begin, end, own, turn, px, py, pz):
    """Return the share of the sun's disc that the boxes of a cell leave.

    A box is convex, so it never shades a face of its own that looks towards the sun.
    """
    d = sun.direction
    here = px * d[0, 0] + py * d[0, 1] + pz * d[0, 2]
    blurred = False
    for n in range(begin, end):
        k = sun.entry[n]
        s, box = solid[k], sun.box[k]
        if box[3] <= here:
            break  # so are all that follow
        if k == own:
            continue
        # At the box no ray of the disc is farther than this from the middle one: if that one meets the box made so
        # much smaller all do, and if it misses the box made so much larger none does.
        more = sun.tangent * (box[3] - here)
        if more < min(s[3], s[4], s[5]) and ray_meets(s, px, py, pz, box[0], box[1], box[2], -more):
            return 0.0
        if more > 0.0 and ray_meets(s, px, py, pz, box[0], box[1], box[2], more):
            blurred = True
    if not blurred:
        return 1.0
    seen = 0
    for ray in range(turn * RAYS, (turn + 1) * RAYS):
        x, y, z = sun.rays[ray, 0], sun.rays[ray, 1], sun.rays[ray, 2]
        free = 1
        for n in range(begin, end):
            k = sun.entry[n]
            s = solid[k]
            if sun.box[k, 3] <= here:
                break
            if k == own:
                continue
            ix = 1.0 / (s[6] * x + s[9] * y + s[12] * z)
            iy = 1.0 / (s[7] * x + s[10] * y + s[13] * z)
            iz = 1.0 / (s[8] * x + s[11] * y + s[14] * z)
            if ray_meets(s, px, py, pz, ix, iy, iz, 0.0):
                free = 0
                break
        seen += free
    return seen / RAYS
