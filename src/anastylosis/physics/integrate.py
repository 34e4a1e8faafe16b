"""Newton-Euler in time: semi-implicit Euler with the gyroscopic term, no damping. Paper §4.2, Eqs. (4)-(6)."""

import math

from anastylosis.kernel import inlined, kernel
from anastylosis.physics.rotation import integrate_orientation, rotate, rotation_matrix, unrotate, world_inverse_inertia

# A turn below this in one substep [rad] changes the inertia by less than rounding: no gyroscopic term needed.
TURN_MIN = 1e-9
# A pose is looked at anew when a point of the body has moved this far [m]. Far below every contact length.
SEEN_TOLERANCE = 5e-7


@kernel
def integrate_velocity(model, bodies, control, settings):
    """Accelerate: v += h (g + F / m); omega += h I^-1 tau. Paper Eqs. (4), (5)."""
    h = settings.h
    for i in range(bodies.motion.shape[0] - 1):
        if not bodies.moves[i]:
            continue
        v = bodies.motion[i]
        m = h * model.inverse_mass[i]
        v[0] += h * settings.gravity_x + m * control.force[i, 0]
        v[1] += h * settings.gravity_y + m * control.force[i, 1]
        v[2] += h * settings.gravity_z + m * control.force[i, 2]
        x, y, z = h * control.torque[i, 0], h * control.torque[i, 1], h * control.torque[i, 2]
        inertia = bodies.inverse_inertia[i]
        v[3] += inertia[0] * x + inertia[1] * y + inertia[2] * z
        v[4] += inertia[1] * x + inertia[3] * y + inertia[4] * z
        v[5] += inertia[2] * x + inertia[4] * y + inertia[5] * z


@kernel
def integrate_position(model, state, bodies, h, pushed):
    """Move: x += h v, q turned by omega; omega follows so that the angular momentum stays. Paper Eqs. (2), (4), (6).

    The gyroscopic term is taken exactly in momentum form: L = I(q) omega is kept while q turns with the
    omega of mid-step, then omega = I(q_new)^-1 L. |L| is conserved to rounding, energy to second order.
    """
    for i in range(bodies.motion.shape[0] - 1):
        if not bodies.moves[i]:
            continue
        v = bodies.motion[i]
        state.position[i, 0] += h * v[0]
        state.position[i, 1] += h * v[1]
        state.position[i, 2] += h * v[2]
        q = state.orientation[i]
        if pushed:
            push = bodies.push[i]
            for k in range(3):
                state.position[i, k] += h * push[k]
            integrate_orientation(q, push[3], push[4], push[5], h, q)
        x, y, z = v[3], v[4], v[5]
        if (abs(x) + abs(y) + abs(z)) * h < TURN_MIN:
            if x != 0.0 or y != 0.0 or z != 0.0:
                integrate_orientation(q, x, y, z, h, q)
            continue
        ix, iy, iz = model.inverse_inertia[i, 0], model.inverse_inertia[i, 1], model.inverse_inertia[i, 2]
        turn, middle = bodies.scratch[0:9], bodies.scratch[9:13]
        rotation_matrix(q, turn)
        a, b, c = unrotate(turn, x, y, z)
        lx, ly, lz = rotate(turn, a / ix, b / iy, c / iz)
        integrate_orientation(q, x, y, z, 0.5 * h, middle)
        rotation_matrix(middle, turn)
        a, b, c = unrotate(turn, lx, ly, lz)
        x, y, z = rotate(turn, a * ix, b * iy, c * iz)
        integrate_orientation(q, x, y, z, h, q)
        rotation_matrix(q, turn)
        a, b, c = unrotate(turn, lx, ly, lz)
        v[3], v[4], v[5] = rotate(turn, a * ix, b * iy, c * iz)


@inlined
def point_speed(motion, i, radius):
    """Bound the speed of any point of body i [m/s]."""
    x, y, z = motion[i, 0], motion[i, 1], motion[i, 2]
    a, b, c = motion[i, 3], motion[i, 4], motion[i, 5]
    return math.sqrt(x * x + y * y + z * z) + math.sqrt(a * a + b * b + c * c) * radius


@kernel
def refresh_bodies(model, state, bodies):
    """Refresh all speeds, and rotation, inertia and travel of bodies that have moved; return True if any has."""
    any_moved = False
    for i in range(bodies.motion.shape[0] - 1):
        bodies.moved[i] = False
        if not state.present[i]:
            continue
        bodies.speed[i] = point_speed(bodies.motion, i, model.radius[i])
        x, q, seen = state.position[i], state.orientation[i], bodies.seen[i]
        slid = abs(x[0] - seen[0]) + abs(x[1] - seen[1]) + abs(x[2] - seen[2])
        turned = abs(q[0] - seen[3]) + abs(q[1] - seen[4]) + abs(q[2] - seen[5]) + abs(q[3] - seen[6])
        path = slid + 2.0 * model.radius[i] * turned  # |dq| is half the angle, and the 1-norm bounds it
        if path > SEEN_TOLERANCE:
            any_moved = True
            bodies.moved[i] = True
            bodies.travel[i] += path
            for k in range(3):
                seen[k] = x[k]
            for k in range(4):
                seen[3 + k] = q[k]
            inverse = model.inverse_inertia[i]
            rotation_matrix(q, bodies.rotation[i])
            world_inverse_inertia(bodies.rotation[i], inverse[0], inverse[1], inverse[2], bodies.inverse_inertia[i])
    return any_moved
