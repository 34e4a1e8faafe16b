"""One world in time: a step reads like the paper's pipeline. Paper §4.2, §6, §7."""

from anastylosis.physics.block_solver import bounce_blocks, prepare_blocks, push_blocks, solve_blocks, warm_start_blocks
from anastylosis.physics.broadphase import pairs_expired, sweep_pairs
from anastylosis.physics.clock import COLLIDE, MOVE, SOLVE, ticks
from anastylosis.physics.contacts import OK, REPACK, STATUS, STRUCK
from anastylosis.physics.fill import fill_rows
from anastylosis.physics.integrate import integrate_position, integrate_velocity, refresh_bodies
from anastylosis.physics.island import update_islands
from anastylosis.physics.kernel import entry, kernel
from anastylosis.physics.narrowphase import find_contacts
from anastylosis.physics.rows import pack_rows, store_rows
from anastylosis.physics.seed import seed_impulses
from anastylosis.physics.servo import list_servos, solve_servos, warm_start_servos
from anastylosis.physics.sync import begin_call, end_call, first_bad_block, record_frame

__all__ = ["advance"]


@entry
def advance(model, state, control, bodies, contacts, rows, settings, steps, first, record_every, frames, stages):
    """Advance one world by `steps`, recording every k-th; returns (steps done, block that diverged or -1)."""
    begin_call(model, state, bodies)
    servos = list_servos(model, bodies, control)
    collide(model, state, bodies, contacts, rows, settings, True)
    if first:
        seed_impulses(model, bodies, control, contacts, rows, settings)
    bad = -1
    for step in range(steps):
        control.servo_force[:] = 0.0
        if settings.sleep and update_islands(model, state, bodies, contacts, control, settings):
            contacts.number[REPACK] = 1
        for _ in range(settings.substeps):
            start = ticks()
            collide(model, state, bodies, contacts, rows, settings, False)
            collided = ticks()
            if contacts.number[STATUS] != OK:
                return step, -1
            integrate_velocity(model, bodies, control, settings)
            began = ticks()
            warm_start_blocks(bodies, contacts, rows, settings)
            warm_start_servos(model, bodies, control, servos)
            struck = contacts.number[STRUCK] > 0
            for _ in range(settings.iterations + (settings.impact_iterations if struck else 0)):
                solve_servos(model, bodies, control, servos, settings.h)
                solve_blocks(bodies, contacts, rows)
            pushed = push_blocks(bodies, contacts, rows, settings)
            moved = ticks()
            integrate_position(model, state, bodies, settings.h, pushed)
            bounce_blocks(bodies, contacts, rows)
            end = ticks()
            stages[COLLIDE] += collided - start
            stages[SOLVE] += moved - began
            stages[MOVE] += (began - collided) + (end - moved)
            for s in range(servos):
                i = bodies.servo[s]
                control.servo_force[i] += bodies.servo_impulse[i] / settings.timestep
        bad = first_bad_block(state, bodies)
        if bad >= 0:
            break
        if record_every > 0 and (step + 1) % record_every == 0:
            record_frame(state, frames, (step + 1) // record_every - 1)
    end_call(state, bodies, contacts, rows)
    return step + 1, bad


@kernel
def collide(model, state, bodies, contacts, rows, settings, afresh):
    """Bring pairs, manifolds and rows up to date with the poses, doing only what the motion calls for."""
    stale = afresh or contacts.number[REPACK] == 1
    if not refresh_bodies(model, state, bodies) and not stale:
        return
    expired = afresh or pairs_expired(state, bodies, settings)
    if expired:
        store_rows(contacts, rows)
        sweep_pairs(model, state, bodies, contacts, settings)
    touched = find_contacts(model, state, bodies, contacts, settings)
    if stale or expired or touched:
        if not expired:
            store_rows(contacts, rows)
        pack_rows(model, bodies, contacts, rows)
    fill_rows(model, state, bodies, contacts, rows, settings, stale or expired or touched)
    prepare_blocks(bodies, contacts, rows, settings)
