"""Broad phase: finds bodies near each other, by sort-and-sweep over fat world boxes. Paper §6.1, Eqs. (10), (11)."""

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.contacts import FREE, PAIRS, PAIRS_FULL, STATUS

# Fat boxes look this many time steps ahead at the present speed, so that pairs last for a whole step.
LOOK_AHEAD = 1.5
# The pair list is renewed when a body could leave its fat box within this many substeps.
SUBSTEPS_AHEAD = 2.0


@kernel
def pairs_expired(state, bodies, settings):
    """Return True when some body may have left the box for which the pairs were found."""
    for i in range(bodies.motion.shape[0] - 1):
        if state.present[i]:
            ahead = SUBSTEPS_AHEAD * settings.h * bodies.speed[i] + 0.5 * settings.contact_margin
            if bodies.travel[i] + ahead > bodies.reach[i]:
                return True
    return False


@kernel
def update_bounds(model, state, bodies, settings):
    """Update the fattened world boxes of the blocks; return the axis along which they spread most."""
    n = bodies.motion.shape[0] - 1
    sum_x = sum_y = sum_z = square_x = square_y = square_z = 0.0
    for i in range(n):
        if not state.present[i]:
            continue
        fat = 0.5 * settings.pair_margin + LOOK_AHEAD * settings.timestep * bodies.speed[i]
        bodies.reach[i] = bodies.travel[i] + fat
        r, half = bodies.rotation[i], model.half[i]
        for k in range(3):
            extent = abs(r[3 * k]) * half[0] + abs(r[3 * k + 1]) * half[1] + abs(r[3 * k + 2]) * half[2] + fat
            bodies.bounds[i, k] = state.position[i, k] - extent
            bodies.bounds[i, 3 + k] = state.position[i, k] + extent
        x, y, z = state.position[i, 0], state.position[i, 1], state.position[i, 2]
        sum_x, sum_y, sum_z = sum_x + x, sum_y + y, sum_z + z
        square_x, square_y, square_z = square_x + x * x, square_y + y * y, square_z + z * z
    spread_x = square_x - sum_x * sum_x / n
    spread_y = square_y - sum_y * sum_y / n
    spread_z = square_z - sum_z * sum_z / n
    if spread_x >= spread_y and spread_x >= spread_z:
        return 0
    return 1 if spread_y >= spread_z else 2


@kernel
def sort_bodies(bodies, axis):
    """Sort `order` by the low side, by insertion: it is nearly sorted already, so this takes nearly linear time."""
    order, bounds = bodies.order, bodies.bounds
    for i in range(1, order.shape[0] - 1):
        body = order[i]
        low = bounds[body, axis]
        j = i - 1
        while j >= 0 and bounds[order[j], axis] > low:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = body


@inlined
def overlap(p, q):
    """Return True when two boxes (6,) overlap on every axis. Paper Eq. (11)."""
    return p[0] <= q[3] and q[0] <= p[3] and p[1] <= q[4] and q[1] <= p[4] and p[2] <= q[5] and q[2] <= p[5]


@kernel
def sweep_pairs(model, state, bodies, contacts, settings):
    """Renew the sorted pair list; a pair that stays keeps its manifold, one that goes frees its slot."""
    axis = update_bounds(model, state, bodies, settings)
    sort_bodies(bodies, axis)
    n = bodies.motion.shape[0] - 1
    number, found, bucket = contacts.number, contacts.found, contacts.bucket
    capacity = found.shape[0]
    count = 0
    for i in range(bucket.shape[0]):
        bucket[i] = 0
    for i in range(n):
        a = bodies.order[i]
        if not state.present[a]:
            continue
        if bodies.bounds[a, 2] <= 0.0 and model.inverse_mass[a] > 0.0:
            if count == capacity:
                number[STATUS] = PAIRS_FULL
                return
            found[count, 0], found[count, 1] = a, n
            bucket[a + 1] += 1
            count += 1
        high = bodies.bounds[a, 3 + axis]
        for j in range(i + 1, n):
            b = bodies.order[j]
            if bodies.bounds[b, axis] > high:
                break
            if not state.present[b] or not overlap(bodies.bounds[a], bodies.bounds[b]):
                continue
            if model.inverse_mass[a] + model.inverse_mass[b] == 0.0:
                continue
            if count == capacity:
                number[STATUS] = PAIRS_FULL
                return
            found[count, 0], found[count, 1] = min(a, b), max(a, b)
            bucket[min(a, b) + 1] += 1
            count += 1

    sort_pairs(contacts, count)
    merge_pairs(contacts, count)


@kernel
def sort_pairs(contacts, count):
    """Fill `place` with the order of `found` by (a, b), so that nothing later depends on the sweep's order."""
    found, place, bucket = contacts.found, contacts.place, contacts.bucket
    for i in range(1, bucket.shape[0]):
        bucket[i] += bucket[i - 1]
    for i in range(count):  # counting sort by a
        a = found[i, 0]
        place[bucket[a]] = i
        bucket[a] += 1
    for i in range(1, count):  # insertion sort by b among equal a
        pair = place[i]
        a, b = found[pair, 0], found[pair, 1]
        j = i - 1
        while j >= 0 and found[place[j], 0] == a and found[place[j], 1] > b:
            place[j + 1] = place[j]
            j -= 1
        place[j + 1] = pair


@kernel
def merge_pairs(contacts, count):
    """Replace the pair list by the sorted one: common pairs keep their slots, the others free or take one."""
    number, pair, pair_slot = contacts.number, contacts.pair, contacts.pair_slot
    old, old_count = 0, number[PAIRS]
    for i in range(count):
        a, b = contacts.found[contacts.place[i], 0], contacts.found[contacts.place[i], 1]
        while old < old_count and (pair[old, 0] < a or (pair[old, 0] == a and pair[old, 1] < b)):
            free_slot(contacts, pair_slot[old])
            old += 1
        if old < old_count and pair[old, 0] == a and pair[old, 1] == b:
            contacts.kept[i] = pair_slot[old]
            old += 1
        else:
            contacts.kept[i] = -1
    while old < old_count:
        free_slot(contacts, pair_slot[old])
        old += 1
    for i in range(count):
        pair[i, 0], pair[i, 1] = contacts.found[contacts.place[i], 0], contacts.found[contacts.place[i], 1]
        pair_slot[i] = contacts.kept[i] if contacts.kept[i] >= 0 else take_slot(contacts)
    number[PAIRS] = count


@kernel
def free_slot(contacts, slot):
    """Give a manifold slot back."""
    contacts.free[contacts.number[FREE]] = slot
    contacts.number[FREE] += 1


@kernel
def take_slot(contacts):
    """Take a slot for a new pair: apart, never collided, no memory."""
    contacts.number[FREE] -= 1
    slot = contacts.free[contacts.number[FREE]]
    contacts.points[slot] = 0
    contacts.check_at[slot] = -1.0
    contacts.axis[slot] = -1
    return slot
