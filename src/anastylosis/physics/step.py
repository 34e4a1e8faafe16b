"""Step of one world in time; it reads like the paper's pipeline. Paper §4.2, §6, §7."""

from anastylosis.kernel import entry, kept, kernel
from anastylosis.physics.block_solver import bounce_blocks, prepare_blocks, push_blocks, solve_blocks, warm_start_blocks
from anastylosis.physics.broadphase import pairs_expired, sweep_pairs
from anastylosis.physics.clock import COLLIDE, MOVE, SOLVE, ticks
from anastylosis.physics.config import POINT_SOLVER
from anastylosis.physics.contacts import OK, REPACK, STATUS, STRUCK
from anastylosis.physics.fill import fill_rows
from anastylosis.physics.integrate import integrate_position, integrate_velocity, refresh_bodies
from anastylosis.physics.island import update_islands
from anastylosis.physics.narrowphase import find_contacts
from anastylosis.physics.point_solver import bounce_points, correct_positions, prepare_points, solve_points, warm_start_points
from anastylosis.physics.rows import pack_rows, store_rows
from anastylosis.physics.seed import seed_impulses
from anastylosis.physics.servo import add_servo_forces, clear_servo_forces, list_servos, solve_servos, warm_start_servos
from anastylosis.physics.sync import begin_call, end_call, first_bad_block, record_frame


@entry
def advance(model, state, control, bodies, contacts, rows, settings, steps, first, record_every, frames, stages):
    """Advance one world by `steps`, recording every k-th; return (steps done, block that diverged or -1)."""
    begin_call(model, state, control, bodies, contacts)
    servos = list_servos(bodies, control)
    for step in range(steps):
        clear_servo_forces(control)
        if settings.sleep and update_islands(model, state, bodies, contacts, control, settings):
            contacts.number[REPACK] = 1
        for part in range(settings.substeps):
            seed = first and step == 0 and part == 0
            substep(model, state, control, bodies, contacts, rows, settings, servos, seed, stages)
        bad = first_bad_block(state, bodies)
        if bad >= 0 or contacts.number[STATUS] != OK:
            return step + 1, bad
        if record_every > 0 and (step + 1) % record_every == 0:
            record_frame(model, state, control, bodies, frames, (step + 1) // record_every - 1)
    end_call(state, bodies, contacts, rows)
    return steps, -1


@kernel
def substep(model, state, control, bodies, contacts, rows, settings, servos, seed, stages):
    """Collide, accelerate, solve, move, bounce; the first one of a world finds the forces at rest, too."""
    start = ticks()
    collide(model, state, bodies, contacts, rows, settings)
    if seed:
        seed_impulses(model, bodies, control, contacts, rows, settings)
    collided = ticks()
    integrate_velocity(model, bodies, control, settings)
    if settings.solver == POINT_SOLVER:
        pushed = solve_by_points(model, state, control, bodies, contacts, rows, settings, servos)
    else:
        pushed = solve_by_blocks(model, control, bodies, contacts, rows, settings, servos)
    solved = ticks()
    integrate_position(model, state, bodies, settings.h, pushed)
    if settings.solver != POINT_SOLVER:
        bounce_blocks(bodies, contacts, rows, settings.h)
    add_servo_forces(bodies, control, servos, settings.timestep)
    stages[COLLIDE] += collided - start
    stages[SOLVE] += solved - collided
    stages[MOVE] += ticks() - solved


@entry
def collide(model, state, bodies, contacts, rows, settings):
    """Bring pairs, manifolds and rows up to date with the poses, doing only what the motion calls for."""
    stale = contacts.number[REPACK] == 1
    if not refresh_bodies(model, state, bodies) and not stale:
        return
    expired = pairs_expired(state, bodies, settings)
    if expired:
        store_rows(contacts, rows)
        sweep_pairs(model, state, bodies, contacts, settings)
    touched = find_contacts(model, state, bodies, contacts, settings)
    if stale or expired or touched:
        if not expired:
            store_rows(contacts, rows)
        pack_rows(model, bodies, contacts, rows)
    fill_rows(model, state, bodies, contacts, rows, settings, stale or expired or touched)
    if settings.solver == POINT_SOLVER:
        prepare_points(bodies, contacts, rows, settings)
    else:
        prepare_blocks(bodies, contacts, rows, settings)


@kept
def solve_by_blocks(model, control, bodies, contacts, rows, settings, servos):
    """Find velocities that the contacts allow, manifold by manifold; return True if there is penetration to push out."""
    warm_start_blocks(bodies, contacts, rows, settings)
    warm_start_servos(model, bodies, control, servos, settings.h)
    passes = settings.iterations + (settings.impact_iterations if contacts.number[STRUCK] > 0 else 0)
    for _ in range(passes):
        solve_servos(model, bodies, control, servos, settings.h)
        solve_blocks(bodies, contacts, rows)
    return push_blocks(bodies, contacts, rows, settings)


@kept
def solve_by_points(model, state, control, bodies, contacts, rows, settings, servos):
    """Solve point by point, as the paper does; penetration is moved out at once."""
    warm_start_points(bodies, contacts, rows)
    warm_start_servos(model, bodies, control, servos, settings.h)
    for _ in range(settings.iterations):
        solve_servos(model, bodies, control, servos, settings.h)
        solve_points(bodies, contacts, rows)
    bounce_points(bodies, contacts, rows)
    correct_positions(state, bodies, contacts, rows, settings)
    return False
