"""Rows: the numbers that a solver reads of each manifold, side by side in lanes.

Manifolds that share no moving body are put into one group of LANES, field after field, so that the compiler
turns loops over the lanes into vector instructions: field f of lane l of group g is `data[g, f * LANES + l]`.
Lanes of a group touch no common velocity, so that solving them side by side gives the bits of solving them one
after the other.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.contacts import ACTIVE, GROUPS, PAIRS, REPACK

LANES = 4  # doubles in a 256-bit register
SEARCH = 64  # open groups looked through for a place; more fill lanes better, but cost a large scene time

# Fields that both solvers read. Vectors take three fields, symmetric matrices six: xx, xy, xz, yy, yz, zz.
VELOCITY_A, VELOCITY_B = 0, 6  # scratch: velocity and angular velocity, gathered or to be added
NORMAL, TANGENT_1, TANGENT_2 = 12, 15, 18  # contact frame, world
ARM_A, ARM_B = 21, 24  # contact centre from the centres of mass [m]
MASS_A, MASS_B = 27, 28  # inverse masses
INERTIA_A, INERTIA_B = 29, 35  # inverse world inertia
X, Y = 41, 45  # the four points in the contact frame, from the centre [m]
IMPULSE, REFERENCE = 49, 53  # normal impulses and what they are drawn to [N s]
SLIDE_1, SLIDE_2, TWIST = 57, 62, 67  # friction impulses along the tangents (4 points, manifold); about the normal
FRICTION = 68
OWN = 69  # 35 fields that each solver uses in its own way
GAP = OWN + 35  # distances of the points [m]
LIVE = GAP + 4  # 1: a point, 0: an empty place
BOUNCE = LIVE + 4  # speed of separation asked for by restitution [m/s]
RESTITUTION = BOUNCE + 4
# What a manifold was built with, constant until it is rebuilt.
NORMAL_IN_A, TANGENT_IN_A = RESTITUTION + 1, RESTITUTION + 4
NORMAL_IN_B, TANGENT_IN_B = RESTITUTION + 7, RESTITUTION + 10
POINT_IN_A, POINT_IN_B = RESTITUTION + 13, RESTITUTION + 25  # four vectors each [m]
BUILT_GAP = RESTITUTION + 37  # [m]
SHARE, SLIP_LIMIT = RESTITUTION + 41, RESTITUTION + 42  # 1 / number of points; slide it is good for [m]
RADIUS = RESTITUTION + 43  # larger half diagonal of the two bodies [m]
# Poses, gathered: position, then the rotation matrix row by row.
POSE_A, POSE_B = RADIUS + 1, RADIUS + 13
STALE = RADIUS + 25  # 1: the pair has moved beyond what the manifold is good for
FIELDS = STALE + 1


class Rows(NamedTuple):
    """G groups of LANES manifolds."""

    data: NDArray[np.float64]  # (W, G, FIELDS * LANES)
    body: NDArray[np.int64]  # (W, G, 2 * LANES) a of each lane, then b
    slot: NDArray[np.int64]  # (W, G, LANES) manifold in the lane
    fill: NDArray[np.int64]  # (W, G) lanes in use
    dirty: NDArray[np.bool_]  # (W, G) filled anew, to be prepared
    bounces: NDArray[np.bool_]  # (W, G) holds an impact
    deep: NDArray[np.bool_]  # (W, G) holds a penetration


def build_rows(worlds: int, pairs: int) -> Rows:
    """Build empty rows. Memory is touched, and so taken, only as far as groups are used."""
    return Rows(
        data=np.zeros((worlds, pairs, FIELDS * LANES)),
        body=np.zeros((worlds, pairs, 2 * LANES), np.int64),
        slot=np.zeros((worlds, pairs, LANES), np.int64),
        fill=np.zeros((worlds, pairs), np.int64),
        dirty=np.zeros((worlds, pairs), np.bool_),
        bounces=np.zeros((worlds, pairs), np.bool_),
        deep=np.zeros((worlds, pairs), np.bool_),
    )


@kernel
def pack_rows(model, bodies, contacts, rows):
    """Give every touching manifold a lane in the first group that holds neither of its moving bodies."""
    number = contacts.number
    floor = bodies.motion.shape[0] - 1
    groups, open_group, active = 0, 0, 0
    for p in range(number[PAIRS]):
        slot = contacts.pair_slot[p]
        a, b = contacts.pair[p, 0], contacts.pair[p, 1]
        if contacts.points[slot] == 0 or not (bodies.moves[a] or bodies.moves[b]):
            continue
        fixed_a, fixed_b = model.inverse_mass[a] == 0.0, model.inverse_mass[b] == 0.0
        group = max(open_group, groups - SEARCH)
        while group < groups and not has_place(rows.fill[group], rows.body[group], a, b, fixed_a, fixed_b):
            group += 1
        if group == groups:
            for lane in range(2 * LANES):
                rows.body[group, lane] = floor
            rows.fill[group] = 0
            groups += 1
        lane = rows.fill[group]
        rows.fill[group] += 1
        rows.body[group, lane], rows.body[group, LANES + lane] = a, b
        rows.slot[group, lane] = slot
        load_lane(model, contacts, rows.data[group], lane, slot, a, b)
        active += 1
        while open_group < groups and rows.fill[open_group] == LANES:
            open_group += 1
    for group in range(groups):  # an empty lane acts between the floor and itself, with no mass: it does nothing
        for lane in range(rows.fill[group], LANES):
            for field in range(FIELDS):
                rows.data[group, field * LANES + lane] = 0.0
    number[REPACK] = 0
    number[GROUPS] = groups
    number[ACTIVE] = active


@inlined
def has_place(fill, body, a, b, fixed_a, fixed_b):
    """Return True when a group has an empty lane and none of its lanes moves a or b."""
    free = fill < LANES
    for lane in range(LANES):
        p, q = body[lane], body[LANES + lane]
        free = free and (fixed_a or (p != a and q != a)) and (fixed_b or (p != b and q != b))
    return free


@inlined
def load_lane(model, contacts, d, lane, slot, a, b):
    """Load a manifold as it was built, and its stored impulses, into a lane."""
    count = contacts.points[slot]
    for i in range(4):
        live = i < count
        d[(LIVE + i) * LANES + lane] = 1.0 if live else 0.0
        d[(IMPULSE + i) * LANES + lane] = contacts.impulse[slot, i] if live else 0.0
        d[(REFERENCE + i) * LANES + lane] = contacts.reference[slot, i] if live else 0.0
        d[(BUILT_GAP + i) * LANES + lane] = contacts.gap[slot, i] if live else 0.0
        for k in range(3):
            d[(POINT_IN_A + 3 * i + k) * LANES + lane] = contacts.anchor[slot, i, k] if live else 0.0
            d[(POINT_IN_B + 3 * i + k) * LANES + lane] = contacts.anchor[slot, i, 3 + k] if live else 0.0
    for k in range(3):
        d[(NORMAL_IN_A + k) * LANES + lane] = contacts.frame[slot, k]
        d[(TANGENT_IN_A + k) * LANES + lane] = contacts.frame[slot, 3 + k]
        d[(NORMAL_IN_B + k) * LANES + lane] = contacts.frame[slot, 6 + k]
        d[(TANGENT_IN_B + k) * LANES + lane] = contacts.frame[slot, 9 + k]
    d[SHARE * LANES + lane] = 1.0 / max(count, 1)
    d[SLIP_LIMIT * LANES + lane] = contacts.slip_limit[slot]
    d[RADIUS * LANES + lane] = max(model.radius[a], model.radius[b])
    d[MASS_A * LANES + lane] = model.inverse_mass[a]
    d[MASS_B * LANES + lane] = model.inverse_mass[b]
    d[FRICTION * LANES + lane] = math.sqrt(model.friction[a] * model.friction[b])
    d[RESTITUTION * LANES + lane] = math.sqrt(model.restitution[a] * model.restitution[b])

    # Friction is kept in the frame of a, where the contact frame is fixed too.
    d[TWIST * LANES + lane] = contacts.twist[slot]
    sx, sy, sz = contacts.frame[slot, 3], contacts.frame[slot, 4], contacts.frame[slot, 5]
    tx, ty, tz = second_tangent(contacts.frame, slot)
    for i in range(5):
        x, y, z = contacts.friction[slot, i, 0], contacts.friction[slot, i, 1], contacts.friction[slot, i, 2]
        d[(SLIDE_1 + i) * LANES + lane] = x * sx + y * sy + z * sz
        d[(SLIDE_2 + i) * LANES + lane] = x * tx + y * ty + z * tz


@inlined
def second_tangent(frame, slot):
    """Return normal x first tangent of a manifold, frame of a."""
    return (
        frame[slot, 1] * frame[slot, 5] - frame[slot, 2] * frame[slot, 4],
        frame[slot, 2] * frame[slot, 3] - frame[slot, 0] * frame[slot, 5],
        frame[slot, 0] * frame[slot, 4] - frame[slot, 1] * frame[slot, 3],
    )


@inlined
def store_lane(contacts, d, lane, slot):
    """Store the impulses of a lane in the manifold's memory, friction in the frame of a."""
    for i in range(4):
        contacts.impulse[slot, i] = d[(IMPULSE + i) * LANES + lane]
        contacts.reference[slot, i] = d[(REFERENCE + i) * LANES + lane]
    contacts.twist[slot] = d[TWIST * LANES + lane]
    sx, sy, sz = contacts.frame[slot, 3], contacts.frame[slot, 4], contacts.frame[slot, 5]
    tx, ty, tz = second_tangent(contacts.frame, slot)
    for i in range(5):
        p, q = d[(SLIDE_1 + i) * LANES + lane], d[(SLIDE_2 + i) * LANES + lane]
        contacts.friction[slot, i, 0] = p * sx + q * tx
        contacts.friction[slot, i, 1] = p * sy + q * ty
        contacts.friction[slot, i, 2] = p * sz + q * tz


@kernel
def store_rows(contacts, rows):
    """Store all impulses of the lanes in the manifolds' memory."""
    for group in range(contacts.number[GROUPS]):
        for lane in range(rows.fill[group]):
            store_lane(contacts, rows.data[group], lane, rows.slot[group, lane])
