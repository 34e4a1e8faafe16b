"""Simulation: worlds of blocks in time; the interface of the kernels for callers."""

import hashlib
import reprlib
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import CapacityExceeded, InvalidInput, SimulationDiverged
from anastylosis.gpu import DevicePoses, refuse_without_gpu
from anastylosis.machine import count_cores
from anastylosis.physics.config import EngineConfig, Settings, default_config
from anastylosis.physics.contacts import OK, Contacts
from anastylosis.physics.cores import Cores
from anastylosis.physics.energy import angular_momentum, kinetic_energy, potential_energy
from anastylosis.physics.forces import ContactForces, read_contacts
from anastylosis.physics.frames import Frames
from anastylosis.physics.model import Bodies, State
from anastylosis.physics.overlap import refuse_overlaps
from anastylosis.physics.parts import Parts, build_parts
from anastylosis.structure import Structure

DEVICES = ("cpu", "cuda")
PAIRS_PER_BLOCK = 16  # room for pairs of near blocks; a dense pile has about 8 a block


class Simulation:
    """One world or many, each a structure of the same number of blocks, stepped on all cores (or `threads`), or on a GPU.

    The motion of a world depends on nothing but itself: same bits alone or in a batch, with any number of threads.
    Read and change `state` freely between calls of `run`; all arrays have a leading world axis.
    """

    def __init__(
        self,
        structures: Structure | Sequence[Structure],
        config: EngineConfig | None = None,
        *,
        threads: int | None = None,
        pairs_per_block: int = PAIRS_PER_BLOCK,
        device: str = "cpu",
    ) -> None:
        self.structures = list_structures(structures)
        if threads is not None and threads < 1:
            raise InvalidInput(f"threads is {threads}; it must be at least 1, or None for all cores")
        if device not in DEVICES:
            raise InvalidInput(f"device is {device!r}; choose one of {', '.join(DEVICES)}")
        if pairs_per_block < 1:
            raise InvalidInput(f"pairs_per_block is {pairs_per_block}; it must be at least 1")
        config = config or default_config()
        self.threads = min(threads or count_cores(), len(self.structures))
        parts = build_parts(self.structures, pairs_per_block)
        refuse_overlaps(self.structures, parts.model, parts.state)
        self._take(config, parts, choose_stepper(device, parts, config.settings(), self.threads))

    def _take(self, config: EngineConfig, parts: Parts, stepper: "Stepper") -> None:
        """Begin with these arrays and their stepper."""
        self.config = config
        self.model, self.state, self.control, self._bodies, self._contacts, self._rows, self._stages = parts
        self._stepper = stepper
        self._begun = False
        self.time = 0.0  # [s]

    def run(self, seconds: float, record_every: int = 0) -> Frames:
        """Advance every world by `seconds`, rounded to whole steps; keep the poses of every k-th step (0: none)."""
        steps = round(seconds / self.config.timestep) if np.isfinite(seconds) else 0
        if steps < 1:
            raise InvalidInput(f"seconds is {seconds}; run at least one step of {self.config.timestep:.6g} s")
        if not isinstance(record_every, int | np.integer) or record_every < 0:
            raise InvalidInput(f"record_every is {record_every!r}; use 0 for no frames or a whole number of steps")
        if record_every > steps:
            raise InvalidInput(f"record_every is {record_every}, but {seconds:g} s is {steps} steps: no frame would be kept")
        self._check_state()
        worlds = len(self.structures)
        first, self._begun = np.full(worlds, not self._begun), True
        frames, ends, status = self._stepper.advance(np.full(worlds, steps), first, int(record_every))
        self.time += steps * self.config.timestep
        for w, (done, block) in enumerate(ends.tolist()):
            if block >= 0:
                raise SimulationDiverged(world=w, step=done, block=block, block_id=self.structures[w].ids[block])
            if status[w] != OK:
                raise CapacityExceeded(
                    f"world {w} has more than {self._contacts.pair.shape[1]} pairs of near blocks: "
                    "pass a larger pairs_per_block, or check for blocks piled into one place"
                )
        return Frames(*(array.swapaxes(0, 1) for array in frames))

    def pull(
        self, block: str, axis: ArrayLike, speed: float, force_limit: float, world: int = 0, *, acceleration: float = np.inf
    ) -> None:
        """Pull a block from now on, along `axis` (world frame) at `speed` [m/s] with at most `force_limit` [N].

        `acceleration` [m/s^2]: how fast the pull comes to that speed, from its present one or from rest.
        """
        direction = np.array(axis, float)
        length = np.sqrt((direction**2).sum())  # not `norm`: BLAS gives other bits on other processors
        if direction.shape != (3,) or not np.isfinite(length) or length == 0:
            raise InvalidInput(f"axis is {direction.tolist()}; it must be a direction (x, y, z) of non-zero length")
        if not (np.isfinite(speed) and np.isfinite(force_limit) and force_limit > 0):
            raise InvalidInput(f"speed is {speed} and force_limit {force_limit}; both must be finite and the limit above 0 N")
        if not acceleration > 0:
            raise InvalidInput(f"acceleration is {acceleration}; it must be above 0 m/s^2, infinite for a jump to the speed")
        i = self._find(block, world)
        if self.model.inverse_mass[world, i] == 0 or not self.state.present[world, i]:
            raise InvalidInput(f"block {block!r} is fixed or taken away; pull one that can move")
        self.control.servo_axis[world, i] = direction / length
        self.control.servo_speed[world, i] = speed
        self.control.servo_acceleration[world, i] = acceleration
        self.control.servo_limit[world, i] = force_limit

    def release(self, block: str, world: int = 0) -> None:
        """Stop pulling a block."""
        i = self._find(block, world)
        self.control.servo_limit[world, i] = self.control.servo_force[world, i] = 0.0

    def servo_force(self, block: str, world: int = 0) -> float:
        """Return the force of the servo on a block, mean of the last step [N]."""
        return float(self.control.servo_force[world, self._find(block, world)])

    def apply_force(self, block: str, force: ArrayLike, torque: ArrayLike = (0, 0, 0), world: int = 0) -> None:
        """Push a block from now on, with a constant force [N] at its centre of mass and a torque [N m], world frame."""
        push, turn = np.array(force, float), np.array(torque, float)
        if push.shape != (3,) or turn.shape != (3,) or not np.isfinite([push, turn]).all():
            raise InvalidInput(f"force is {push.tolist()} and torque {turn.tolist()}; each must be three finite numbers")
        i = self._find(block, world)
        self.control.force[world, i], self.control.torque[world, i] = push, turn

    def remove(self, block: str, world: int = 0) -> None:
        """Take a block out of the world."""
        self.state.present[world, self._find(block, world)] = False

    def contacts(self, world: int = 0) -> ContactForces:
        """Read where blocks touch, and the forces there, mean of the last substep."""
        structure = self._structure(world)
        return read_contacts(structure, *self._stepper.look(world), self.config.solver, self.config.substep)

    def poses(self) -> DevicePoses:
        """Return the poses of all blocks, in the memory of the device that steps them, for `rendering.render_worlds`."""
        self._check_state()
        there = self._stepper.state_on_gpu()
        state = there or self.state
        size = np.stack([structure.blocks.size for structure in self.structures])
        return DevicePoses(size, state.position, state.orientation, state.present, "cuda" if there else "cpu")

    def kinetic_energy(self) -> Floats:
        """Return kinetic energies (W,) [J]."""
        return kinetic_energy(self.model, self.state)

    def angular_momentum(self) -> Floats:
        """Return the momenta (W, B, 3) of each block about its own centre [kg m^2/s]."""
        return angular_momentum(self.model, self.state)

    def energy(self) -> Floats:
        """Return the sums (W,) of kinetic and potential energy [J]."""
        return self.kinetic_energy() + potential_energy(self.model, self.state, self.config.gravity)

    def asleep(self) -> NDArray[np.bool_]:
        """Mask (W, B) of blocks put to sleep (with `sleep=True` in the configuration)."""
        return self._stepper.asleep()

    def state_hash(self) -> str:
        """Return a hash of the state to the last bit."""
        digest = hashlib.sha256()
        for array in self.state:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def stage_shares(self) -> dict[str, float]:
        """Return the share of the time spent so far in each stage of the step."""
        total = max(1, int(self._stages.sum()))
        return dict(zip(("collide", "solve", "move"), (self._stages.sum(axis=0) / total).tolist(), strict=True))

    def _structure(self, world: int) -> Structure:
        """Return the structure of a world that exists."""
        if not 0 <= world < len(self.structures):
            raise InvalidInput(f"world is {world}; this simulation has worlds 0..{len(self.structures) - 1}")
        return self.structures[world]

    def _find(self, block: str, world: int) -> int:
        """Find the row of a block in a world that exists."""
        return self._structure(world).index(block)

    def _check_state(self) -> None:
        """Refuse a state that a hand has made non-finite or non-unit."""
        for name, array in self.state._asdict().items():
            if not np.isfinite(array).all():
                world, block = np.argwhere(~np.isfinite(array))[0][:2]
                block_id = self.structures[world].ids[block]
                raise InvalidInput(f"{name} of block {block_id!r} in world {world} is not a finite number; set it before run")
        length = np.linalg.norm(self.state.orientation, axis=-1)
        if np.abs(length - 1).max() > 1e-6:
            world, block = np.argwhere(np.abs(length - 1) > 1e-6)[0]
            block_id = self.structures[world].ids[block]
            raise InvalidInput(
                f"orientation of block {block_id!r} in world {world} has length {length[world, block]:.6g}; "
                "divide it by its length"
            )


