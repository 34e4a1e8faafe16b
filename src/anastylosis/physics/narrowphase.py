"""Which of the near pairs touch: pairs that are apart are looked at only when they may have met."""

from anastylosis.physics.contacts import PAIRS
from anastylosis.physics.kernel import kernel
from anastylosis.physics.manifold import rebuild_manifold

__all__ = ["find_contacts"]


@kernel
def find_contacts(model, state, bodies, contacts, settings):
    """Collide the apart pairs whose travel has used up their distance; True when one of them touches now."""
    touched = False
    for p in range(contacts.number[PAIRS]):
        slot = contacts.pair_slot[p]
        if contacts.points[slot] > 0:
            continue
        a, b = contacts.pair[p, 0], contacts.pair[p, 1]
        if bodies.travel[a] + bodies.travel[b] >= contacts.check_at[slot]:
            if rebuild_manifold(model, state, bodies, contacts, slot, a, b, settings) > 0:
                touched = True
    return touched
