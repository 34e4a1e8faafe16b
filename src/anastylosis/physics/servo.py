"""Servo: a force-limited motor that pulls a block along an axis at a given speed."""

from anastylosis.kernel import kernel


@kernel
def push_body(model, bodies, control, i, impulse):
    """Add an impulse along the servo's axis at the centre of mass."""
    for k in range(3):
        bodies.motion[i, k] += model.inverse_mass[i] * impulse * control.servo_axis[i, k]


@kernel
def warm_start_servos(model, bodies, control, servos, h):
    """Approach the wanted speed, and apply the impulses of the substep before."""
    for s in range(servos):
        i = bodies.servo[s]
        gain = control.servo_acceleration[i] * h
        change = control.servo_speed[i] - bodies.servo_speed[i]
        bodies.servo_speed[i] += max(-gain, min(gain, change))
        push_body(model, bodies, control, i, bodies.servo_impulse[i])


@kernel
def solve_servos(model, bodies, control, servos, h):
    """Make one pass: apply the impulse that gives the wanted speed, within the limit of the force."""
    for s in range(servos):
        i = bodies.servo[s]
        v, axis = bodies.motion[i], control.servo_axis[i]
        speed = v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]
        limit = control.servo_limit[i] * h
        wanted = bodies.servo_impulse[i] + (bodies.servo_speed[i] - speed) / model.inverse_mass[i]
        wanted = max(-limit, min(limit, wanted))
        push_body(model, bodies, control, i, wanted - bodies.servo_impulse[i])
        bodies.servo_impulse[i] = wanted


@kernel
def list_servos(bodies, control):
    """Put the blocks under servo control into `bodies.servo`; return their number."""
    count = 0
    for i in range(control.servo_limit.shape[0]):
        if control.servo_limit[i] > 0.0 and bodies.moves[i]:
            bodies.servo[count] = i
            count += 1
        else:
            bodies.servo_impulse[i] = 0.0
            bodies.servo_speed[i] = 0.0
    return count


@kernel
def add_servo_forces(bodies, control, servos, timestep):
    """Add this substep's share to the mean force of the step."""
    for s in range(servos):
        i = bodies.servo[s]
        control.servo_force[i] += bodies.servo_impulse[i] / timestep


@kernel
def clear_servo_forces(control):
    """Set the forces to 0, at the start of a step."""
    for i in range(control.servo_force.shape[0]):
        control.servo_force[i] = 0.0
