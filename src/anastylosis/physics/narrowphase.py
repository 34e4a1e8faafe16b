"""Narrow phase: finds which near pairs touch. Pairs that are apart are collided only when they may have met."""

from anastylosis.kernel import kernel
from anastylosis.physics.contacts import PAIRS
from anastylosis.physics.manifold import contact_margin, find_gap, rebuild_manifold


@kernel
def find_contacts(model, state, bodies, contacts, settings):
    """Collide the apart pairs whose travel has used up their distance; return True when one of them touches now."""
    touched = False
    for p in range(contacts.number[PAIRS]):
        slot = contacts.pair_slot[p]
        if contacts.points[slot] > 0:
            continue
        a, b = contacts.pair[p, 0], contacts.pair[p, 1]
        travel = bodies.travel[a] + bodies.travel[b]
        if travel >= contacts.check_at[slot]:
            margin = contact_margin(model, bodies, a, b, settings)
            gap, _, _, _ = find_gap(model, state, bodies, a, b, margin, -1)
            if gap > margin:
                contacts.check_at[slot] = travel + gap - margin
            elif rebuild_manifold(model, state, bodies, contacts, slot, a, b, settings) > 0:
                touched = True
    return touched
