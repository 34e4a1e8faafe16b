"""Point solver, the paper's: projected Gauss-Seidel, point by point. Paper §7, Eqs. (12)-(16).

Sibling of `block_solver`, with the same verbs over the same rows. It goes through the lanes one by one, reads and
changes the velocities of the two bodies (v, omega of a in `v`, of b in `u`) in place, and is written to be read beside
the paper's listing. What the paper gets wrong is put right and marked *erratum*.
"""

import math

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.contacts import GROUPS
from anastylosis.physics.rows import (
    ARM_A,
    ARM_B,
    BOUNCE,
    FRICTION,
    GAP,
    IMPULSE,
    INERTIA_A,
    INERTIA_B,
    LANES,
    LIVE,
    MASS_A,
    MASS_B,
    NORMAL,
    OWN,
    REFERENCE,
    RESTITUTION,
    SLIDE_1,
    SLIDE_2,
    TANGENT_1,
    TANGENT_2,
    X,
    Y,
)  # fmt: skip

# Fields of this solver, four each: one a point.
NORMAL_MASS = OWN  # 1 / k_n
SLIDE_MASS = OWN + 4  # 1 / k_t
BIAS = OWN + 8  # speed of approach that an open gap allows [m/s]

BOUNCE_SWEEPS = 20  # Gauss-Seidel sweeps over the points of an impact: e to 1e-12 when a face lands flat


# Vectors are tuples of three, which the compiler keeps in registers.


@inlined
def dot(p, q):
    """Return p . q."""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


@inlined
def cross(p, q):
    """Return p x q."""
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


@inlined
def blend(s, p, t, q):
    """Return s p + t q."""
    return s * p[0] + t * q[0], s * p[1] + t * q[1], s * p[2] + t * q[2]


@inlined
def read_vector(d, lane, field):
    """Read three consecutive fields of a lane."""
    return d[field * LANES + lane], d[(field + 1) * LANES + lane], d[(field + 2) * LANES + lane]


@inlined
def inverse_inertia_times(d, lane, field, p):
    """Return I^-1 p of body a or b, world frame."""
    j_0, j_1 = read_vector(d, lane, field), read_vector(d, lane, field + 3)  # xx, xy, xz; yy, yz, zz
    return dot(j_0, p), j_0[1] * p[0] + j_1[0] * p[1] + j_1[1] * p[2], j_0[2] * p[0] + j_1[1] * p[1] + j_1[2] * p[2]


@inlined
def point_arms(d, lane, p):
    """Return r_A and r_B: point p from the two centres of mass."""
    across = blend(
        d[(X + p) * LANES + lane], read_vector(d, lane, TANGENT_1), d[(Y + p) * LANES + lane], read_vector(d, lane, TANGENT_2)
    )
    return blend(1.0, read_vector(d, lane, ARM_A), 1.0, across), blend(1.0, read_vector(d, lane, ARM_B), 1.0, across)


@inlined
def effective_mass(d, lane, r_a, r_b, n, t):
    """Compute k: the speed along t that a unit impulse along n gives, b against a. Paper Eq. (13) for n = t.

    The paper's n . [(I^-1 (r x n)) x r] is written (r x n) . I^-1 (r x n). Its name stays, though k is an *inverse* mass.
    """
    return (
        (d[MASS_A * LANES + lane] + d[MASS_B * LANES + lane]) * dot(n, t)
        + dot(cross(r_a, t), inverse_inertia_times(d, lane, INERTIA_A, cross(r_a, n)))
        + dot(cross(r_b, t), inverse_inertia_times(d, lane, INERTIA_B, cross(r_b, n)))
    )


@inlined
def point_velocity(v, u, r_a, r_b):
    """Return the velocity of b against a at a point: v_B + omega_B x r_B - v_A - omega_A x r_A. Paper §7.1."""
    turn_a, turn_b = cross((v[3], v[4], v[5]), r_a), cross((u[3], u[4], u[5]), r_b)
    return u[0] + turn_b[0] - v[0] - turn_a[0], u[1] + turn_b[1] - v[1] - turn_a[1], u[2] + turn_b[2] - v[2] - turn_a[2]


@inlined
def apply_impulse(d, lane, v, u, r_a, r_b, impulse):
    """Change both velocities by an impulse at a point: + on b, - on a. The paper's listing leaves out the rotation."""
    mass_a, mass_b = d[MASS_A * LANES + lane], d[MASS_B * LANES + lane]
    turn_a = inverse_inertia_times(d, lane, INERTIA_A, cross(r_a, impulse))
    turn_b = inverse_inertia_times(d, lane, INERTIA_B, cross(r_b, impulse))
    for k in range(3):
        v[k] -= mass_a * impulse[k]
        v[3 + k] -= turn_a[k]
        u[k] += mass_b * impulse[k]
        u[3 + k] += turn_b[k]


