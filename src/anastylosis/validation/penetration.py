"""Penetration: how deep blocks are in each other and in the floor. An oracle that shares no code with the engine.

Two boxes are apart exactly when, along one of 15 axes (3 face normals each, 9 cross products of edges),
their shadows are apart; otherwise the smallest overlap of shadows is the depth, the shortest way out.
Gottschalk, Lin and Manocha (1996), OBBTree, section 5; Ericson (2005), Real-Time Collision Detection, section 4.4.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray


def deepest_penetration(position: ArrayLike, orientation: ArrayLike, size: ArrayLike) -> NDArray[np.float64]:
    """Return the depth [m] of the deepest overlap of each frame, (T,): 0 where none is, NaN where a pose is not finite.

    `position` (T, B, 3) [m], `orientation` (T, B, 4) wxyz of any length above 0, `size` (B, 3) full sizes [m].
    """
    return frame_depths(*as_arrays(position, orientation, size))


def overlapping_pair(position: ArrayLike, orientation: ArrayLike, size: ArrayLike) -> tuple[float, int, int]:
    """Return (depth [m], a, b) of the deepest overlap of one frame: b is -1 for the floor, (0, -1, -1) where nothing overlaps.

    `position` (B, 3) [m], `orientation` (B, 4) wxyz, `size` (B, 3) full sizes [m].
    """
    depth, a, b = deepest_overlap(*as_arrays(position, orientation, size))
    return float(depth), int(a), int(b)


def as_arrays(*values: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Return `values` as contiguous float64, the one signature the kernels are compiled for."""
    return tuple(np.ascontiguousarray(value, dtype=np.float64) for value in values)


@njit(cache=True)
def frame_depths(position, orientation, size):
    depths = np.empty(len(position))
    for t in range(len(position)):
        depths[t] = deepest_overlap(position[t], orientation[t], size)[0]
    return depths


@njit(cache=True)
def deepest_overlap(position, orientation, size):
    """Return (depth, a, b) over the floor and all pairs of one frame."""
    count = len(size)
    axes = np.empty((count, 3, 3))  # axes[b, i]: world direction of body axis i
    radius = np.empty(count)
    deepest, block_a, block_b = 0.0, -1, -1
    for b in range(count):
        if not write_axes(axes[b], orientation[b]) or not np.isfinite(position[b]).all():
            return np.nan, b, -1
        radius[b] = 0.5 * math.sqrt(size[b, 0] ** 2 + size[b, 1] ** 2 + size[b, 2] ** 2)
        reach = 0.0  # from the centre down to the lowest corner
        for i in range(3):
            reach += 0.5 * size[b, i] * abs(axes[b, i, 2])
        if reach - position[b, 2] > deepest:
            deepest, block_a, block_b = reach - position[b, 2], b, -1
    for a in range(count):
        for b in range(a + 1, count):
            dx = position[b, 0] - position[a, 0]
            dy = position[b, 1] - position[a, 1]
            dz = position[b, 2] - position[a, 2]
            near = radius[a] + radius[b]
            if dx * dx + dy * dy + dz * dz < near * near:
                depth = overlap_beyond(deepest, dx, dy, dz, axes[a], axes[b], size[a], size[b])
                if depth > deepest:
                    deepest, block_a, block_b = depth, a, b
    return deepest, block_a, block_b


@njit(cache=True)
def write_axes(axes, q):
    """Fill `axes` with the rows R(q)^T, q = (w, x, y, z) of any length; False when q is zero or not finite."""
    norm = q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2
    if not (norm > 0.0 and math.isfinite(norm)):
        return False
    s = 2.0 / norm
    w, x, y, z = q[0], q[1], q[2], q[3]
    axes[0, 0], axes[0, 1], axes[0, 2] = 1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)
    axes[1, 0], axes[1, 1], axes[1, 2] = s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)
    axes[2, 0], axes[2, 1], axes[2, 2] = s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)
    return True


@njit(cache=True)
def overlap_beyond(least, dx, dy, dz, axes_a, axes_b, size_a, size_b):
    """Return the smallest overlap of shadows of two boxes, centres (dx, dy, dz) apart; 0 once it cannot exceed `least`."""
    depth = np.inf
    for face in range(6):
        axis = axes_a[face] if face < 3 else axes_b[face - 3]
        depth = min(depth, shadow_overlap(axis[0], axis[1], axis[2], dx, dy, dz, axes_a, axes_b, size_a, size_b))
        if depth <= least:
            return 0.0
    for i in range(3):
        for j in range(3):
            ux, uy, uz = axes_a[i, 0], axes_a[i, 1], axes_a[i, 2]
            vx, vy, vz = axes_b[j, 0], axes_b[j, 1], axes_b[j, 2]
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            length = math.sqrt(nx * nx + ny * ny + nz * nz)
            if length < 1e-6:  # parallel edges: a face normal already separates whatever this axis would
                continue
            overlap = shadow_overlap(nx / length, ny / length, nz / length, dx, dy, dz, axes_a, axes_b, size_a, size_b)
            depth = min(depth, overlap)
            if depth <= least:
                return 0.0
    return depth


@njit(cache=True)
def shadow_overlap(nx, ny, nz, dx, dy, dz, axes_a, axes_b, size_a, size_b):
    """Measure by how much the two boxes' shadows on the unit axis n overlap; negative: the gap between them."""
    reach = 0.0
    for i in range(3):
        reach += 0.5 * size_a[i] * abs(nx * axes_a[i, 0] + ny * axes_a[i, 1] + nz * axes_a[i, 2])
        reach += 0.5 * size_b[i] * abs(nx * axes_b[i, 0] + ny * axes_b[i, 1] + nz * axes_b[i, 2])
    return reach - abs(nx * dx + ny * dy + nz * dz)
