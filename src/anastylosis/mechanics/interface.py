"""Interfaces: the polygons in which faces of blocks meet each other or the floor.

Face on face only. An edge or a corner on a face is no interface here, although a falling block rests on them: this room
is about what stands.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.mechanics.polygon import Point, clip_half_plane, corner_area, cross
from anastylosis.structure import Structure

FLOOR = -1  # stands for the floor where a block's row is expected
# Faces this near, apart or inside each other, count as touching [m]. Settled simulated towers have gaps of 0.1 mm and
# penetrations of 0.05 mm; neighbours of a course are 1.5 mm apart and must not touch.
GAP_TOLERANCE = 3e-4
FACE_ANGLE = math.radians(3.0)  # faces this far from parallel still count as facing each other [rad]
SPARE = 1e-9  # a corner this near to another, or to the line between its neighbours, is not one [m]
UP = np.array((0.0, 0.0, 1.0))


class Interface(NamedTuple):
    """One contact polygon."""

    first: int  # row of a block, or FLOOR; always below `second`, which in a tower is the upper block
    second: int  # row of a block
    normal: Floats  # (3,) unit vector from first to second, world axes: the mean of the two faces' normals
    friction: float  # of the pair: geometric mean
    vertices: Floats  # (K, 3) corners in world axes [m], midway between the faces, counter-clockwise seen against `normal`
    area: float  # [m^2]

    @staticmethod
    def keep_blocks(interfaces: "Sequence[Interface]", keep: NDArray[np.bool_]) -> "tuple[Interface, ...]":
        """Return the interfaces between the blocks of a mask, (B,), with rows as `Structure.select` numbers them.

        Where two blocks meet does not depend on others, so that one search serves every part of a structure.
        """
        row = [*(np.cumsum(keep) - 1).tolist(), FLOOR]  # the last is the floor's, FLOOR = -1
        there = [*keep.tolist(), True]
        left = (face for face in interfaces if there[face.first] and there[face.second])
        return tuple(face._replace(first=row[face.first], second=row[face.second]) for face in left)


def find_interfaces(structure: Structure, *, tolerance: float = GAP_TOLERANCE) -> tuple[Interface, ...]:
    """Find every contact polygon of a structure: the floor's first, then pair by pair in the order of the rows.

    Faces meet where they are within `tolerance` [m] of each other, apart or inside, and within 3 degrees of parallel. Of
    faces that are tilted against each other only the part within the tolerance is kept. What is narrower than the tolerance
    is an edge and is left out. Two boxes meet in one face pair, the one with the largest area.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise InvalidInput(f"tolerance is {tolerance:g} m: it must be above 0, about as large as the gaps of the poses")
    corners = structure.corners()
    axes = make_matrices(structure.orientation)
    low = np.flatnonzero(corners[:, :, 2].min(axis=1) <= tolerance).tolist()
    found = [meet_floor(structure, axes, row, tolerance) for row in low]
    found += [meet_faces(structure, axes, *faces, tolerance) for faces in facing_faces(structure, axes, corners, tolerance)]

    best: dict[tuple[int, int], Interface] = {}
    for interface in found:
        if interface is not None:
            pair = (interface.first, interface.second)
            if pair not in best or interface.area > best[pair].area:
                best[pair] = interface
    return tuple(best[pair] for pair in sorted(best))


def facing_faces(structure: Structure, axes: Floats, corners: Floats, tolerance: float) -> list[tuple[int, int, int, int]]:
    """List (a, b, i, j), a < b: axis i of block a and axis j of block b are parallel, and the faces between may touch."""
    low, high = corners.min(axis=1) - tolerance / 2, corners.max(axis=1) + tolerance / 2
    near = np.logical_and.reduce([(low[:, None, k] <= high[:, k]) & (low[:, k] <= high[:, None, k]) for k in range(3)])
    a, b = np.nonzero(np.triu(near, 1))
    cosine = np.abs(axes[a].swapaxes(-1, -2) @ axes[b])  # (P, 3, 3) between axis i of a and axis j of b
    pair, i, j = np.nonzero(cosine >= math.cos(FACE_ANGLE))
    a, b, cosine = a[pair], b[pair], cosine[pair, i, j]
    # Gap between the faces along axis i, at the middle of the face of b; by how much it can differ elsewhere on the face.
    half = structure.blocks.size / 2
    apart = np.abs(np.einsum("pk,pk->p", structure.position[b] - structure.position[a], axes[a, :, i]))
    gap = apart - half[a, i] - half[b, j] * cosine
    slope = np.sqrt(np.maximum(0.0, 1 - cosine**2))
    reach = np.linalg.norm(half[b], axis=1)
    keep = np.abs(gap) <= tolerance + slope * reach + 1e-12
    return list(zip(a[keep].tolist(), b[keep].tolist(), i[keep].tolist(), j[keep].tolist(), strict=True))


