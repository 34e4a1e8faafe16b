"""Rays: the forces that contacts can give, friction cones at the corners of the contact polygons cut into rays.

A force on a face that presses and does not pull is some set of forces at the polygon's corners, each within its
friction cone. A cone is replaced by the pyramid of a few rays that lie on it, n + mu t, each taken with a weight of 0
or more: inscribed, so never stronger than Coulomb's, and weaker by at most 1 - cos(pi / facets) between two rays.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from anastylosis.arrays import Floats, Integers
from anastylosis.errors import InvalidInput
from anastylosis.mechanics.interface import FLOOR, Interface
from anastylosis.mechanics.programme import make_matrix
from anastylosis.structure import Structure

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix as Matrix

FACETS_MIN = 4
ROUNDING = 1e-13  # wrench components below this, of about 1, are zeros


class Vertices(NamedTuple):
    """Corners of all interfaces, one after the other."""

    point: Floats  # (V, 3) [m]
    normal: Floats  # (V, 3) from first to second
    friction: Floats  # (V,)
    first: Integers  # (V,) row of a block, or FLOOR
    second: Integers  # (V,)
    interface: Integers  # (V,) which interface it belongs to


class Rays(NamedTuple):
    """R forces of unit normal part, on the second block of their interface; the first feels the opposite."""

    vertex: Integers  # (R,)
    force: Floats  # (R, 3) n + mu t


class ProgrammeUnits(NamedTuple):
    """Units in which the linear programmes are written, so that all their numbers are about 1."""

    force: float  # the mean weight of a block [N]
    length: float  # the mean longest side of a block [m]


def take_scale(structure: Structure, gravity: float) -> ProgrammeUnits:
    if not (np.isfinite(gravity) and gravity > 0):
        raise InvalidInput(f"gravity is {gravity:g} m/s^2: it must be above 0")
    return ProgrammeUnits(
        force=float(structure.blocks.mass.mean() * gravity), length=float(structure.blocks.size.max(axis=1).mean())
    )


def spread_vertices(interfaces: tuple[Interface, ...]) -> Vertices:
    """Return the corners of all interfaces as arrays."""
    if not interfaces:
        none = np.empty(0, np.int64)
        return Vertices(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), none, none, none)
    which = np.repeat(np.arange(len(interfaces)), [len(face.vertices) for face in interfaces])
    return Vertices(
        point=np.concatenate([face.vertices for face in interfaces]),
        normal=np.array([face.normal for face in interfaces])[which],
        friction=np.array([face.friction for face in interfaces])[which],
        first=np.array([face.first for face in interfaces])[which],
        second=np.array([face.second for face in interfaces])[which],
        interface=which,
    )


def cone_rays(vertices: Vertices, facets: int) -> Rays:
    """Return `facets` rays a vertex, evenly around the normal; on level faces the first points along world x."""
    if facets < FACETS_MIN:
        raise InvalidInput(f"facets is {facets}: a friction cone needs {FACETS_MIN} rays or more; 8 is usual")
    n = vertices.normal
    # World x laid into the contact plane; world y where the normal is about x itself.
    aim = np.where(np.abs(n[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    t_1 = aim - (aim * n).sum(axis=1, keepdims=True) * n
    t_1 /= np.linalg.norm(t_1, axis=1, keepdims=True)
    t_2 = np.cross(n, t_1)
    angle = 2 * np.pi * np.arange(facets) / facets
    around = np.cos(angle)[:, None] * t_1[:, None, :] + np.sin(angle)[:, None] * t_2[:, None, :]
    force = n[:, None, :] + vertices.friction[:, None, None] * around
    return Rays(vertex=np.repeat(np.arange(len(n)), facets), force=force.reshape(-1, 3))


def normal_rays(vertices: Vertices) -> Rays:
    """Return one ray a vertex: pressure alone."""
    return Rays(vertex=np.arange(len(vertices.normal)), force=vertices.normal)


def wrench_matrix(structure: Structure, vertices: Vertices, rays: Rays, scale: ProgrammeUnits) -> "Matrix":
    """Return (6 M, R) force and moment of each ray on each of the M blocks that can move, in units of `scale`.

    Six rows a block, in the order of the structure: force x, y, z, moment x, y, z about the block's centre.
    """
    movable = ~structure.blocks.fixed
    body_row = np.where(movable, np.cumsum(movable) - 1, FLOOR)
    values, rows, columns = [], [], []
    for body, sign in ((vertices.first[rays.vertex], -1.0), (vertices.second[rays.vertex], 1.0)):
        row = np.where(body == FLOOR, FLOOR, body_row[body])
        ray = np.flatnonzero(row != FLOOR)
        force = sign * rays.force[ray]
        arm = (vertices.point[rays.vertex[ray]] - structure.position[body[ray]]) / scale.length
        values.append(np.concatenate([force, np.cross(arm, force)], axis=1).ravel())
        rows.append((6 * row[ray][:, None] + np.arange(6)).ravel())
        columns.append(np.repeat(ray, 6))
    value, row, column = np.concatenate(values), np.concatenate(rows), np.concatenate(columns)
    keep = np.abs(value) > ROUNDING
    shape = (6 * int(movable.sum()), len(rays.force))
    return make_matrix(value[keep], row[keep], column[keep], shape)


def load_target(structure: Structure, acceleration: Floats, scale: ProgrammeUnits) -> Floats:
    """Return (6 M,) force and moment each movable block needs to follow `acceleration` (3,) [m/s^2], in units of `scale`."""
    movable = ~structure.blocks.fixed
    if not movable.any():
        raise InvalidInput("every block is fixed: nothing can fall, so there is no equilibrium to look for")
    target = np.zeros((int(movable.sum()), 6))
    target[:, :3] = structure.blocks.mass[movable, None] * acceleration / scale.force
    return target.ravel()
