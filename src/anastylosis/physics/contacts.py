"""Contacts: the pairs of near bodies, and the manifold each touching pair keeps from step to step."""

from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats, Integers

POINTS_MAX = 4  # contact points a manifold keeps

# Places in Contacts.number.
PAIRS, FREE, ACTIVE, GROUPS, REPACK, STRUCK, STATUS = range(7)
OK, PAIRS_FULL = 0, 1  # values of number[STATUS]


class Contacts(NamedTuple):
    """P pairs at most. A pair owns a manifold slot for as long as its bodies are near each other."""

    number: Integers  # (W, 7) pairs, free slots, manifolds in rows, row groups, rows out of date, impacts, status
    pair: Integers  # (W, P, 2) bodies a < b, sorted; b = N - 1 is the floor
    pair_slot: Integers  # (W, P) where the pair's manifold is kept
    found: Integers  # (W, P, 2) pairs as the sweep finds them
    place: Integers  # (W, P) sorted order of `found`
    kept: Integers  # (W, P) slot a found pair had before, -1: none
    bucket: Integers  # (W, N + 1) counting sort of `found`
    free: Integers  # (W, P) slots not in use
    points: Integers  # (W, P) contact points in the manifold; 0: apart
    check_at: Floats  # (W, P) travel of both bodies at which an apart pair is looked at again [m]
    axis: Integers  # (W, P) separating axis found last, -1: none
    frame: Floats  # (W, P, 12) normal (from a to b) and first tangent when built, in the frame of a, then in that of b
    anchor: Floats  # (W, P, 4, 6) the point on a (frame of a) and on b (frame of b) [m]
    slip_limit: Floats  # (W, P) slide after which the manifold is rebuilt [m]
    gap: Floats  # (W, P, 4) distance along the normal when built, negative: penetration [m]
    feature: Integers  # (W, P, 4) which edges or corners made the point: its identity
    impulse: Floats  # (W, P, 4) normal impulses of the last substep [N s]
    reference: Floats  # (W, P, 4) slow mean of the impulses, what the warm start is drawn to [N s]
    friction: Floats  # (W, P, 5, 3) friction impulses, frame of a: of each point (pgs), of the manifold (block) [N s]
    twist: Floats  # (W, P) friction about the normal (block) [N m s]
    polygon: Floats  # (W, 12, 4) scratch of the clipping: u, v, gap, feature of each corner
    clipped: Floats  # (W, 12, 4) the same, half-way through
    plane: Floats  # (W, 4, 3) origin, u axis, v axis, normal of the plane it is done in
    old: Floats  # (W, 4, 6) feature, impulse, reference, friction of the points before


def build_contacts(worlds: int, bodies: int, pairs: int) -> Contacts:
    """Build arrays without pairs, with all slots free."""

    def floats(*shape: int) -> Floats:
        return np.zeros((worlds, *shape))

    def ints(*shape: int) -> Integers:
        return np.zeros((worlds, *shape), np.int64)

    contacts = Contacts(
        number=ints(7),
        pair=ints(pairs, 2),
        pair_slot=ints(pairs),
        found=ints(pairs, 2),
        place=ints(pairs),
        kept=ints(pairs),
        bucket=ints(bodies + 1),
        free=ints(pairs),
        points=ints(pairs),
        check_at=floats(pairs),
        axis=ints(pairs),
        frame=floats(pairs, 12),
        anchor=floats(pairs, POINTS_MAX, 6),
        slip_limit=floats(pairs),
        gap=floats(pairs, POINTS_MAX),
        feature=ints(pairs, POINTS_MAX),
        impulse=floats(pairs, POINTS_MAX),
        reference=floats(pairs, POINTS_MAX),
        friction=floats(pairs, POINTS_MAX + 1, 3),
        twist=floats(pairs),
        polygon=floats(12, 4),
        clipped=floats(12, 4),
        plane=floats(4, 3),
        old=floats(POINTS_MAX, 6),
    )
    contacts.free[:] = np.arange(pairs)[::-1]
    contacts.number[:, FREE] = pairs
    return contacts
