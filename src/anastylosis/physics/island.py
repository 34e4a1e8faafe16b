"""Islands: groups of blocks in touch, put to sleep and woken as one."""

from anastylosis.kernel import kernel
from anastylosis.physics.contacts import PAIRS


@kernel
def find_root(island, i):
    """Find the root of i's island, and halve the path on the way."""
    while island[i] != i:
        island[i] = island[island[i]]
        i = island[i]
    return i


@kernel
def update_islands(model, state, bodies, contacts, control, settings):
    """Put islands to sleep in which every block was quiet long enough, wake the others; return True when a block changed."""
    n = bodies.motion.shape[0] - 1
    for i in range(n):
        bodies.island[i] = i
        pushed = control.servo_limit[i] > 0.0
        for k in range(3):
            pushed = pushed or control.force[i, k] != 0.0 or control.torque[i, k] != 0.0
        if pushed or bodies.speed[i] > settings.sleep_speed:
            bodies.quiet[i] = 0.0
        else:
            bodies.quiet[i] += settings.timestep
    for p in range(contacts.number[PAIRS]):
        a, b = contacts.pair[p, 0], contacts.pair[p, 1]
        if contacts.points[contacts.pair_slot[p]] > 0 and model.inverse_mass[a] > 0.0 and model.inverse_mass[b] > 0.0:
            bodies.island[find_root(bodies.island, a)] = find_root(bodies.island, b)
    for i in range(n):  # an island is as quiet as its liveliest block
        root = find_root(bodies.island, i)
        if state.present[i] and bodies.quiet[i] < bodies.quiet[root]:
            bodies.quiet[root] = bodies.quiet[i]
    changed = False
    for i in range(n):
        asleep = bodies.quiet[find_root(bodies.island, i)] >= settings.sleep_after
        if asleep != bodies.asleep[i]:
            changed = True
            bodies.asleep[i] = asleep
            bodies.moves[i] = state.present[i] and model.inverse_mass[i] > 0.0 and not asleep
            if asleep:
                for k in range(6):
                    bodies.motion[i, k] = 0.0
    return changed


@kernel
def wake_all(bodies):
    """Wake every block: something was changed by hand."""
    for i in range(bodies.motion.shape[0]):
        bodies.asleep[i] = False
        bodies.quiet[i] = 0.0
