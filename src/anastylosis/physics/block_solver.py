"""Block solver, the default: solves a manifold as one block of six degrees of freedom.

The relative motion at the centre of a manifold has a normal part (approach v_n, and two tilts w_1, w_2), a slide in
the plane (two) and a twist about the normal (one). Four unilateral points act in the three normal ones, Coulomb's
cone holds the slide, and the twist is held by mu times the impulses times their levers. The wrench of a whole
manifold is solved in registers and goes to the two bodies once: three times faster than point by point.
docs/decisions/0003.

Each function loops over the lanes of a group without a branch, so that the compiler vectorises it.
"""

import math

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.contacts import GROUPS, STRUCK
from anastylosis.physics.rows import (
    ARM_A,
    ARM_B,
    BOUNCE,
    FIELDS,
    FRICTION,
    GAP,
    IMPULSE,
    INERTIA_A,
    INERTIA_B,
    LANES,
    LIVE,
    MASS_A,
    MASS_B,
    OWN,
    REFERENCE,
    RESTITUTION,
    SLIDE_1,
    SLIDE_2,
    TWIST,
    VELOCITY_A,
    VELOCITY_B,
    X,
    Y,
)  # fmt: skip
from anastylosis.physics.wrench import apply_wrench, body_response, gather, relative_motion, scatter

# Fields of this solver. K is the inverse effective mass: how the relative motion answers to a wrench.
NORMAL_K = OWN  # 6: symmetric, over (v_n, w_1, w_2)
POINT_MASS = OWN + 6  # 4: effective mass of each point
SLIDE_MASS = OWN + 10  # 1
SLIDE_NORMAL = OWN + 11  # 6: slide caused by a normal wrench
TWIST_MASS = OWN + 17  # 1
TWIST_NORMAL = OWN + 18  # 3: twist caused by a normal wrench
TWIST_SLIDE = OWN + 21  # 2: twist caused by a slide impulse
LEVER = OWN + 23  # 4: distance of each point from the centre
BIAS = OWN + 27  # 4: speed of approach that an open gap allows [m/s]
PUSH = OWN + 31  # 4: pseudo-impulses that push penetration out [N s]

BOUNCE_SWEEPS = 8  # Gauss-Seidel sweeps over the points of an impact; 4 leave e = 0.1 too low
MANIFOLD = 4  # the manifold's own entry among the five of SLIDE_1, SLIDE_2
TINY = 1e-30


@inlined
def prepare_point(d, lane, p, settings, per_h, v_n, w_1, w_2):
    """Compute effective mass, lever, bias speed and restitution target of one point."""
    x, y = d[(X + p) * LANES + lane], d[(Y + p) * LANES + lane]
    gap, live = d[(GAP + p) * LANES + lane], d[(LIVE + p) * LANES + lane]
    k0, k1, k2 = d[NORMAL_K * LANES + lane], d[(NORMAL_K + 1) * LANES + lane], d[(NORMAL_K + 2) * LANES + lane]
    k3, k4, k5 = d[(NORMAL_K + 3) * LANES + lane], d[(NORMAL_K + 4) * LANES + lane], d[(NORMAL_K + 5) * LANES + lane]
    k = k0 + 2.0 * (k1 * y - k2 * x) + k3 * y * y - 2.0 * k4 * x * y + k5 * x * x
    d[(POINT_MASS + p) * LANES + lane] = live / (k if k > TINY else 1.0)
    d[(LEVER + p) * LANES + lane] = math.sqrt(x * x + y * y)
    over = gap - settings.skin
    d[(BIAS + p) * LANES + lane] = over * per_h if over > 0.0 else 0.0  # an open gap may close within the substep
    d[(PUSH + p) * LANES + lane] = 0.0
    v = v_n + w_1 * y - w_2 * x
    # Only a point that carried nothing is struck: restitution acts once.
    struck = v < -settings.bounce_speed and d[(IMPULSE + p) * LANES + lane] == 0.0
    d[(BOUNCE + p) * LANES + lane] = -v * (d[RESTITUTION * LANES + lane] + TINY) * live if struck else 0.0