@kernel
def prepare_points(bodies, contacts, rows, settings):
    """Compute effective masses, bias speeds and restitution targets of the groups that were filled anew."""
    for group in range(contacts.number[GROUPS]):
        if not rows.dirty[group]:
            continue
        d, body = rows.data[group], rows.body[group]
        bounces = deep = False
        for lane in range(rows.fill[group]):
            v, u = bodies.motion[body[lane]], bodies.motion[body[LANES + lane]]
            for p in range(4):
                if d[(LIVE + p) * LANES + lane] > 0.0:
                    prepare_point(d, lane, p, v, u, settings)
                    bounces = bounces or d[(BOUNCE + p) * LANES + lane] > 0.0
                    deep = deep or d[(GAP + p) * LANES + lane] < -settings.pgs_slop
        rows.bounces[group], rows.deep[group], rows.dirty[group] = bounces, deep, False


@inlined
def prepare_point(d, lane, p, v, u, settings):
    """Compute masses, bias speed and restitution target of one point.

    Friction of a sliding point must lie against its velocity. With k_t1 and k_t2 of their own (paper Eq. (15)) it
    turns towards the heavier tangent, by up to 32 degrees at the corner of a Jenga block (k_t2 / k_t1 = 3.3). With one
    k_t for both, the larger eigenvalue of the 2 x 2, it does not.
    """
    n, t_1, t_2 = read_vector(d, lane, NORMAL), read_vector(d, lane, TANGENT_1), read_vector(d, lane, TANGENT_2)
    r_a, r_b = point_arms(d, lane, p)
    d[(NORMAL_MASS + p) * LANES + lane] = 1.0 / effective_mass(d, lane, r_a, r_b, n, n)
    k_11, k_22 = effective_mass(d, lane, r_a, r_b, t_1, t_1), effective_mass(d, lane, r_a, r_b, t_2, t_2)
    k_12 = effective_mass(d, lane, r_a, r_b, t_1, t_2)
    k_t = 0.5 * (k_11 + k_22) + math.sqrt(0.25 * ((k_11 - k_22) * (k_11 - k_22)) + k_12 * k_12)
    d[(SLIDE_MASS + p) * LANES + lane] = 1.0 / k_t
    over = d[(GAP + p) * LANES + lane] - settings.skin
    d[(BIAS + p) * LANES + lane] = max(0.0, over / settings.h)  # an open gap may close within the substep
    approach = -dot(point_velocity(v, u, r_a, r_b), n)
    bounce = approach * d[RESTITUTION * LANES + lane] if approach > settings.bounce_speed else 0.0
    d[(BOUNCE + p) * LANES + lane] = bounce


@kernel
def warm_start_points(bodies, contacts, rows):
    """Apply the impulses of the substep before, and remember them as reference.

    Not in the paper, whose code keeps them without applying them, so that contacts turn to glue.
    """
    for group in range(contacts.number[GROUPS]):
        d, body = rows.data[group], rows.body[group]
        for lane in range(rows.fill[group]):
            v, u = bodies.motion[body[lane]], bodies.motion[body[LANES + lane]]
            n, t_1, t_2 = read_vector(d, lane, NORMAL), read_vector(d, lane, TANGENT_1), read_vector(d, lane, TANGENT_2)
            for p in range(4):
                if d[(LIVE + p) * LANES + lane] > 0.0:
                    d[(REFERENCE + p) * LANES + lane] = d[(IMPULSE + p) * LANES + lane]
                    slide = blend(d[(SLIDE_1 + p) * LANES + lane], t_1, d[(SLIDE_2 + p) * LANES + lane], t_2)
                    r_a, r_b = point_arms(d, lane, p)
                    apply_impulse(d, lane, v, u, r_a, r_b, blend(d[(IMPULSE + p) * LANES + lane], n, 1.0, slide))


@kernel
def solve_points(bodies, contacts, rows):
    """Make one PGS iteration over all points: the loop body of the paper's listing, Eqs. (12), (14), (15)."""
    for group in range(contacts.number[GROUPS]):
        d, body = rows.data[group], rows.body[group]
        for lane in range(rows.fill[group]):
            v, u = bodies.motion[body[lane]], bodies.motion[body[LANES + lane]]
            for p in range(4):
                if d[(LIVE + p) * LANES + lane] > 0.0:
                    solve_point(d, lane, p, v, u)


