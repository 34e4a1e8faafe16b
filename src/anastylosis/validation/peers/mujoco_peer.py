"""MuJoCo: Newton solver, elliptic cone, soft contacts as stiff as the time step allows. Its impacts do not bounce."""

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.structure import Structure
from anastylosis.validation.peers.run import PeerRun, load, run_steps, uniform_surface
from anastylosis.validation.scene import GRAVITY, BenchScene

NAME = "MuJoCo"
PACKAGE = "mujoco"
SOLVER = "Newton"
TIME_STEPS = (1 / 720,)  # [s]
FLOOR = "floor"  # the geom of that name; the others are named as their blocks

# Time constant 2 dt is the least MuJoCo allows. Damping 2: at 1 debris keeps trembling, and trembling costs iterations.
DAMPING_RATIO = 2.0
# Constant impedance 0.99: with the default 0.9..0.95 the tower sinks 10 times deeper (drift 1.0 mm instead of 0.09 mm).
IMPEDANCE = (0.99, 0.99, 0.001, 0.5, 2)


def is_available() -> bool:
    """Return whether MuJoCo is installed."""
    return find_spec(PACKAGE) is not None


def simulate(scene: BenchScene, *, dt: float, seconds: float, record_every: int = 0) -> PeerRun:
    """Run `scene` for `seconds` in steps of `dt` [s]."""
    mujoco = load(PACKAGE)
    model = build_model(mujoco, scene, dt)
    data = mujoco.MjData(model)
    moving = np.flatnonzero(~scene.structure.blocks.fixed)  # a free joint each, in this order
    spin = np.empty((len(moving), 3))  # a free joint's angular velocity is in body axes
    for row, block in enumerate(moving):
        to_body = np.empty(4)
        mujoco.mju_negQuat(to_body, scene.structure.orientation[block])
        mujoco.mju_rotVecQuat(spin[row], scene.angular_velocity[block], to_body)
    data.qvel[:] = np.hstack([scene.velocity[moving], spin]).ravel()

    def read(position: NDArray[np.float64], orientation: NDArray[np.float64]) -> None:
        mujoco.mj_kinematics(model, data)  # a step leaves xpos as it was before the step
        position[:], orientation[:] = data.xpos[1:], data.xquat[1:]

    return run_steps(
        lambda steps: mujoco.mj_step(model, data, steps), read,
        blocks=len(scene.structure), dt=dt, seconds=seconds, record_every=record_every,
    )  # fmt: skip


def build_model(mujoco, scene: BenchScene, dt: float):
    """Build an `MjModel` of a scene whose surfaces are all alike."""
    friction, _ = uniform_surface(scene.structure)
    return build_spec(mujoco, scene.structure, friction, dt).compile()


def build_spec(mujoco, structure: Structure, friction: float, dt: float):
    """Build an `MjSpec` of the floor and one body a block, named as blocks are. No sleeping, threads or damping."""
    blocks = structure.blocks
    spec = mujoco.MjSpec()
    spec.option.timestep = dt
    spec.option.gravity = (0, 0, -GRAVITY)
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    surface = {"friction": (friction, 0, 0)} | contact_settings(dt)
    spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0, 0, 1), **surface)
    for row, name in enumerate(structure.ids):
        body = spec.worldbody.add_body(pos=structure.position[row], quat=structure.orientation[row])
        # The inertia follows from the box and its mass; given by hand it also needs ipos, or lands away from the centre.
        box = {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": blocks.size[row] / 2, "mass": blocks.mass[row]}
        body.add_geom(name=name, **box, **surface)
        if not blocks.fixed[row]:
            body.add_freejoint()
    return spec


def contact_settings(dt: float) -> dict[str, Any]:
    """Return settings of a geom or a pair: how stiff contacts are, and no resistance to rolling or twisting."""
    return {"condim": 3, "solref": (2 * dt, DAMPING_RATIO), "solimp": IMPEDANCE}
