"""Equilibrium of rigid blocks with dry friction: forces at the contacts, by linear programming.

Livesley (1978), Limit analysis of structures formed from rigid blocks; Whiting, Ochsendorf and Durand (2009), Procedural
modeling of structurally-sound masonry buildings, for the measure of how far from balance a structure is.

That forces exist is necessary, and for blocks that rest on each other it is what decides. It is not sufficient in general:
Coulomb friction is not associated, so a block wedged between walls *can* be held, and whether it is depends on how it
came there.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.mechanics.interface import GAP_TOLERANCE, Interface, find_interfaces
from anastylosis.mechanics.programme import minimise_help
from anastylosis.mechanics.push_force import GRAVITY
from anastylosis.mechanics.rays import Rays, cone_rays, load_target, normal_rays, spread_vertices, take_scale, wrench_matrix
from anastylosis.structure import Structure

# A residual up to this, as a share of the weight, is the solver's rounding (its own tolerance is 1e-7 of a block's weight).
RESIDUAL_ZERO = 1e-6
# Cost of friction beside that of artificial forces. Small, so that no artificial force is ever cheaper than the
# friction it would save, even through a hundred courses; not nothing, so that friction is used only where it is needed.
FRICTION_COST = 1e-4


class Equilibrium(NamedTuple):
    """Forces in balance, or as near to it as they can be. Forces are on the second block of an interface, world axes.

    How load is shared is statically indeterminate: these forces are one of many answers, the one with little friction, and
    they sit on few corners. Sums over a course, and whether there is an answer, do not depend on the choice.
    """

    stands: bool  # forces exist that hold every block
    residual: float  # smallest sum of artificial forces (moments over a block's length) that would help, over the weight
    interfaces: tuple[Interface, ...]  # C contact polygons
    normal_force: tuple[Floats, ...]  # C times (K,) at each vertex [N]
    friction: tuple[Floats, ...]  # C times (K, 3) at each vertex [N]
    pair_normal_force: Floats  # (C,) [N]
    pair_friction: Floats  # (C, 3) [N]


def solve_equilibrium(
    structure: Structure,
    interfaces: Sequence[Interface] | None = None,
    *,
    facets: int = 8,
    acceleration: ArrayLike = (0.0, 0.0, 0.0),
    gravity: float = GRAVITY,
    tolerance: float = GAP_TOLERANCE,
) -> Equilibrium:
    """Find forces at the corners of the contact polygons that hold every block, if there are any.

    For each block: sum f = m (a + g z), sum r x f = 0; at each corner f_n >= 0 and f within a pyramid of `facets` rays
    inscribed in the friction cone: conservative, friction is up to 1 - cos(pi / facets) too weak between rays, 8 % for 8.
    `acceleration` (3,) [m/s^2] is that of the ground, which all blocks must follow. Fixed blocks bear anything. The
    blocks touch where `find_interfaces` says, within `tolerance` [m]: a gap below it counts as closed; `interfaces`, when they
    are known already, are what it says.
    """
    ground = np.asarray(acceleration, dtype=float)
    if ground.shape != (3,) or not np.isfinite(ground).all():
        raise InvalidInput(f"acceleration is {ground}: it must be three finite numbers [m/s^2]")
    scale = take_scale(structure, gravity)
    target = load_target(structure, ground + np.array((0.0, 0.0, gravity)), scale)
    interfaces = find_interfaces(structure, tolerance=tolerance) if interfaces is None else tuple(interfaces)
    vertices = spread_vertices(interfaces)
    pressure, rubbing = normal_rays(vertices), cone_rays(vertices, facets)
    rays = Rays(np.concatenate([pressure.vertex, rubbing.vertex]), np.concatenate([pressure.force, rubbing.force]))

    cost = np.concatenate([np.zeros(len(pressure.force)), np.full(len(rubbing.force), FRICTION_COST)])
    help_needed, weights = minimise_help(cost, wrench_matrix(structure, vertices, rays, scale), target)
    residual = help_needed * scale.force / float(structure.blocks.mass[~structure.blocks.fixed].sum() * gravity)

    force = np.zeros_like(vertices.point)
    np.add.at(force, rays.vertex, weights[:, None] * rays.force * scale.force)
    normal_force = (force * vertices.normal).sum(axis=1)
    friction = force - normal_force[:, None] * vertices.normal
    cuts = np.flatnonzero(np.diff(vertices.interface)) + 1
    split_normal = np.split(normal_force, cuts) if interfaces else []
    split_friction = np.split(friction, cuts) if interfaces else []
    return Equilibrium(
        stands=residual <= RESIDUAL_ZERO,
        residual=0.0 if residual <= RESIDUAL_ZERO else residual,
        interfaces=interfaces,
        normal_force=tuple(split_normal),
        friction=tuple(split_friction),
        pair_normal_force=np.array([part.sum() for part in split_normal]),
        pair_friction=np.array([part.sum(axis=0) for part in split_friction]).reshape(-1, 3),
    )