@kernel
def prepare_group(d, settings):
    """Compute effective masses, bias speeds and restitution targets of the lanes of one group."""
    per_h = 1.0 / settings.h
    for lane in range(LANES):
        a = body_response(d, lane, ARM_A, INERTIA_A, d[MASS_A * LANES + lane])
        b = body_response(d, lane, ARM_B, INERTIA_B, d[MASS_B * LANES + lane])
        d[NORMAL_K * LANES + lane] = a[0] + b[0]
        d[(NORMAL_K + 1) * LANES + lane] = a[1] + b[1]
        d[(NORMAL_K + 2) * LANES + lane] = a[2] + b[2]
        d[(NORMAL_K + 3) * LANES + lane] = a[3] + b[3]
        d[(NORMAL_K + 4) * LANES + lane] = a[4] + b[4]
        d[(NORMAL_K + 5) * LANES + lane] = a[5] + b[5]
        s0, s1, s2 = a[6] + b[6], a[7] + b[7], a[8] + b[8]
        # One mass for all directions, of the one that yields most: friction then points exactly against the slide. With the
        # inverse of the 2 x 2 K, as for a joint, the cone would turn it aside by up to 13 degrees.
        softest = 0.5 * (s0 + s2) + math.sqrt(0.25 * (s0 - s2) * (s0 - s2) + s1 * s1)
        d[SLIDE_MASS * LANES + lane] = 1.0 / (softest if softest > TINY else 1.0)
        d[SLIDE_NORMAL * LANES + lane] = a[9] + b[9]
        d[(SLIDE_NORMAL + 1) * LANES + lane] = a[10] + b[10]
        d[(SLIDE_NORMAL + 2) * LANES + lane] = a[11] + b[11]
        d[(SLIDE_NORMAL + 3) * LANES + lane] = a[12] + b[12]
        d[(SLIDE_NORMAL + 4) * LANES + lane] = a[13] + b[13]
        d[(SLIDE_NORMAL + 5) * LANES + lane] = a[14] + b[14]
        twist = a[15] + b[15]
        d[TWIST_MASS * LANES + lane] = 1.0 / (twist if twist > TINY else 1.0)
        d[TWIST_NORMAL * LANES + lane] = a[16] + b[16]
        d[(TWIST_NORMAL + 1) * LANES + lane] = a[17] + b[17]
        d[(TWIST_NORMAL + 2) * LANES + lane] = a[18] + b[18]
        d[TWIST_SLIDE * LANES + lane] = a[19] + b[19]
        d[(TWIST_SLIDE + 1) * LANES + lane] = a[20] + b[20]
        v_n, w_1, w_2, _, _, _ = relative_motion(d, lane)
        prepare_point(d, lane, 0, settings, per_h, v_n, w_1, w_2)
        prepare_point(d, lane, 1, settings, per_h, v_n, w_1, w_2)
        prepare_point(d, lane, 2, settings, per_h, v_n, w_1, w_2)
        prepare_point(d, lane, 3, settings, per_h, v_n, w_1, w_2)


@kernel
def prepare_blocks(bodies, contacts, rows, settings):
    """Prepare the groups that were filled anew; return how many hold an impact."""
    contacts.number[STRUCK] = 0
    for group in range(contacts.number[GROUPS]):
        if rows.dirty[group]:
            d = rows.data[group]
            gather(bodies.motion, d, rows.body[group])
            prepare_group(d, settings)
            bounce = lowest = 0.0
            for k in range(4 * LANES):
                bounce = max(bounce, d[BOUNCE * LANES + k])
                lowest = min(lowest, d[GAP * LANES + k] * d[LIVE * LANES + k])
            rows.bounces[group] = bounce > 0.0
            rows.deep[group] = lowest < -settings.slop
            rows.dirty[group] = False
        if rows.bounces[group]:
            contacts.number[STRUCK] += 1


@inlined
def warm_start_point(d, lane, p, settings):
    """Return the impulse to start from: that of the substep before, drawn a little to its slow mean."""
    impulse, reference = d[(IMPULSE + p) * LANES + lane], d[(REFERENCE + p) * LANES + lane]
    d[(REFERENCE + p) * LANES + lane] = reference + settings.reference_gain * (impulse - reference)
    blow = impulse - settings.blow_ratio * reference
    impulse += settings.leak * (reference - impulse) - settings.blow_leak * (blow if blow > 0.0 else 0.0)
    d[(IMPULSE + p) * LANES + lane] = impulse
    return impulse, impulse * d[(Y + p) * LANES + lane], -impulse * d[(X + p) * LANES + lane]


