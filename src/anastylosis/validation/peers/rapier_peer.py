"""Rapier: soft contacts in 8 substeps a step, one thread, single precision."""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from anastylosis.validation.peers.run import PeerRun, load, run_steps, uniform_surface
from anastylosis.validation.scene import GRAVITY, BenchScene

NAME = "Rapier"
PACKAGE = "rapier3d"
SOLVER = "soft 8 substeps"
TIME_STEPS = (1 / 240,)  # [s]

# Its defaults are for bodies of a metre: with them the tower sinks 30 mm and its blocks rest 4 mm deep in each other.
SUBSTEPS = 8  # 4, its default (contacts at 180 Hz): a quarter cheaper, drift 0.84 mm instead of 0.33 mm, twice the penetration
LENGTH_UNIT = 0.02  # [m] scales its allowed error (0.1 mm) and its push-out speed (0.06 m/s)
PREDICTION = 0.010  # [m] how far ahead a contact is seen: the way of a 2.4 m/s fall in 1/240 s
CONTACT_FREQUENCY = 1.25  # [1/dt] natural frequency of a contact, 300 Hz at 1/240 s; stiffer towers walk away
DAMPING_RATIO = 10.0  # its default


def is_available() -> bool:
    """Return whether Rapier's Python package is installed."""
    return find_spec(PACKAGE) is not None


def simulate(scene: BenchScene, *, dt: float, seconds: float, record_every: int = 0) -> PeerRun:
    """Run `scene` for `seconds` in steps of `dt` [s]."""
    rapier = load(PACKAGE)
    friction, restitution = uniform_surface(scene.structure)
    blocks = scene.structure.blocks
    world = rapier.PhysicsWorld(gravity=(0, 0, -GRAVITY))
    world.set_num_threads(1)
    settings = world.integration_parameters
    settings.dt = dt
    settings.num_solver_iterations = SUBSTEPS
    settings.length_unit = LENGTH_UNIT
    settings.normalized_prediction_distance = PREDICTION / LENGTH_UNIT
    settings.contact_softness = rapier.SpringCoefficients(CONTACT_FREQUENCY / dt, DAMPING_RATIO)
    # Twice the frequency against what cannot move, as in its defaults.
    settings.static_contact_softness = rapier.SpringCoefficients(2 * CONTACT_FREQUENCY / dt, DAMPING_RATIO)

    def surface(collider):
        return collider.friction(friction).restitution(restitution)

    world.add_collider(surface(rapier.Collider.halfspace((0, 0, 1))))
    bodies = []
    for row in range(len(blocks)):
        pose = rapier.Isometry3(scene.structure.position[row], rapier.Rotation3(*scene.structure.orientation[row]))
        body = rapier.RigidBody.fixed() if blocks.fixed[row] else rapier.RigidBody.dynamic()
        body = body.position(pose).linvel(scene.velocity[row]).angvel(scene.angular_velocity[row])
        mass = rapier.MassProperties((0, 0, 0), blocks.mass[row], blocks.inertia[row])
        box = surface(rapier.Collider.cuboid(*blocks.size[row] / 2)).mass_properties(mass)
        bodies.append(world.add_body(body.can_sleep(False).gyroscopic_forces(True), [box]))

    def advance(steps: int) -> None:
        for _ in range(steps):
            world.step()

    def read(position: NDArray[np.float64], orientation: NDArray[np.float64]) -> None:
        for row, handle in enumerate(bodies):
            body = world.rigid_bodies[handle]
            p, q = body.translation, body.rotation
            position[row], orientation[row] = (p.x, p.y, p.z), (q.w, q.i, q.j, q.k)

    return run_steps(advance, read, blocks=len(blocks), dt=dt, seconds=seconds, record_every=record_every)
