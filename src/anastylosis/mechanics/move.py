"""Moves that take a block: their kind and risk, by the paper's classification after Ziglar.

Axes are the block's, in the paper's words: y is parallel to its length, x perpendicular to it.

On the torque: Ziglar and the paper say that a pull across (x) turns the layer above, and `torque` is flagged so. Thought
through for crossed courses it is the other way round. A side block lies under the *ends* of the blocks above, whose
length is across it. Pulled across, it drags them along their own length, through their middle: no turn. Pulled
along its own length, it drags their ends sideways: mu N on an arm of half their length, a yaw moment on each. The
other blocks of the course hold both drags; docs/explanation/mechanics.md says how well.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_matrices
from anastylosis.mechanics.push_force import (
    GRAVITY,
    friction_limit,
    push_force_loaded,
    push_force_slide,
    push_force_torque,
    shared_loads,
)
from anastylosis.structure import BLOCKS_PER_COURSE, Structure

Axis = Literal["x", "y"]
Kind = Literal["center_xaxis", "side_yaxis", "side_xaxis"]
Risk = Literal["low", "medium", "high"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RISKS: tuple[Risk, ...] = get_args(Risk)  # rising

CENTRE = 1  # place of the centre block in its course; the sides are 0 and 2


class Move(NamedTuple):
    """One way of taking one block. Paper §5.4, table "Movement classification"."""

    kind: Kind
    risk: Risk  # by what stays in the course
    torque: bool  # the paper's flag: True for side_xaxis
    force: float  # the paper's force: 3 mu m g, or 4 mu m g with torque [N]
    force_loaded: float  # mu (2 load + m g), the load shared evenly [N]
    upper_holds: bool  # the blocks that stay can hold back the layer above: f_slide < f_1 + f_2
    torque_moment: float  # tau = f_slide d, 0 for moves without torque [N m]
    angular_acceleration: float  # tau / I_zz of one block [rad/s^2]


def classify_move(
    structure: Structure, block_id: str, axis: str, *, gravity: float = GRAVITY, loads: NDArray[np.float64] | None = None
) -> Move:
    """Classify taking `block_id` along `axis`. The block still stands in `structure`.

    `axis` is "y", along the block's length, or "x", across it and outwards, which only a side block can do. The centre
    block is labelled `center_xaxis`, as in the paper, and leaves along its length (erratum). Friction is the block's own.
    `loads`, when they are known already, are `shared_loads(structure, gravity)`.

    Paper §5.2: f_slide = mu m g; §5.3: tau = f_slide d, alpha = tau / I_zz with I_zz = m (l² + w²) / 12 (erratum: the
    paper's alpha takes the number 1.18e-5 kg m² that it prints for I_xx; it is the I_zz of the block). d is the
    horizontal distance from the block's centre to the centre line of its course.
    """
    row = structure.index(block_id)
    place = int(structure.place[row])
    if axis not in ("x", "y"):
        raise InvalidInput(f"axis is {axis!r}: it is 'y' along the block's length or 'x' across it")
    if place not in range(BLOCKS_PER_COURSE):
        raise InvalidInput(f"{block_id} stands in place {place} of its course: moves are known for places 0, 1 and 2")
    if place == CENTRE and axis == "x":
        raise InvalidInput(f"{block_id} cannot be pulled along x: it stands between two neighbours; pull it along y")

    kind: Kind = "center_xaxis" if place == CENTRE else "side_yaxis" if axis == "y" else "side_xaxis"
    mates = (structure.course == structure.course[row]) & (np.arange(len(structure)) != row)
    staying = frozenset(structure.place[mates].tolist())
    torque = kind == "side_xaxis"

    friction, mass = structure.blocks.friction, structure.blocks.mass
    push_force = push_force_torque if torque else push_force_slide
    loads = shared_loads(structure, gravity) if loads is None else loads
    held = friction_limit(friction[mates], loads[mates]).sum()
    moment = friction_limit(friction[row], mass[row] * gravity) * centre_line_distance(structure, row) if torque else 0.0
    return Move(
        kind=kind,
        risk=rate_risk(kind, place, staying),
        torque=torque,
        force=float(push_force(friction[row], mass[row], gravity)),
        force_loaded=float(push_force_loaded(friction[row], mass[row], loads[row], gravity)),
        upper_holds=bool(loads[row] == 0 or friction_limit(friction[row], loads[row]) < held),
        torque_moment=float(moment),
        angular_acceleration=float(moment / structure.blocks.inertia[row, 2]),
    )


def rate_risk(kind: Kind, place: int, staying: frozenset[int]) -> Risk:
    """Rate the risk by the places that stay filled: two of them low, the centre alone medium, one side or nothing high.

    A pull across is at least medium, and high without the opposite side: "safe only if the opposite side
    block is still present" (paper §5.3).
    """
    if len(staying) >= 2:
        risk: Risk = "low"
    elif staying == {CENTRE}:
        risk = "medium"
    else:
        risk = "high"
    if kind == "side_xaxis":
        opposite = 2 - place
        return "high" if opposite not in staying or risk == "high" else "medium"
    return risk


def centre_line_distance(structure: Structure, row: int) -> float:
    """Measure the horizontal distance from a block's centre to the centre line of its course [m].

    The line runs along the block, midway between the ends of the crossing blocks above (below, for the top course):
    theirs is the arm, and they are there when the block's neighbours are gone. A single course takes its own middle.
    """
    course = structure.course
    above, below = course == course[row] + 1, course == course[row] - 1
    crossing = above if above.any() else below if below.any() else course == course[row]
    across = make_matrices(structure.orientation[row])[:2, 1]  # the block's own y, on the floor
    offset = structure.position[row, :2] - structure.position[crossing, :2].mean(axis=0)
    return float(abs(offset @ across) / np.linalg.norm(across))