@kernel
def warm_start_group(d, settings):
    """Leave the velocity changes of the starting impulses in the lanes."""
    for lane in range(d.shape[0] // FIELDS):  # LANES, hidden: a loop this small would be unrolled, not vectorised
        f_0, m_10, m_20 = warm_start_point(d, lane, 0, settings)
        f_1, m_11, m_21 = warm_start_point(d, lane, 1, settings)
        f_2, m_12, m_22 = warm_start_point(d, lane, 2, settings)
        f_3, m_13, m_23 = warm_start_point(d, lane, 3, settings)
        apply_wrench(
            d, lane, f_0 + f_1 + f_2 + f_3, d[(SLIDE_1 + MANIFOLD) * LANES + lane], d[(SLIDE_2 + MANIFOLD) * LANES + lane],
            m_10 + m_11 + m_12 + m_13, m_20 + m_21 + m_22 + m_23, d[TWIST * LANES + lane],
        )  # fmt: skip


@kernel
def warm_start_blocks(bodies, contacts, rows, settings):
    """Apply the impulses of the substep before.

    A warm start is a force that lags behind the motion, and a tall tower rings with it. Drawing each impulse towards
    its own slow mean damps the ringing and, unlike drawing it towards zero, leaves a resting tower alone.
    """
    for group in range(contacts.number[GROUPS]):
        d = rows.data[group]
        warm_start_group(d, settings)
        scatter(bodies.motion, d, rows.body[group])


@inlined
def add_impulse(d, lane, change, x, y, v_n, w_1, w_2):
    """Add a normal impulse at (x, y); return the motion after it and its wrench."""
    c_1, c_2 = change * y, -change * x
    k0, k1, k2 = d[NORMAL_K * LANES + lane], d[(NORMAL_K + 1) * LANES + lane], d[(NORMAL_K + 2) * LANES + lane]
    k3, k4, k5 = d[(NORMAL_K + 3) * LANES + lane], d[(NORMAL_K + 4) * LANES + lane], d[(NORMAL_K + 5) * LANES + lane]
    return (
        v_n + k0 * change + k1 * c_1 + k2 * c_2,
        w_1 + k1 * change + k3 * c_1 + k4 * c_2,
        w_2 + k2 * change + k4 * c_1 + k5 * c_2,
        change,
        c_1,
        c_2,
    )


@inlined
def solve_point(d, lane, p, v_n, w_1, w_2):
    """Solve one point; return the motion after it, the wrench it added, its impulse, and the impulse times its lever."""
    x, y, impulse = d[(X + p) * LANES + lane], d[(Y + p) * LANES + lane], d[(IMPULSE + p) * LANES + lane]
    speed = v_n + w_1 * y - w_2 * x + d[(BIAS + p) * LANES + lane]
    wanted = impulse - d[(POINT_MASS + p) * LANES + lane] * speed
    wanted = wanted if wanted > 0.0 else 0.0
    d[(IMPULSE + p) * LANES + lane] = wanted
    v_n, w_1, w_2, change, c_1, c_2 = add_impulse(d, lane, wanted - impulse, x, y, v_n, w_1, w_2)
    return v_n, w_1, w_2, change, c_1, c_2, wanted, wanted * d[(LEVER + p) * LANES + lane]


@kernel
def solve_group(d):
    """Make one Gauss-Seidel pass over the manifolds of one group: normal points, then slide, then twist."""
    for lane in range(LANES):
        v_n, w_1, w_2, s_1, s_2, twist = relative_motion(d, lane)
        v_n, w_1, w_2, f_n0, m_10, m_20, total0, lever0 = solve_point(d, lane, 0, v_n, w_1, w_2)
        v_n, w_1, w_2, f_n1, m_11, m_21, total1, lever1 = solve_point(d, lane, 1, v_n, w_1, w_2)
        v_n, w_1, w_2, f_n2, m_12, m_22, total2, lever2 = solve_point(d, lane, 2, v_n, w_1, w_2)
        v_n, w_1, w_2, f_n3, m_13, m_23, total3, lever3 = solve_point(d, lane, 3, v_n, w_1, w_2)
        f_n = f_n0 + f_n1 + f_n2 + f_n3  # normal wrench of this pass
        m_1 = m_10 + m_11 + m_12 + m_13
        m_2 = m_20 + m_21 + m_22 + m_23

        mu = d[FRICTION * LANES + lane]
        s_1 += (
            d[SLIDE_NORMAL * LANES + lane] * f_n
            + d[(SLIDE_NORMAL + 1) * LANES + lane] * m_1
            + d[(SLIDE_NORMAL + 2) * LANES + lane] * m_2
        )
        s_2 += (
            d[(SLIDE_NORMAL + 3) * LANES + lane] * f_n
            + d[(SLIDE_NORMAL + 4) * LANES + lane] * m_1
            + d[(SLIDE_NORMAL + 5) * LANES + lane] * m_2
        )
        mass = d[SLIDE_MASS * LANES + lane]
        was_1, was_2 = d[(SLIDE_1 + MANIFOLD) * LANES + lane], d[(SLIDE_2 + MANIFOLD) * LANES + lane]
        g_1, g_2 = was_1 - mass * s_1, was_2 - mass * s_2
        # Coulomb's cone: the length of the impulse is limited, not each part.
        length = math.sqrt(g_1 * g_1 + g_2 * g_2 + TINY)
        scale = mu * (total0 + total1 + total2 + total3) / length
        scale = scale if scale < 1.0 else 1.0
        g_1, g_2 = g_1 * scale, g_2 * scale
        d[(SLIDE_1 + MANIFOLD) * LANES + lane] = g_1
        d[(SLIDE_2 + MANIFOLD) * LANES + lane] = g_2
        f_1, f_2 = g_1 - was_1, g_2 - was_2

        twist += (
            d[TWIST_NORMAL * LANES + lane] * f_n
            + d[(TWIST_NORMAL + 1) * LANES + lane] * m_1
            + d[(TWIST_NORMAL + 2) * LANES + lane] * m_2
            + d[TWIST_SLIDE * LANES + lane] * f_1
            + d[(TWIST_SLIDE + 1) * LANES + lane] * f_2
        )
        was = d[TWIST * LANES + lane]
        wanted = was - d[TWIST_MASS * LANES + lane] * twist
        limit = mu * (lever0 + lever1 + lever2 + lever3)
        wanted = wanted if wanted < limit else limit
        wanted = wanted if wanted > -limit else -limit
        d[TWIST * LANES + lane] = wanted
        apply_wrench(d, lane, f_n, f_1, f_2, m_1, m_2, wanted - was)


@kernel
def solve_blocks(bodies, contacts, rows):
    """Make one pass over all manifolds."""
    for group in range(contacts.number[GROUPS]):
        d, body = rows.data[group], rows.body[group]
        gather(bodies.motion, d, body)
        solve_group(d)
        scatter(bodies.motion, d, body)


@kernel
def bounce_blocks(bodies, contacts, rows, h):
    """Apply restitution once, after the move: struck points leave with e times their approach speed."""
    for group in range(contacts.number[GROUPS]):
        if not rows.bounces[group]:
            continue
        d, body = rows.data[group], rows.body[group]
        gather(bodies.motion, d, body)
        for lane in range(LANES):
            for k in range(3):  # the bodies have moved since the arms were taken; both must meet in one point again
                d[(ARM_B + k) * LANES + lane] += h * (d[(VELOCITY_A + k) * LANES + lane] - d[(VELOCITY_B + k) * LANES + lane])
            bounce_lane(d, lane)
        scatter(bodies.motion, d, body)


@kernel
def bounce_lane(d, lane):
    """Run Gauss-Seidel over the struck points of one manifold until each leaves at its target speed."""
    v_n, w_1, w_2, _, _, _ = relative_motion(d, lane)
    k0, k1, k2 = d[NORMAL_K * LANES + lane], d[(NORMAL_K + 1) * LANES + lane], d[(NORMAL_K + 2) * LANES + lane]
    k3, k4, k5 = d[(NORMAL_K + 3) * LANES + lane], d[(NORMAL_K + 4) * LANES + lane], d[(NORMAL_K + 5) * LANES + lane]
    f_n = m_1 = m_2 = 0.0
    for _ in range(BOUNCE_SWEEPS):
        for p in range(4):
            x, y = d[(X + p) * LANES + lane], d[(Y + p) * LANES + lane]
            impulse, target = d[(IMPULSE + p) * LANES + lane], d[(BOUNCE + p) * LANES + lane]
            if target == 0.0 or impulse == 0.0:
                continue
            change = max(-impulse, d[(POINT_MASS + p) * LANES + lane] * (target - (v_n + w_1 * y - w_2 * x)))
            d[(IMPULSE + p) * LANES + lane] = impulse + change
            c_1, c_2 = change * y, -change * x
            v_n += k0 * change + k1 * c_1 + k2 * c_2
            w_1 += k1 * change + k3 * c_1 + k4 * c_2
            w_2 += k2 * change + k4 * c_1 + k5 * c_2
            f_n += change
            m_1 += c_1
            m_2 += c_2
    struck = kept = 0.0
    for p in range(4):  # the blow is over: nothing of it, nor of its friction, is left to warm start from
        struck += d[(IMPULSE + p) * LANES + lane]
        if d[(BOUNCE + p) * LANES + lane] > 0.0:
            d[(IMPULSE + p) * LANES + lane] = 0.0
        kept += d[(IMPULSE + p) * LANES + lane]
    share = kept / struck if struck > 0.0 else 0.0
    d[(SLIDE_1 + MANIFOLD) * LANES + lane] *= share
    d[(SLIDE_2 + MANIFOLD) * LANES + lane] *= share
    d[TWIST * LANES + lane] *= share
    apply_wrench(d, lane, f_n, 0.0, 0.0, m_1, m_2, 0.0)


@inlined
def push_point(d, lane, p, rate, slop, limit, v_n, w_1, w_2):
    """Push one point out at `rate` times its penetration; return the pseudo-motion after it and the wrench added."""
    x, y, impulse = d[(X + p) * LANES + lane], d[(Y + p) * LANES + lane], d[(PUSH + p) * LANES + lane]
    under = (d[(GAP + p) * LANES + lane] + slop) * rate
    under = under if under > -limit else -limit
    wanted = impulse - d[(POINT_MASS + p) * LANES + lane] * (v_n + w_1 * y - w_2 * x + under)
    wanted = wanted if wanted > 0.0 else 0.0
    d[(PUSH + p) * LANES + lane] = wanted
    return add_impulse(d, lane, wanted - impulse, x, y, v_n, w_1, w_2)


@kernel
def push_group(d, rate, slop, limit):
    """Make one Gauss-Seidel pass over the penetrating points of a group."""
    for lane in range(LANES):
        v_n, w_1, w_2, _, _, _ = relative_motion(d, lane)
        v_n, w_1, w_2, f_0, m_10, m_20 = push_point(d, lane, 0, rate, slop, limit, v_n, w_1, w_2)
        v_n, w_1, w_2, f_1, m_11, m_21 = push_point(d, lane, 1, rate, slop, limit, v_n, w_1, w_2)
        v_n, w_1, w_2, f_2, m_12, m_22 = push_point(d, lane, 2, rate, slop, limit, v_n, w_1, w_2)
        v_n, w_1, w_2, f_3, m_13, m_23 = push_point(d, lane, 3, rate, slop, limit, v_n, w_1, w_2)
        m_1, m_2 = m_10 + m_11 + m_12 + m_13, m_20 + m_21 + m_22 + m_23
        apply_wrench(d, lane, f_0 + f_1 + f_2 + f_3, 0.0, 0.0, m_1, m_2, 0.0)


@kernel
def push_blocks(bodies, contacts, rows, settings):
    """Find a pseudo-motion that pushes penetration out; return True if there is any.

    It moves blocks in this substep and is then forgotten: unlike a bias in the velocities it adds no energy, so that
    a kicked tower comes to rest.
    """
    found = False
    for _ in range(settings.push_passes):
        for group in range(contacts.number[GROUPS]):
            if rows.deep[group]:
                if not found:
                    found = True
                    for i in range(bodies.push.shape[0]):
                        for k in range(6):
                            bodies.push[i, k] = 0.0
                d, body = rows.data[group], rows.body[group]
                gather(bodies.push, d, body)
                push_group(d, settings.bias_rate, settings.slop, settings.push_speed)
                scatter(bodies.push, d, body)
    return found
