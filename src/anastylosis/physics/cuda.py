"""CudaDevice: worlds on a GPU, one a thread, by the same kernels as on the CPU.

What the kernels remember (bodies, contacts, rows) never leaves the GPU. The state and what acts from outside are sent when a
hand has changed them, and what a call gives comes back once, at its end.
"""

import logging
from functools import cache
from typing import Any

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from anastylosis.gpu import GpuArrays, as_on_cpu, gpu_entry
from anastylosis.physics.config import Settings
from anastylosis.physics.contacts import STATUS, Contacts
from anastylosis.physics.frames import Frames
from anastylosis.physics.model import Bodies, Control, Model, State
from anastylosis.physics.parts import Parts
from anastylosis.physics.rows import Rows
from anastylosis.physics.step import advance

log = logging.getLogger("anastylosis")

# What `forces.read_contacts` reads.
READ_OF_BODIES = ("rotation", "seen")
READ_OF_CONTACTS = ("number", "pair", "pair_slot", "points", "frame", "anchor", "impulse", "friction")

model_of, state_of, control_of = GpuArrays.make_view(Model), GpuArrays.make_view(State), GpuArrays.make_view(Control)
bodies_of, contacts_of = GpuArrays.make_view(Bodies), GpuArrays.make_view(Contacts)
rows_of, frames_of = GpuArrays.make_view(Rows), GpuArrays.make_view(Frames)


@gpu_entry
def advance_worlds(model, state, control, bodies, contacts, rows, settings, steps, first, record_every, frames, stages, ends):
    """Advance world w, which thread w has, by steps[w]; a world of none is left alone. `ends` (2, W): steps done, bad block."""
    w = cuda.grid(1)
    if w < steps.shape[0] and steps[w] > 0:
        ends[0, w], ends[1, w] = advance(
            model_of(model, w), state_of(state, w), control_of(control, w), bodies_of(bodies, w), contacts_of(contacts, w),
            rows_of(rows, w), settings, steps[w], first[w], record_every, frames_of(frames, w), stages[..., w],
        )  # fmt: skip


@gpu_entry
def pick_world(batch, w, world):
    """Copy world w of an array (N, W) into one (N,)."""
    n = cuda.grid(1)
    if n < world.shape[0]:
        world[n] = batch[n, w]


@cache
def announce() -> None:
    """Announce, once, that the first step will take a while."""
    log.warning("compiling the physics kernels for the GPU, once in each process: about two minutes ...")


class CudaDevice:
    """Stepper of worlds on a GPU, one a thread. Its sibling on the CPU is `cores.Cores`."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self.parts, self.settings = parts, settings
        GpuArrays.refuse_without_room(len(parts.stages), sum(array.nbytes for part in parts[:-1] for array in part))
        announce()
        self.there = Parts(
            model=GpuArrays.upload_all(parts.model),
            state=GpuArrays.upload_all(parts.state),
            control=GpuArrays.upload_all(parts.control),
            bodies=GpuArrays.upload_all(parts.bodies),
            contacts=GpuArrays.upload_all(parts.contacts),
            rows=GpuArrays.room_for(parts.rows),
            stages=GpuArrays.upload(parts.stages),
        )
        self.sent = {name: array.copy() for name, array in self._edited()}

    def advance(
        self, steps: NDArray[np.int64], first: NDArray[np.bool_], record_every: int
    ) -> tuple[Frames, NDArray[np.int64], NDArray[np.int64]]:
        """Advance worlds like `Cores.advance`. Worlds move in lockstep: all wait for the one that has most to do."""
        self._send()
        worlds, blocks = self.parts.state.position.shape[:2]
        count = int(steps.max()) // record_every if record_every else 0
        room = max(count, 1)  # an array without elements has no address
        frames = Frames(*(cuda.device_array((room, blocks, *rest, worlds)) for rest in ((3,), (4,), (), ())))
        ends = cuda.to_device(np.tile([[0], [-1]], (1, worlds)))
        model, state, control, bodies, contacts, rows, stages = self.there
        with as_on_cpu():
            advance_worlds[GpuArrays.grid_for(worlds)](
                model, state, control, bodies, contacts, rows, self.settings, cuda.to_device(steps), cuda.to_device(first),
                record_every, frames, stages, ends,
            )  # fmt: skip
        self._receive()
        recorded = Frames(*(GpuArrays.download(array)[:, :count] for array in frames))
        return recorded, GpuArrays.download(ends), GpuArrays.download(contacts.number)[:, STATUS]

    def look(self, world: int) -> tuple[Bodies, Contacts]:
        """Return the arrays of one world like `Cores.look`; arrays that `read_contacts` does not read are left empty."""
        bodies = Bodies(*(self._pick(self.there.bodies, name, world, READ_OF_BODIES) for name in Bodies._fields))
        contacts = Contacts(*(self._pick(self.there.contacts, name, world, READ_OF_CONTACTS) for name in Contacts._fields))
        return bodies, contacts

    def state_on_gpu(self) -> State:
        """Return the state on the GPU, with what a hand has changed."""
        self._send()
        return self.there.state

    def asleep(self) -> NDArray[np.bool_]:
        """Mask (W, B) of blocks put to sleep."""
        return GpuArrays.download(self.there.bodies.asleep)[:, :-1]

    def _edited(self) -> list[tuple[str, NDArray[Any]]]:
        """List the arrays that both sides have."""
        return [*self.parts.state._asdict().items(), *self.parts.control._asdict().items()]

    def _send(self) -> None:
        """Send what a hand has changed since the last call."""
        there = self.there.state._asdict() | self.there.control._asdict()
        for name, array in self._edited():
            if not np.array_equal(array, self.sent[name]):
                there[name].copy_to_device(np.moveaxis(array, 0, -1))
                self.sent[name][...] = array

    def _receive(self) -> None:
        """Bring back what a call changes."""
        for name in ("position", "orientation", "velocity", "angular_velocity"):
            getattr(self.parts.state, name)[...] = self.sent[name][...] = GpuArrays.download(getattr(self.there.state, name))
        self.parts.control.servo_force[...] = self.sent["servo_force"][...] = GpuArrays.download(self.there.control.servo_force)

    def _pick(self, batch: Any, name: str, world: int, wanted: tuple[str, ...]) -> NDArray[Any]:
        """Return one world of an array, copied together on the GPU."""
        array = getattr(batch, name)
        if name not in wanted:
            return np.empty(0, array.dtype)
        *shape, worlds = array.shape
        size = int(np.prod(shape))
        world_alone = cuda.device_array(size, array.dtype)
        with as_on_cpu():
            pick_world[GpuArrays.grid_for(size)](array.reshape(size, worlds), world, world_alone)
        return world_alone.copy_to_host().reshape(shape)