@inlined
def solve_point(d, lane, p, v, u):
    """Solve the normal impulse of one point, then its friction."""
    n, t_1, t_2 = read_vector(d, lane, NORMAL), read_vector(d, lane, TANGENT_1), read_vector(d, lane, TANGENT_2)
    r_a, r_b = point_arms(d, lane, p)

    # Erratum to Eq. (12): v_n' = v_n + k_n lambda_n. Erratum to Eq. (14): no e here; `bounce_points` has it.
    v_n = dot(point_velocity(v, u, r_a, r_b), n) + d[(BIAS + p) * LANES + lane]
    before = d[(IMPULSE + p) * LANES + lane]
    lambda_n = max(0.0, before - d[(NORMAL_MASS + p) * LANES + lane] * v_n)
    d[(IMPULSE + p) * LANES + lane] = lambda_n
    apply_impulse(d, lane, v, u, r_a, r_b, blend(lambda_n - before, n, 0.0, n))

    # Erratum to Eq. (15): Coulomb's cone. The length of the tangential impulse is limited, not each part.
    velocity, mass = point_velocity(v, u, r_a, r_b), d[(SLIDE_MASS + p) * LANES + lane]
    before_1, before_2 = d[(SLIDE_1 + p) * LANES + lane], d[(SLIDE_2 + p) * LANES + lane]
    lambda_1, lambda_2 = before_1 - mass * dot(velocity, t_1), before_2 - mass * dot(velocity, t_2)
    length, limit = math.sqrt(lambda_1 * lambda_1 + lambda_2 * lambda_2), d[FRICTION * LANES + lane] * lambda_n
    if length > limit:
        lambda_1, lambda_2 = lambda_1 * limit / length, lambda_2 * limit / length
    d[(SLIDE_1 + p) * LANES + lane], d[(SLIDE_2 + p) * LANES + lane] = lambda_1, lambda_2
    apply_impulse(d, lane, v, u, r_a, r_b, blend(lambda_1 - before_1, t_1, lambda_2 - before_2, t_2))


@kernel
def bounce_points(bodies, contacts, rows):
    """Apply restitution once: struck points leave with e times their approach speed.

    Erratum to Eq. (14): the paper takes e v_n of the present iteration, and the next iteration takes it back.
    """
    for group in range(contacts.number[GROUPS]):
        if not rows.bounces[group]:
            continue
        d, body = rows.data[group], rows.body[group]
        for lane in range(rows.fill[group]):
            v, u = bodies.motion[body[lane]], bodies.motion[body[LANES + lane]]
            for _ in range(BOUNCE_SWEEPS):
                for p in range(4):
                    bounce_point(d, lane, p, v, u)
            for p in range(4):
                if d[(BOUNCE + p) * LANES + lane] * d[(IMPULSE + p) * LANES + lane] > 0.0:
                    forget_blow(d, lane, p)


@inlined
def bounce_point(d, lane, p, v, u):
    """Add (e v_approach - v_n) / k_n to lambda_n of a struck point."""
    before, target = d[(IMPULSE + p) * LANES + lane], d[(BOUNCE + p) * LANES + lane]
    if before > 0.0 and target > 0.0:
        n = read_vector(d, lane, NORMAL)
        r_a, r_b = point_arms(d, lane, p)
        v_n = dot(point_velocity(v, u, r_a, r_b), n)
        lambda_n = max(0.0, before + d[(NORMAL_MASS + p) * LANES + lane] * (target - v_n))
        d[(IMPULSE + p) * LANES + lane] = lambda_n
        apply_impulse(d, lane, v, u, r_a, r_b, blend(lambda_n - before, n, 0.0, n))


@inlined
def forget_blow(d, lane, p):
    """Restore the impulse before the blow to warm start from, with friction in proportion."""
    kept = min(1.0, d[(REFERENCE + p) * LANES + lane] / d[(IMPULSE + p) * LANES + lane])
    d[(IMPULSE + p) * LANES + lane] *= kept
    d[(SLIDE_1 + p) * LANES + lane] *= kept
    d[(SLIDE_2 + p) * LANES + lane] *= kept


@kernel
def correct_positions(state, bodies, contacts, rows, settings):
    """Move the bodies of each manifold apart by a share of its deepest penetration beyond the slop. Paper Eq. (16).

    Erratum: each body moves in proportion to its own inverse mass. Depths are those at the start of the substep.
    """
    for group in range(contacts.number[GROUPS]):
        if not rows.deep[group]:
            continue
        d, body = rows.data[group], rows.body[group]
        for lane in range(rows.fill[group]):
            depth = 0.0
            for p in range(4):
                depth = max(depth, -d[(GAP + p) * LANES + lane] * d[(LIVE + p) * LANES + lane])
            mass_a, mass_b = d[MASS_A * LANES + lane], d[MASS_B * LANES + lane]
            push = settings.baumgarte * max(0.0, depth - settings.pgs_slop) / (mass_a + mass_b)
            move_body(state, bodies, body[lane], -mass_a * push, read_vector(d, lane, NORMAL))
            move_body(state, bodies, body[LANES + lane], mass_b * push, read_vector(d, lane, NORMAL))


@inlined
def move_body(state, bodies, i, distance, n):
    """Shift a body along n; the floor, and what is fixed or asleep, stays."""
    if bodies.moves[i]:
        for k in range(3):
            state.position[i, k] += distance * n[k]