class Stepper(Protocol):
    """Stepper of worlds: `cores.Cores`, `cuda.CudaDevice`, or a seat of a `lockstep.Lockstep`."""

    settings: Settings

    def advance(
        self, steps: NDArray[np.int64], first: NDArray[np.bool_], record_every: int
    ) -> tuple[Frames, NDArray[np.int64], NDArray[np.int64]]: ...
    def look(self, world: int) -> tuple[Bodies, Contacts]: ...
    def state_on_gpu(self) -> State | None: ...
    def asleep(self) -> NDArray[np.bool_]: ...


def choose_stepper(device: str, parts: Parts, settings: Settings, threads: int) -> Stepper:
    """Choose the stepper of the worlds; CUDA is loaded only when it is asked for."""
    if device == "cpu":
        return Cores(parts, settings, threads)
    refuse_without_gpu()
    from anastylosis.physics.cuda import CudaDevice

    return CudaDevice(parts, settings)


def list_structures(structures: Structure | Sequence[Structure]) -> list[Structure]:
    """Return one structure or many as a list; refuse anything else."""
    many = [structures] if isinstance(structures, Structure) else structures
    found = list(many) if isinstance(many, Iterable) else []
    if not found or not all(isinstance(structure, Structure) for structure in found):
        raise InvalidInput(f"structures is {reprlib.repr(structures)}; pass a Structure, or a list of at least one structure")
    return found
