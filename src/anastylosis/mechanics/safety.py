"""How hard the ground may be shaken before a structure cannot follow: the largest level acceleration, by direction."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.mechanics.equilibrium import solve_equilibrium
from anastylosis.mechanics.interface import GAP_TOLERANCE
from anastylosis.mechanics.programme import add_column, minimise
from anastylosis.mechanics.push_force import GRAVITY
from anastylosis.mechanics.rays import cone_rays, load_target, spread_vertices, take_scale, wrench_matrix
from anastylosis.structure import Structure

__all__ = ["Safety", "find_safety"]

Floats = NDArray[np.float64]


class Safety(NamedTuple):
    """Largest steady accelerations of the ground that a structure bears. All 0 when it does not stand at all."""

    stands: bool  # with the ground at rest
    direction: Floats  # (D, 2) unit vectors, world x and y: where the ground goes; the structure lags the other way
    acceleration: Floats  # (D,) [m/s^2]; inf where no acceleration moves it
    smallest: float  # of them [m/s^2]
    share: float  # the smallest over g: the usual "0.2 g"
    weakest: int  # the direction it belongs to


def find_safety(
    structure: Structure,
    *,
    directions: int = 8,
    facets: int = 8,
    gravity: float = GRAVITY,
    tolerance: float = GAP_TOLERANCE,
) -> Safety:
    """The largest horizontal acceleration that `structure` bears, in `directions` directions evenly from world x.

    One linear programme a direction: largest a for which forces exist (`solve_equilibrium`) with the ground accelerated
    by a. Static friction only, and a steady acceleration: a short jolt may do less, a rhythm more. A structure that does
    not stand bears nothing: `stands` is False and every acceleration is 0; `Equilibrium.residual` says how far it is off.
    """
    if directions < 1:
        raise InvalidInput(f"directions is {directions}: at least one is needed; 8 is usual")
    angle = 2 * math.pi * np.arange(directions) / directions
    headings = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rest = solve_equilibrium(structure, facets=facets, gravity=gravity, tolerance=tolerance)
    if not rest.stands:
        return Safety(False, headings, np.zeros(directions), 0.0, 0.0, 0)

    scale = take_scale(structure, gravity)
    vertices = spread_vertices(rest.interfaces)
    rays = cone_rays(vertices, facets)  # sums of opposite rays are the normals: fewer columns, and half the time
    contacts = wrench_matrix(structure, vertices, rays, scale)
    weight = load_target(structure, np.array([0.0, 0.0, gravity]), scale)
    cost = np.zeros(len(rays.force) + 1)
    cost[-1] = -1.0
    borne = np.zeros(directions)
    for row, heading in enumerate(headings):
        push = load_target(structure, np.array([*heading, 0.0]) * gravity, scale)  # for a = g
        solution = minimise(cost, add_column(contacts, -push), weight)
        # Infeasible is rounding: it stands, if only just.
        borne[row] = -solution.value * gravity if solution.feasible else 0.0
    weakest = int(borne.argmin())
    return Safety(True, headings, borne, float(borne[weakest]), float(borne[weakest] / gravity), weakest)
