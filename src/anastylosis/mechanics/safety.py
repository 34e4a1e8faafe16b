"""Safety: the largest level acceleration of the ground that a structure can follow, by direction."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.mechanics.equilibrium import solve_equilibrium
from anastylosis.mechanics.interface import FLOOR, GAP_TOLERANCE, Interface, find_interfaces
from anastylosis.mechanics.programme import add_column, minimise
from anastylosis.mechanics.push_force import GRAVITY
from anastylosis.mechanics.rays import cone_rays, load_target, spread_vertices, take_scale, wrench_matrix
from anastylosis.structure import Structure

LEVEL_TOLERANCE = 1e-7  # [m], and of the cosine of a slope: it is level
DIGITS = 9  # accelerations that differ less are equal [decimals of m/s^2]


class Safety(NamedTuple):
    """Largest steady accelerations of the ground that a structure bears; all 0 when it does not stand at all."""

    stands: bool  # with the ground at rest
    direction: Floats  # (D, 2) unit vectors, world x and y: where the ground goes; the structure lags the other way
    acceleration: Floats  # (D,) [m/s^2]; inf where no acceleration moves it
    smallest: float  # of them [m/s^2]
    share: float  # the smallest over g: the usual "0.2 g"
    weakest: int  # the direction it belongs to


def find_safety(
    structure: Structure,
    interfaces: Sequence[Interface] | None = None,
    *,
    directions: int = 8,
    facets: int = 8,
    gravity: float = GRAVITY,
    tolerance: float = GAP_TOLERANCE,
    smallest_only: bool = False,
    stands: bool = False,
) -> Safety:
    """Find the largest horizontal acceleration that `structure` bears, in `directions` directions evenly from world x.

    One linear programme a direction: largest a for which forces exist (`solve_equilibrium`) with the ground accelerated
    by a. Static friction only, and a steady acceleration: a short jolt may do less, a rhythm more. A structure that does
    not stand bears nothing: `stands` is False and every acceleration is 0; `Equilibrium.residual` says how far it is off.

    With `smallest_only` no acceleration is looked for beyond the smallest so far, which takes half the time: the smallest is
    the same, and the others are not below it, but no more is known of them. `stands`: that it does is known, and not asked.
    `interfaces`: as of `solve_equilibrium`.
    """
    if directions < 1:
        raise InvalidInput(f"directions is {directions}: at least one is needed; 8 is usual")
    angle = 2 * math.pi * np.arange(directions) / directions
    headings = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    faces = find_interfaces(structure, tolerance=tolerance) if interfaces is None else tuple(interfaces)
    if not stands and not solve_equilibrium(structure, faces, facets=facets, gravity=gravity, tolerance=tolerance).stands:
        return Safety(False, headings, np.zeros(directions), 0.0, 0.0, 0)

    scale = take_scale(structure, gravity)
    vertices = spread_vertices(faces)
    rays = cone_rays(vertices, facets)  # sums of opposite rays are the normals: fewer columns, and half the time
    contacts = wrench_matrix(structure, vertices, rays, scale)
    weight = load_target(structure, np.array([0.0, 0.0, gravity]), scale)
    cost = np.zeros(len(rays.force) + 1)
    cost[-1] = -1.0
    borne, most = np.zeros(directions), np.inf
    bound = bound_tipping(structure, faces, headings) if smallest_only else np.full(directions, np.inf)
    order = np.argsort(bound, kind="stable").tolist()
    for row in order:
        push = load_target(structure, np.array([*headings[row], 0.0]) * gravity, scale)  # for a = g
        solution = minimise(cost, add_column(contacts, -push), weight, min(most, bound[row]))
        # Infeasible is rounding: it stands, if only just.
        borne[row] = -solution.value * gravity if solution.feasible else 0.0
        if smallest_only:
            most = min(most, borne[row] / gravity)
    smallest = float(borne.min())
    weakest = min(order, key=lambda row: round(float(borne[row]), DIGITS))  # the first of equals
    return Safety(True, headings, borne, smallest, smallest / gravity, weakest)


def bound_tipping(structure: Structure, interfaces: Sequence[Interface], headings: Floats) -> Floats:
    """Bound the accelerations over g (D,), along headings (D, 2), beyond which a structure tips; infinite: no bound is known.

    Everything from a course upwards, taken as one body, tips over the edge of what bears it when it is pushed back by its way
    to that edge over its height. Where what bears it is level: there friction, which acts at the height of the edge, cannot help.
    """
    bound = np.full(len(headings), np.inf)
    mass, course = np.where(structure.blocks.fixed, 0.0, structure.blocks.mass), structure.course
    for level in np.unique(course):
        above = course >= level
        crossing = [each for each in interfaces if above[each.second] and (each.first == FLOOR or not above[each.first])]
        if not crossing or structure.blocks.fixed[above].any() or min(each.normal[2] for each in crossing) < 1 - LEVEL_TOLERANCE:
            continue
        corners = np.concatenate([each.vertices for each in crossing])
        centre = mass[above] @ structure.position[above] / mass[above].sum()
        if np.ptp(corners[:, 2]) > LEVEL_TOLERANCE or centre[2] <= corners[0, 2]:
            continue
        way = ((corners[:, :2] - centre[:2]) @ -headings.T).max(axis=0)
        bound = np.minimum(bound, way / (centre[2] - corners[0, 2]))
    return np.maximum(bound, 0.0) * (1 + LEVEL_TOLERANCE)
