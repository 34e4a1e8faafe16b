"""Seed: the forces in a structure at rest, found before time starts.

A tower whose contacts start from zero impulse falls a little before they have built up. So the contact problem of
the first instant is solved to convergence with nothing moving: first without friction, then with it (the other way
round leaves blocks wedged against each other).

How rigid blocks share a load is not determined by statics. Contacts that give a little, all alike, would share it as
equal springs do; so in the first passes every point gives way to its impulse, less and less. Without this the middle block
of a layer got half of the load, and the layer above went along when it was pulled.
"""

from anastylosis.kernel import kept, kernel
from anastylosis.physics import block_solver, point_solver
from anastylosis.physics.block_solver import prepare_blocks, solve_blocks
from anastylosis.physics.config import POINT_SOLVER
from anastylosis.physics.contacts import GROUPS
from anastylosis.physics.integrate import integrate_velocity
from anastylosis.physics.point_solver import prepare_points, solve_points
from anastylosis.physics.rows import FRICTION, GAP, IMPULSE, LANES, REFERENCE

OVER_RELAXATION = 1.6  # successive over-relaxation: 36 layers converge in hundreds of passes instead of thousands
STILL = 1e-10  # [m/s] all speeds below this: converged
GIVE, GIVE_STEP, GIVE_END = 0.5, 0.998, 1e-3  # give of a point, in units of its effective mass: first, factor, last
PATIENCE = 200  # passes without progress before a structure that cannot rest is left to fall


@kernel
def scale_field(contacts, rows, field, count, factor):
    """Multiply `count` fields of all lanes."""
    for group in range(contacts.number[GROUPS]):
        for k in range(field * LANES, (field + count) * LANES):
            rows.data[group, k] *= factor


@kernel
def relax_masses(contacts, rows, settings):
    """Over-relax all effective masses."""
    if settings.solver == POINT_SOLVER:
        scale_field(contacts, rows, point_solver.NORMAL_MASS, 4, OVER_RELAXATION)
        scale_field(contacts, rows, point_solver.SLIDE_MASS, 4, OVER_RELAXATION)
    else:
        scale_field(contacts, rows, block_solver.POINT_MASS, 4, OVER_RELAXATION)
        scale_field(contacts, rows, block_solver.SLIDE_MASS, 1, OVER_RELAXATION)
        scale_field(contacts, rows, block_solver.TWIST_MASS, 1, OVER_RELAXATION)


@kernel
def share_load(bodies, contacts, rows, settings, mass, bias):
    """Make passes in which points give way in proportion to their impulses, less and less: equal springs become rigid."""
    give = GIVE
    while give > GIVE_END and settings.seed_passes > 0:
        for group in range(contacts.number[GROUPS]):
            d = rows.data[group]
            for k in range(4 * LANES):
                if d[mass * LANES + k] > 0.0 and d[GAP * LANES + k] <= settings.skin:
                    d[bias * LANES + k] = give * d[IMPULSE * LANES + k] / d[mass * LANES + k]
        solve_once(bodies, contacts, rows, settings)
        give *= GIVE_STEP
    for group in range(contacts.number[GROUPS]):
        d = rows.data[group]
        for k in range(4 * LANES):
            if d[GAP * LANES + k] <= settings.skin:
                d[bias * LANES + k] = 0.0


@kernel
def solve_once(bodies, contacts, rows, settings):
    """Make one pass of the chosen solver."""
    if settings.solver == POINT_SOLVER:
        solve_points(bodies, contacts, rows)
    else:
        solve_blocks(bodies, contacts, rows)


@kernel
def solve_still(bodies, contacts, rows, settings):
    """Make passes of the chosen solver until nothing moves, or until they no longer help: what falls finds no rest."""
    slowest, stuck = 1e30, 0
    for _ in range(settings.seed_passes):
        solve_once(bodies, contacts, rows, settings)
        speed = fastest(bodies)
        stuck = 0 if speed < 0.999 * slowest else stuck + 1
        slowest = min(slowest, speed)
        if speed < STILL or stuck > PATIENCE:
            break


@kept
def seed_impulses(model, bodies, control, contacts, rows, settings):
    """Find the contact impulses of one substep at rest, as impulse and reference of every point."""
    copy_motion(bodies.motion, bodies.saved)
    for i in range(bodies.motion.shape[0]):
        for k in range(6):
            bodies.motion[i, k] = 0.0
    integrate_velocity(model, bodies, control, settings)
    relax_masses(contacts, rows, settings)
    mute = 2.0**-600  # friction of next to nothing, and back, exactly
    scale_field(contacts, rows, FRICTION, 1, mute)
    by_points = settings.solver == POINT_SOLVER
    mass = point_solver.NORMAL_MASS if by_points else block_solver.POINT_MASS
    share_load(bodies, contacts, rows, settings, mass, point_solver.BIAS if by_points else block_solver.BIAS)
    for rubs in range(2):  # first without friction; a loop, so that the solver is compiled once for both
        if rubs == 1:
            scale_field(contacts, rows, FRICTION, 1, 1.0 / mute)
        solve_still(bodies, contacts, rows, settings)
    for group in range(contacts.number[GROUPS]):
        rows.dirty[group] = True
        for k in range(4 * LANES):
            rows.data[group, REFERENCE * LANES + k] = rows.data[group, IMPULSE * LANES + k]
    copy_motion(bodies.saved, bodies.motion)
    if settings.solver == POINT_SOLVER:
        prepare_points(bodies, contacts, rows, settings)
    else:
        prepare_blocks(bodies, contacts, rows, settings)


@kernel
def copy_motion(source, target):
    """Copy all velocities of a world."""
    for i in range(source.shape[0]):
        for k in range(6):
            target[i, k] = source[i, k]


@kernel
def fastest(bodies):
    """Return the largest component of any linear velocity [m/s]."""
    speed = 0.0
    for i in range(bodies.motion.shape[0] - 1):
        for k in range(3):
            speed = max(speed, abs(bodies.motion[i, k]))
    return speed
