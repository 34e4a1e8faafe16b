"""PhysX through SAPIEN: temporal Gauss-Seidel, 14 position iterations, on the calling thread."""

import warnings
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from anastylosis.validation.peers.run import RESTITUTION_SPEED, PeerRun, load, run_steps, uniform_surface
from anastylosis.validation.scene import GRAVITY, BenchScene

NAME = "PhysX"
PACKAGE = "sapien"
SOLVER = "TGS14"
TIME_STEPS = (1 / 240, 1 / 720)  # [s]

# [m] a shape; a pair meets within twice this, the way of a 2.4 m/s fall in 1/240 s. With 1 mm blocks land 7..12 mm deep
# in each other at 1/240 s; with 10 mm a step costs 30 % more.
CONTACT_OFFSET = 0.005


def is_available() -> bool:
    """Return whether SAPIEN is installed."""
    return find_spec(PACKAGE) is not None


def simulate(scene: BenchScene, *, dt: float, seconds: float, record_every: int = 0) -> PeerRun:
    """Run `scene` for `seconds` in steps of `dt` [s]."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SAPIEN warns when it finds no Vulkan; nothing is drawn here
        sapien, physx = load(PACKAGE), load("sapien.physx")
    friction, restitution = uniform_surface(scene.structure)
    blocks = scene.structure.blocks
    physx.set_scene_config(
        gravity=np.array([0, 0, -GRAVITY], np.float32), bounce_threshold=RESTITUTION_SPEED,
        enable_pcm=True, enable_tgs=True, enable_friction_every_iteration=True, cpu_workers=0,
    )  # fmt: skip
    system = physx.PhysxCpuSystem()
    system.timestep = dt
    world = sapien.Scene([system])
    material = physx.PhysxMaterial(friction, friction, restitution)

    def add(body, shape, position, orientation) -> None:
        shape.contact_offset, shape.rest_offset = CONTACT_OFFSET, 0.0
        body.attach(shape)
        entity = sapien.Entity()
        entity.add_component(body)
        entity.pose = sapien.Pose(position, orientation)
        world.add_entity(entity)

    plane = physx.PhysxCollisionShapePlane(material=material)  # its normal is its own x axis: turn that up
    add(physx.PhysxRigidStaticComponent(), plane, (0, 0, 0), (np.sqrt(0.5), 0, -np.sqrt(0.5), 0))
    bodies = []
    for row in range(len(blocks)):
        fixed = blocks.fixed[row]
        body = physx.PhysxRigidStaticComponent() if fixed else physx.PhysxRigidDynamicComponent()
        shape = physx.PhysxCollisionShapeBox(half_size=blocks.size[row] / 2, material=material)
        add(body, shape, scene.structure.position[row], scene.structure.orientation[row])
        bodies.append(body)
        if not fixed:
            body.mass, body.inertia = blocks.mass[row], blocks.inertia[row]
            body.linear_damping = body.angular_damping = 0.0
            body.sleep_threshold = 0.0
            body.solver_position_iterations, body.solver_velocity_iterations = 14, 1
            body.linear_velocity, body.angular_velocity = scene.velocity[row], scene.angular_velocity[row]

    def advance(steps: int) -> None:
        for _ in range(steps):
            system.step()

    def read(position: NDArray[np.float64], orientation: NDArray[np.float64]) -> None:
        for row, body in enumerate(bodies):
            pose = body.entity_pose
            position[row], orientation[row] = pose.p, pose.q

    return run_steps(advance, read, blocks=len(blocks), dt=dt, seconds=seconds, record_every=record_every)
