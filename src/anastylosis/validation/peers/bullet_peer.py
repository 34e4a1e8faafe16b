"""Bullet through PyBullet: sequential impulses, 14 iterations, double precision, plain rigid bodies."""

from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from anastylosis.validation.peers.run import RESTITUTION_SPEED, PeerRun, load, run_steps, uniform_surface
from anastylosis.validation.scene import GRAVITY, BenchScene

NAME = "PyBullet"
PACKAGE = "pybullet"
SOLVER = "SI14"
TIME_STEPS = (1 / 720,)  # [s]

BREAKING_DISTANCE = 0.002  # [m] beyond this a contact point is dropped; the default, 20 mm, is for metres and drifts 3 times more
# Share of a penetration undone in a step: the default of Bullet itself. PyBullet's 0.1 drifts 8.6 mm instead of 3.4 mm, 0.5
# drifts 2.7 mm but throws a dropped block twice as high; with split impulses, which throw none, the tower falls.
ERROR_REDUCTION = 0.2


def is_available() -> bool:
    """Return whether PyBullet is installed."""
    return find_spec(PACKAGE) is not None


def simulate(scene: BenchScene, *, dt: float, seconds: float, record_every: int = 0) -> PeerRun:
    """Run `scene` for `seconds` in steps of `dt` [s]."""
    bullet = load(PACKAGE)
    client = bullet.connect(bullet.DIRECT)
    try:
        bodies = build_world(bullet, client, scene, dt)

        def advance(steps: int) -> None:
            for _ in range(steps):
                bullet.stepSimulation(physicsClientId=client)

        def read(position: NDArray[np.float64], orientation: NDArray[np.float64]) -> None:
            for row, body in enumerate(bodies):
                position[row], (x, y, z, w) = bullet.getBasePositionAndOrientation(body, physicsClientId=client)
                orientation[row] = w, x, y, z

        return run_steps(advance, read, blocks=len(bodies), dt=dt, seconds=seconds, record_every=record_every)
    finally:
        bullet.disconnect(client)


def build_world(bullet, client: int, scene: BenchScene, dt: float) -> list[int]:
    """Build the floor and one body a block in `client`; return the blocks' body numbers."""
    friction, restitution = uniform_surface(scene.structure)
    blocks = scene.structure.blocks
    world = {"physicsClientId": client}
    plain = {"useMaximalCoordinates": True, **world}  # rigid bodies, 2.5 times faster here than one-link multibodies
    # Bullet multiplies the two surfaces of a pair: each gets the root.
    surface = {
        "lateralFriction": friction**0.5, "restitution": restitution**0.5, "rollingFriction": 0.0, "spinningFriction": 0.0,
        "linearDamping": 0.0, "angularDamping": 0.0, "activationState": bullet.ACTIVATION_STATE_DISABLE_SLEEPING,
    }  # fmt: skip
    bullet.setGravity(0, 0, -GRAVITY, **world)
    bullet.setPhysicsEngineParameter(
        fixedTimeStep=dt, numSolverIterations=14, contactBreakingThreshold=BREAKING_DISTANCE, erp=ERROR_REDUCTION,
        contactERP=ERROR_REDUCTION, restitutionVelocityThreshold=RESTITUTION_SPEED, **world,
    )  # fmt: skip
    bodies = []
    plane = bullet.createCollisionShape(bullet.GEOM_PLANE, **world)
    floor = bullet.createMultiBody(0, plane, **plain)
    bullet.changeDynamics(floor, -1, **surface, **world)
    for row in range(len(blocks)):
        w, x, y, z = scene.structure.orientation[row]
        box = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=(blocks.size[row] / 2).tolist(), **world)
        mass = 0.0 if blocks.fixed[row] else blocks.mass[row]
        position = scene.structure.position[row].tolist()
        body = bullet.createMultiBody(mass, box, basePosition=position, baseOrientation=(x, y, z, w), **plain)
        # Bullet's inertia of a box is exact; giving it with localInertiaDiagonal sets the mass of a plain body to 0.
        bullet.changeDynamics(body, -1, **surface, **world)
        bullet.resetBaseVelocity(body, scene.velocity[row].tolist(), scene.angular_velocity[row].tolist(), **world)
        bodies.append(body)
    return bodies