def meet_faces(structure: Structure, axes: Floats, a: int, b: int, i: int, j: int, tolerance: float) -> Interface | None:
    """Return the polygon in which the faces of a and b between them meet; i and j are the axes of the faces.

    Worked in the frame of a's face: u, v in the face, the gap along its outward normal.
    """
    half_a, half_b = structure.blocks.size[a] / 2, structure.blocks.size[b] / 2
    towards = structure.position[b] - structure.position[a]
    normal = axes[a, :, i] * (1.0 if towards @ axes[a, :, i] >= 0 else -1.0)
    inward = axes[b, :, j] * (1.0 if normal @ axes[b, :, j] >= 0 else -1.0)  # into b, so about the normal
    middle = towards - half_b[j] * inward - half_a[i] * normal  # of b's face, from the middle of a's
    face = middle + face_corners(half_b, axes[b], j)
    i1, i2 = (i + 1) % 3, (i + 2) % 3
    u, v = axes[a, :, i1], axes[a, :, i2] * (1.0 if towards @ axes[a, :, i] >= 0 else -1.0)  # u x v is the normal

    corners = counter_clockwise(list(zip((face @ u).tolist(), (face @ v).tolist(), strict=True)))
    for nu, nv, limit in ((1.0, 0.0, half_a[i1]), (-1.0, 0.0, half_a[i1]), (0.0, 1.0, half_a[i2]), (0.0, -1.0, half_a[i2])):
        corners = clip_half_plane(corners, nu, nv, float(limit))
    # The gap is linear in u and v: (middle - p) . inward = 0 on b's face, with p = u u + v v + gap normal.
    tilt = float(inward @ normal)
    at_origin, along_u, along_v = float(middle @ inward) / tilt, -float(u @ inward) / tilt, -float(v @ inward) / tilt
    corners = drop_spare(clip_gap(corners, at_origin, along_u, along_v, tolerance))
    if not is_wide(corners, tolerance):
        return None

    origin = structure.position[a] + half_a[i] * normal
    vertices = [origin + p * u + q * v + (at_origin + along_u * p + along_v * q) / 2 * normal for p, q in corners]
    between = normal + inward
    friction = math.sqrt(structure.blocks.friction[a] * structure.blocks.friction[b])
    return Interface(a, b, between / np.linalg.norm(between), friction, np.array(vertices), corner_area(corners))


def meet_floor(structure: Structure, axes: Floats, row: int, tolerance: float) -> Interface | None:
    """Return the polygon in which the lowest face of a block meets the floor."""
    j = int(np.abs(axes[row, 2]).argmax())
    inward = axes[row, :, j] * (1.0 if axes[row, 2, j] >= 0 else -1.0)
    if inward[2] < math.cos(FACE_ANGLE):
        return None
    half = structure.blocks.size[row] / 2
    middle = structure.position[row] - half[j] * inward
    face = face_corners(half, axes[row], j)[:, :2]

    corners = counter_clockwise([(x, y) for x, y in face.tolist()])
    at_middle, along_x, along_y = float(middle[2]), -float(inward[0] / inward[2]), -float(inward[1] / inward[2])
    corners = drop_spare(clip_gap(corners, at_middle, along_x, along_y, tolerance))
    if not is_wide(corners, tolerance):
        return None

    vertices = [(middle[0] + x, middle[1] + y, (at_middle + along_x * x + along_y * y) / 2) for x, y in corners]
    between = inward + UP
    friction = math.sqrt(structure.floor.friction * structure.blocks.friction[row])
    return Interface(FLOOR, row, between / np.linalg.norm(between), friction, np.array(vertices), corner_area(corners))


def face_corners(half: Floats, axes: Floats, axis: int) -> Floats:
    """Return corners (4, 3) of a box's face across an axis, from the middle of the face [m]; `half` (3,), `axes` (3, 3)."""
    side_1, side_2 = (half[k] * axes[:, k] for k in ((axis + 1) % 3, (axis + 2) % 3))
    return np.stack((side_1 + side_2, side_2 - side_1, -side_1 - side_2, side_1 - side_2))


def counter_clockwise(corners: list[Point]) -> list[Point]:
    return corners if corner_area(corners) >= 0 else corners[::-1]


def clip_gap(corners: list[Point], at_origin: float, along_u: float, along_v: float, tolerance: float) -> list[Point]:
    """Return the part of a face in which the gap, at_origin + along_u u + along_v v, is within the tolerance."""
    # Rounding must not cut the corners off a face that is just as far away as it may be.
    limit = tolerance * (1 + 1e-9)
    corners = clip_half_plane(corners, along_u, along_v, limit - at_origin)
    return clip_half_plane(corners, -along_u, -along_v, limit + at_origin)


def drop_spare(corners: list[Point]) -> list[Point]:
    """Return the corners without those made by rounding alone: on top of the one before, or within an edge."""
    apart = [corner for before, corner in zip(turn_back(corners), corners, strict=True) if math.dist(before, corner) > SPARE]
    three = zip(turn_back(apart), apart, apart[1:] + apart[:1], strict=True)
    return [corner for before, corner, after in three if cross(before, corner, after) > SPARE * math.dist(before, after)]


def turn_back(corners: list[Point]) -> list[Point]:
    """Return the corner before each corner."""
    return corners[-1:] + corners[:-1]


def is_wide(corners: list[Point], width: float) -> bool:
    """Return whether a convex polygon is a face and not an edge: its area over its diameter is about its width, or half of it."""
    if len(corners) < 3:
        return False
    diameter = max(math.dist(p, q) for p in corners for q in corners)
    return corner_area(corners) > width * diameter
