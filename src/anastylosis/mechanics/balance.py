"""Balance: the centre of mass over its support, for the whole structure as in the paper, and above each course."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.mechanics.interface import GAP_TOLERANCE, Interface, find_interfaces
from anastylosis.mechanics.polygon import convex_hull, polygon_centre, signed_distance
from anastylosis.structure import Structure

BEARING = 0.7  # an interface bears weight when its normal is this much upwards: within 45 degrees of it
TIE = 1e-6  # [m] margins this near each other are equal: those of an intact tower differ by rounding alone


class Balance(NamedTuple):
    """Margins of balance, signed distances on the floor plane [m]: positive inside the support, -inf where nothing supports."""

    centre_of_mass: Floats  # (3,) of all blocks that can move [m]
    support: Floats  # (K, 2) ground support polygon, counter-clockwise [m]. Paper Eq. (17)
    margin: float  # of the centre of mass in `support` [m]; the paper's
    interface_margin: Floats  # (courses,) entry k: all of course k and above, over what bears it; 0 is the ground [m]
    weakest: int  # the course on whose underside the smallest of them lies; the lowest of those within 1 um of it
    weakest_margin: float  # the smallest [m]

    @property
    def imbalance(self) -> float:
        """Imbalance, the paper's label: minus the margin [m], negative for what stands (erratum)."""
        return -self.margin

    @property
    def offset(self) -> float:
        """Measure the horizontal distance of the centre of mass from the centre of `support` [m]."""
        return float(np.linalg.norm(self.centre_of_mass[:2] - polygon_centre(self.support)))


def measure_balance(
    structure: Structure, interfaces: Sequence[Interface] | None = None, *, tolerance: float = GAP_TOLERANCE
) -> Balance:
    """Measure the margins of balance of a structure whose blocks are about where their slots are.

    `margin`: centre of mass over the hull of all corners of the blocks that touch the ground. Paper §8.1, Eq. (17).
    That is necessary, not sufficient (erratum): `interface_margin` asks the same of every part that could tip as one,
    the centre of mass of courses k and above over the hull of the contact polygons under them. Still necessary only: blocks of
    one course can fall alone, which `solve_equilibrium` sees. Fixed blocks bear like the ground and weigh nothing here;
    where all of a course and above is fixed the margin is +inf. `interfaces`, when they are known already, are those of
    `find_interfaces` with this `tolerance` [m].
    """
    movable = ~structure.blocks.fixed
    if not movable.any():
        raise InvalidInput("every block is fixed: nothing can fall, so there is no balance to measure")
    corners = structure.corners()
    centre = centre_of_mass(structure, movable)
    grounded = corners[:, :, 2].min(axis=1) <= tolerance
    support = convex_hull(corners[grounded][:, :, :2].reshape(-1, 2))

    faces = find_interfaces(structure, tolerance=tolerance) if interfaces is None else interfaces
    levels = int(structure.course.max()) + 1
    margins = np.array([interface_margin(structure, faces, movable & (structure.course >= k)) for k in range(levels)])
    smallest = float(margins.min())
    return Balance(
        centre_of_mass=centre,
        support=support,
        margin=signed_distance(centre[:2], support),
        interface_margin=margins,
        weakest=int((margins <= smallest + TIE).argmax()),
        weakest_margin=smallest,
    )


def interface_margin(structure: Structure, interfaces: Sequence[Interface], above: NDArray[np.bool_]) -> float:
    """Measure the margin [m] of the blocks of the mask `above`, (B,), taken as one body, on all other blocks."""
    if not above.any():
        return np.inf
    inside = [*above.tolist(), False]  # the last is the floor's, FLOOR = -1
    points = [face.vertices[:, :2] for face in interfaces if inside[face.first] != inside[face.second] and bears(face, inside)]
    support = convex_hull(np.concatenate(points)) if points else np.empty((0, 2))
    return signed_distance(centre_of_mass(structure, above)[:2], support)


def bears(face: Interface, inside: Sequence[bool]) -> bool:
    """Return whether the block of an interface that is `inside` rests on the other."""
    upwards = -face.normal[2] if inside[face.first] else face.normal[2]
    return bool(upwards >= BEARING)


def centre_of_mass(structure: Structure, rows: NDArray[np.bool_]) -> Floats:
    """Return the centre of mass (3,) [m] of the blocks of a mask."""
    mass = structure.blocks.mass[rows]
    return mass @ structure.position[rows] / mass.sum()
