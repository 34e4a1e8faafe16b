"""Statics of a pull: how hard it can be, and whether the other blocks can hold still.

Ziglar's question, asked of every block at once. The pulled block slides, so friction on its faces is all there is, mu N
against the motion; every other contact may stick; the load may be shared in any way that balances.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.mechanics.equilibrium import RESIDUAL_ZERO
from anastylosis.mechanics.interface import GAP_TOLERANCE, find_interfaces
from anastylosis.mechanics.programme import add_column, minimise, minimise_help
from anastylosis.mechanics.push_force import GRAVITY
from anastylosis.mechanics.rays import Rays, Vertices, cone_rays, load_target, spread_vertices, take_scale, wrench_matrix
from anastylosis.structure import Structure

# Share of the pull's direction along a contact's normal above which the faces part or press instead of rubbing: a
# third, 20 degrees, far above the tilt of a settled block and far below that of a neighbour's side.
FACE_ON = 1 / 3


class PullRange(NamedTuple):
    """Range of forces with which a block can slide slowly while nothing else moves."""

    holds: bool  # the other blocks can stay where they are
    force_low: float  # [N] smallest pull, over all ways to share the load; NaN unless it holds
    force_high: float  # [N] largest; inf where the block is wedged


def solve_pull(
    structure: Structure,
    block_id: str,
    direction: ArrayLike,
    *,
    facets: int = 8,
    gravity: float = GRAVITY,
    tolerance: float = GAP_TOLERANCE,
) -> PullRange:
    """Find the forces at its centre of mass that pull `block_id` slowly along `direction` (3,) (world axes, any length).

    On a face that rubs, the force is n + mu t against the slip, the full Coulomb friction; a face that parts bears nothing;
    a face that presses may stick. Three linear programmes: whether forces exist, and the least and the largest pull. In a
    determinate cell both are mu (N_top + N_bottom). The friction of the other contacts is inscribed in the cone
    (`solve_equilibrium`), so `holds` is conservative.
    """
    row = structure.index(block_id)
    if structure.blocks.fixed[row]:
        raise InvalidInput(f"{block_id} is fixed: pull a block that can move")
    heading = np.asarray(direction, dtype=float)
    if heading.shape != (3,) or not 0 < np.linalg.norm(heading) < np.inf:
        raise InvalidInput(f"direction is {heading}: it must be three finite numbers, not all 0")
    heading = heading / np.linalg.norm(heading)

    scale = take_scale(structure, gravity)
    vertices = spread_vertices(find_interfaces(structure, tolerance=tolerance))
    rays = sliding_rays(vertices, cone_rays(vertices, facets), row, heading)
    weight = load_target(structure, np.array((0.0, 0.0, gravity)), scale)
    pull = np.zeros(len(weight))
    first_row = 6 * int((~structure.blocks.fixed[:row]).sum())
    pull[first_row : first_row + 3] = heading
    matrix = add_column(wrench_matrix(structure, vertices, rays, scale), pull)
    cost = np.zeros(len(rays.force) + 1)
    cost[-1] = 1.0
    help_needed, weights = minimise_help(np.zeros(len(cost)), matrix, weight)
    if help_needed > RESIDUAL_ZERO * weight.sum():
        return PullRange(False, np.nan, np.nan)
    least, largest = minimise(cost, matrix, weight), minimise(-cost, matrix, weight)
    # Infeasible now is rounding: it holds, if only just, and one answer is known.
    low = least.value if least.feasible else float(weights[-1])
    high = -largest.value if largest.feasible else float(weights[-1])
    return PullRange(True, low * scale.force, high * scale.force)


def sliding_rays(vertices: Vertices, cones: Rays, row: int, heading: Floats) -> Rays:
    """Return `cones` with those of the block `row`, which slides along `heading`, replaced by the forces of sliding."""
    pulled_first = vertices.first == row
    mine = pulled_first | (vertices.second == row)
    motion = np.where(pulled_first, 1.0, -1.0)[:, None] * heading  # of first against second
    approach = (motion * vertices.normal).sum(axis=1)
    slip = motion - approach[:, None] * vertices.normal
    rubs = mine & (np.abs(approach) <= FACE_ON)
    presses = mine & (approach > FACE_ON)
    kept = (~mine | presses)[cones.vertex]
    rub = np.flatnonzero(rubs)
    along = slip[rub] / np.linalg.norm(slip[rub], axis=1, keepdims=True)
    force = vertices.normal[rub] + vertices.friction[rub, None] * along  # second is dragged along with first
    return Rays(np.concatenate([cones.vertex[kept], rub]), np.concatenate([cones.force[kept], force]))
