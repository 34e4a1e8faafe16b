"""Boxes: the present blocks of one scene, checked, as the kernels want them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidStructure
from anastylosis.kernel import entry, kernel
from anastylosis.rendering.camera import REACH_MAX, Camera

BLOCKS_MAX = 20_000  # blocks in one picture
UNIT_TOLERANCE = 1e-6  # how far a quaternion's length may be from 1
NEAR = 1e-4  # [m] a corner nearer than this to the plane of the eye cannot be projected


class DrawnBoxes(NamedTuple):
    """N boxes, in the order of their rows."""

    row: NDArray[np.int32]  # (N,) which row of the scene each is
    # (N, 16) centre [m], half sizes [m], rotation from body to world with [6 + 3 * i + j] = R_ij, radius [m]: side by
    # side in memory, as rays want them
    solid: Floats
    ray: Floats  # (N, 12) in body axes: the eye from the centre; the corner, across and down of the view
    bounds: NDArray[np.int64]  # (N, 4) pixels that may see it: left, top, right, bottom (the last two beyond)
    reach: NDArray[np.int64]  # (N, 4) pixels that may see what it shades from the sky
    depth: Floats  # (N,) of its centre [m]


class Projection(NamedTuple):
    """Camera as the kernels want it: the ray at pixel (x, y) is corner + x across + y down, one metre deep."""

    eye: Floats  # (3,) [m]
    corner: Floats  # (3,)
    across: Floats  # (3,)
    down: Floats  # (3,)
    ahead: Floats  # (3,) unit vector along the viewing axis
    width: int
    height: int
    pixel: float  # metres a pixel covers at a depth of one metre


def build_projection(camera: Camera) -> Projection:
    right, down, ahead = camera.axes
    pixel = camera.pixel_size
    corner = ahead - (camera.width / 2 * pixel) * right - (camera.height / 2 * pixel) * down
    return Projection(np.array(camera.eye), corner, pixel * right, pixel * down, ahead, camera.width, camera.height, pixel)


def build_boxes(
    sizes: ArrayLike, position: ArrayLike, orientation: ArrayLike, present: ArrayLike | None, camera: Camera, nearness: float
) -> DrawnBoxes:
    """Build the boxes of the present blocks, checked; `nearness` [m] is how far they shade each other from the sky."""
    size = take(sizes, "sizes", (-1, 3))
    count = len(size)
    if count > BLOCKS_MAX:
        raise InvalidStructure(f"{count} blocks are too many for one picture; draw at most {BLOCKS_MAX}")
    if count == 0:
        raise InvalidStructure("there are no blocks to draw; give at least one")
    mask = np.ones(count, bool) if present is None else np.asarray(present)
    if mask.shape != (count,) or mask.dtype != bool:
        raise InvalidStructure(f"present is {mask.dtype} of shape {mask.shape}, expected bool of shape ({count},)")
    row = np.flatnonzero(mask).astype(np.int32)
    if len(row) == 0:
        raise InvalidStructure("no block is present; a picture needs at least one")
    # Blocks that are gone may have any pose: what is checked is what is drawn.
    size = size[row]
    centre = take(position, "position", (count, 3))[row]
    quaternion = take(orientation, "orientation", (count, 4))[row]
    for values, name in ((size, "size"), (centre, "position"), (quaternion, "orientation")):
        refuse(~np.isfinite(values), values, row, name, "must be a finite number")
    refuse(size <= 0, size, row, "size", "must be above 0 m in each direction")
    for values, name in ((size, "size"), (centre, "position")):
        refuse(np.abs(values) > REACH_MAX, values, row, name, f"must be within {REACH_MAX:g} m")
    length = np.sqrt((quaternion * quaternion).sum(axis=1))
    off = np.abs(length - 1) > UNIT_TOLERANCE
    refuse(off[:, None], length[:, None], row, "length of the orientation", "must be 1: divide the quaternion by its length")
    count = len(row)
    boxes = DrawnBoxes(
        row=row, solid=np.empty((count, 16)), ray=np.empty((count, 12)), bounds=np.empty((count, 4), np.int64),
        reach=np.empty((count, 4), np.int64), depth=np.empty(count),
    )  # fmt: skip
    inside = measure_boxes(build_projection(camera), size, centre, quaternion, nearness, boxes)
    if inside >= 0:
        raise InvalidStructure(f"the eye of the camera is inside block {row[inside]}; move the camera back")
    return boxes


@contextmanager
def naming_world(world: int) -> Iterator[None]:
    """Add the number of the world to errors raised within."""
    try:
        yield
    except InvalidStructure as error:
        raise InvalidStructure(f"world {world}: {error}") from None


def take(values: ArrayLike, name: str, shape: tuple[int, ...]) -> Floats:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidStructure(f"{name} is not an array of numbers") from None
    if array.ndim != len(shape) or any(want not in (-1, got) for got, want in zip(array.shape, shape, strict=True)):
        wanted = ", ".join("any" if n == -1 else str(n) for n in shape)
        raise InvalidStructure(f"{name} has shape {array.shape}, expected ({wanted})")
    return array


def refuse(bad: NDArray[np.bool_], values: Floats, row: NDArray[np.int32], name: str, remedy: str) -> None:
    """Raise `InvalidStructure` naming the first block whose value is bad."""
    if bad.any():
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidStructure(f"{name} of block {row[first[0]]} is {values[first]:g}: it {remedy}")


@entry
def measure_boxes(view, size, centre, quaternion, nearness, boxes):
    """Fill `boxes` from sizes, centres and quaternions (N, ...); return the box that the eye is in (-1: none)."""
    inside = -1
    for k in range(size.shape[0]):
        s, ray = boxes.solid[k], boxes.ray[k]
        for i in range(3):
            s[i], s[3 + i] = centre[k, i], 0.5 * size[k, i]
        fill_rotation(quaternion[k], s)
        s[15] = math.sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5])
        to_body(s, view.eye[0] - s[0], view.eye[1] - s[1], view.eye[2] - s[2], ray, 0)
        to_body(s, view.corner[0], view.corner[1], view.corner[2], ray, 3)
        to_body(s, view.across[0], view.across[1], view.across[2], ray, 6)
        to_body(s, view.down[0], view.down[1], view.down[2], ray, 9)
        if abs(ray[0]) <= s[3] and abs(ray[1]) <= s[4] and abs(ray[2]) <= s[5]:
            inside = k
        find_bounds(view, s, 0.0, boxes.bounds[k])
        find_bounds(view, s, nearness, boxes.reach[k])
        a = view.ahead
        boxes.depth[k] = (s[0] - view.eye[0]) * a[0] + (s[1] - view.eye[1]) * a[1] + (s[2] - view.eye[2]) * a[2]
    return inside


@kernel
def quaternion_length(q):
    return math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])


@kernel
def fill_rotation(q, s):
    """Fill s[6:15] with the rotation matrix of a quaternion (w, x, y, z), made of unit length. Paper Eq. (1)."""
    length = quaternion_length(q)
    w, x, y, z = q[0] / length, q[1] / length, q[2] / length, q[3] / length
    s[6], s[7], s[8] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)
    s[9], s[10], s[11] = 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)
    s[12], s[13], s[14] = 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)


@kernel
def to_body(s, x, y, z, out, first):
    """Fill three places of `out` with R^T v: a world vector in the axes of the box `s`."""
    out[first] = s[6] * x + s[9] * y + s[12] * z
    out[first + 1] = s[7] * x + s[10] * y + s[13] * z
    out[first + 2] = s[8] * x + s[11] * y + s[14] * z


@kernel
def find_bounds(view, s, more, bounds):
    """Return the pixels left, top, right, bottom around a box grown by `more` [m]; all pixels if a corner is behind the eye."""
    low_x = low_y = math.inf
    high_x = high_y = -math.inf
    behind = 0
    scale = 1.0 / (view.pixel * view.pixel)
    for corner in range(8):
        bx = (s[3] + more) * (2.0 * (corner & 1) - 1.0)
        by = (s[4] + more) * ((corner & 2) - 1.0)
        bz = (s[5] + more) * (0.5 * (corner & 4) - 1.0)
        x = s[0] + s[6] * bx + s[7] * by + s[8] * bz - view.eye[0]
        y = s[1] + s[9] * bx + s[10] * by + s[11] * bz - view.eye[1]
        z = s[2] + s[12] * bx + s[13] * by + s[14] * bz - view.eye[2]
        depth = x * view.ahead[0] + y * view.ahead[1] + z * view.ahead[2]
        if depth < NEAR:
            behind += 1
            continue
        u = scale * (x * view.across[0] + y * view.across[1] + z * view.across[2]) / depth + 0.5 * view.width
        v = scale * (x * view.down[0] + y * view.down[1] + z * view.down[2]) / depth + 0.5 * view.height
        low_x, high_x = min(low_x, u), max(high_x, u)
        low_y, high_y = min(low_y, v), max(high_y, v)
    if behind == 8:
        low_x = low_y = high_x = high_y = -2.0
    elif behind > 0:
        low_x, low_y, high_x, high_y = 0.0, 0.0, float(view.width), float(view.height)
    # One pixel to spare: what is beside the bounds is never looked at.
    bounds[0] = int(min(max(low_x - 1.0, 0.0), view.width))
    bounds[1] = int(min(max(low_y - 1.0, 0.0), view.height))
    bounds[2] = int(min(max(high_x + 2.0, 0.0), view.width))
    bounds[3] = int(min(max(high_y + 2.0, 0.0), view.height))
