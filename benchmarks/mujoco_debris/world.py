"""World: blocks in MuJoCo, behind the part of `physics.Simulation` that the recorder and the hand of an episode use."""

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import SimulationDiverged
from anastylosis.geometry import make_matrices
from anastylosis.physics import EngineConfig, Frames
from anastylosis.physics.forces import ContactForces
from anastylosis.physics.model import build_control, build_state
from anastylosis.structure import Structure
from anastylosis.validation.peers.mujoco_peer import FLOOR, TIME_STEPS, build_spec

__all__ = ["MujocoWorld"]

DT = TIME_STEPS[0]  # [s]
# Contacts of a tower whose blocks differ. With the peer's own (2 time steps, 0.99) such a tower trembles at 1e-5..1e-3 J, walks
# 0.5 mm a second and never rests. Slower and firmer ones, 8 steps and 0.999, leave 1e-6 J and no walk; what they sink is less.
CONTACT = {"condim": 3, "solref": (8 * DT, 2.0), "solimp": (0.999, 0.999, 0.001, 0.5, 2)}
# Share of the missing speed that the hand remembers as force, a step; the rest it gives at once and forgets. A free block
# then comes to the asked speed with poles 0 and 0.5 of the time step: at once, and without swinging.
MEMORY = 0.5


class MujocoWorld:
    """One world. `state` and `control` are those of `Simulation`, with a world axis of length 1."""

    def __init__(self, tower: Structure, present: NDArray[np.bool_], config: EngineConfig) -> None:
        self.structures, self.config = [tower], config
        self.substeps = round(config.timestep / DT)
        self.state, self.control = build_state([tower]), build_control(1, len(tower))
        self.state.present[0] = present
        self._asked = np.zeros(len(tower))  # speed that the hand asks for now [m/s]
        self._held = np.zeros(len(tower))  # force that the hand remembers [N]
        self._build()

    def run(self, seconds: float, record_every: int = 1) -> Frames:
        """Advance; every step of the configuration's `timestep` is kept, whatever `record_every` says."""
        steps, blocks = round(seconds / self.config.timestep), len(self.structures[0])
        frames = Frames(*(np.zeros((steps, 1, blocks, *tail)) for tail in ((3,), (4,), (), ())))
        self._enter()
        for step in range(steps):
            frames.servo_force[step, 0] = self._step()
            self._leave(step)
            frames.position[step], frames.orientation[step] = self.state.position, self.state.orientation
            frames.kinetic_energy[step, 0] = self._energies()
        return frames

    def pull(self, block: str, axis: ArrayLike, speed: float, force_limit: float, *, acceleration: float) -> None:
        """From now on, pull a block along a unit vector at `speed` [m/s] with at most `force_limit` [N]."""
        row, control = self.structures[0].index(block), self.control
        control.servo_axis[0, row], control.servo_speed[0, row] = axis, speed
        control.servo_limit[0, row], control.servo_acceleration[0, row] = force_limit, acceleration

    def release(self, block: str) -> None:
        """Stop pulling a block."""
        self.control.servo_limit[0, self.structures[0].index(block)] = 0.0

    def apply_force(self, block: str, force: ArrayLike, torque: ArrayLike = (0, 0, 0)) -> None:
        """From now on, push a block with a constant force [N] and torque [N m], world frame."""
        row = self.structures[0].index(block)
        self.control.force[0, row], self.control.torque[0, row] = force, torque

    def remove(self, block: str) -> None:
        """Take a block out of the world."""
        self.state.present[0, self.structures[0].index(block)] = False

    def kinetic_energy(self) -> NDArray[np.float64]:
        """(1,) [J]."""
        return np.array([self._energies().sum()])

    def contacts(self) -> ContactForces:
        """Where blocks touch: one row a point."""
        contact, blocks = self._data.contact, len(self.structures[0])
        body = np.append(blocks, self._rows)  # geom 0 is the floor
        count, active = len(contact.geom), contact.efc_address >= 0
        force = np.zeros((count, 4))
        force[active, 0] = self._data.efc_force[contact.efc_address[active]]  # of an elliptic cone the first is the normal one
        return ContactForces(
            pair=np.sort(body[contact.geom], axis=1),
            normal=contact.frame[:, :3],
            point=np.repeat(contact.pos[:, None], 4, axis=1),
            normal_force=force,
            friction=np.zeros((count, 3)),
            structure=self.structures[0],
        )

    def _build(self) -> None:
        """A model of the blocks that are there: those that are gone are not in it."""
        self._built = self.state.present[0].copy()
        self._rows = np.flatnonzero(self._built)
        self._model = pair_model(self.structures[0].select(self._built))
        self._data = mujoco.MjData(self._model)

    def _enter(self) -> None:
        """Into MuJoCo with the state, which a hand may have changed."""
        if not np.array_equal(self._built, self.state.present[0]):
            self._build()
        rows, state = self._rows, self.state
        turn = make_matrices(state.orientation[0, rows])
        spin = np.einsum("bji,bj->bi", turn, state.angular_velocity[0, rows])  # a free joint's is in body axes
        self._data.qpos[:] = np.hstack([state.position[0, rows], state.orientation[0, rows]]).ravel()
        self._data.qvel[:] = np.hstack([state.velocity[0, rows], spin]).ravel()

    def _leave(self, step: int) -> None:
        """Out of MuJoCo with the state."""
        pose, motion = self._data.qpos.reshape(-1, 7), self._data.qvel.reshape(-1, 6)
        if any(warning.number for warning in self._data.warning) or not np.isfinite(motion).all():
            block = int(self._rows[np.abs(motion).max(axis=1).argmax()])
            raise SimulationDiverged(world=0, step=step, block=block, block_id=self.structures[0].ids[block])
        rows, state = self._rows, self.state
        state.position[0, rows], state.orientation[0, rows] = pose[:, :3], pose[:, 3:]
        turn = make_matrices(pose[:, 3:])
        state.velocity[0, rows] = motion[:, :3]
        state.angular_velocity[0, rows] = np.einsum("bij,bj->bi", turn, motion[:, 3:])

    def _step(self) -> NDArray[np.float64]:
        """One step of the configuration; (B,) mean force of the hand [N]."""
        control, mean = self.control, np.zeros(len(self.structures[0]))
        pulled = [int(row) for row in np.flatnonzero((control.servo_limit[0] > 0) & self._built)]
        at_rest = control.servo_limit[0] == 0
        self._asked[at_rest] = self._held[at_rest] = 0.0
        push = self._data.xfrc_applied[1:]  # body 0 is the world
        push[:] = np.hstack([control.force[0], control.torque[0]])[self._rows]
        if not pulled:
            mujoco.mj_step(self._model, self._data, self.substeps)
            return mean
        for _ in range(self.substeps):
            for row in pulled:
                force = self._servo(row)
                push[self._body(row), :3] = control.force[0, row] + force * control.servo_axis[0, row]
                mean[row] += force / self.substeps
            mujoco.mj_step(self._model, self._data)
        return mean

    def _servo(self, row: int) -> float:
        """The hand's force for the next step of MuJoCo [N]: what the missing speed takes, and what it took so far."""
        control, limit = self.control, self.control.servo_limit[0, row]
        gain = control.servo_acceleration[0, row] * DT
        self._asked[row] += np.clip(control.servo_speed[0, row] - self._asked[row], -gain, gain)
        speed = self._data.qvel.reshape(-1, 6)[self._body(row), :3] @ control.servo_axis[0, row]
        wanted = (self._asked[row] - speed) * self.structures[0].blocks.mass[row] / DT
        self._held[row] = np.clip(self._held[row] + MEMORY * wanted, -limit, limit)
        return float(np.clip(self._held[row] + wanted, -limit, limit))

    def _body(self, row: int) -> int:
        """Where a block is among those that are there."""
        return int(np.searchsorted(self._rows, row))

    def _energies(self) -> NDArray[np.float64]:
        """(B,) kinetic energies [J]; 0 for blocks that are gone."""
        energy, blocks = np.zeros(len(self._built)), self.structures[0].blocks
        square = self._data.qvel.reshape(-1, 6) ** 2
        inertia = np.hstack([np.repeat(blocks.mass[:, None], 3, axis=1), blocks.inertia])[self._rows]
        energy[self._rows] = (square * inertia).sum(axis=1) / 2
        return energy


def pair_model(structure: Structure) -> mujoco.MjModel:
    """The model of the peer, with the friction of each pair of blocks: the geometric mean, as our engine takes it.

    MuJoCo by itself takes the larger one of the two. Naming every pair takes the place of that rule; 6 % of the time.
    """
    spec = build_spec(mujoco, structure, structure.floor.friction, DT)
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0  # no contacts but those of the pairs
    names, friction = (*structure.ids, FLOOR), np.append(structure.blocks.friction, structure.floor.friction)
    for a in range(len(structure)):
        for b in range(a + 1, len(names)):
            slide = float(np.sqrt(friction[a] * friction[b]))
            spec.add_pair(geomname1=names[a], geomname2=names[b], friction=(slide, slide, 0, 0, 0), **CONTACT)
    return spec.compile()
