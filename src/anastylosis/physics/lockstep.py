"""Lockstep: simulations of one world each, played from threads of their own, and stepped together.

A game is ordinary code that asks its simulation to run, looks, and asks again. In a lockstep every game has a thread, and
waits where it asks; when all wait, the last one to come runs the worlds of all. A world whose game is over, or asks for fewer
steps than another, is left alone. The motion of a world depends on nothing but itself, so a game goes as it would go alone.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.machine import count_cores
from anastylosis.physics.config import EngineConfig, Settings
from anastylosis.physics.contacts import Contacts
from anastylosis.physics.frames import Frames
from anastylosis.physics.model import Bodies, world_view
from anastylosis.physics.overlap import refuse_overlaps
from anastylosis.physics.parts import Parts, build_parts
from anastylosis.physics.simulation import PAIRS_PER_BLOCK, Simulation, Stepper, choose_stepper
from anastylosis.structure import Structure


class Wish(NamedTuple):
    """Request of a member that waits: `steps` of its world."""

    steps: int
    first: bool
    record_every: int


class Lockstep:
    """Meeting of `members` threads; each calls `simulate` once, plays, and calls `leave` when it is done or has failed."""

    def __init__(self, members: int, *, device: str = "cpu", pairs_per_block: int = PAIRS_PER_BLOCK) -> None:
        self.playing, self.device, self.pairs_per_block = members, device, pairs_per_block
        self.launches = 0  # times that all were stepped
        self._change = threading.Condition()
        self._coming: list[World] = []
        self._wishes: dict[int, Wish] = {}  # by world
        self._frames: Frames
        self._ends: NDArray[np.int64]
        self._status: NDArray[np.int64]
        self._stepper: Stepper | None = None
        self._failure: BaseException | None = None

    def simulate(self, structure: Structure, config: EngineConfig) -> Simulation:
        """Return a simulation of one world, with those of all other members beside it; wait until all have theirs."""
        with self._change:
            world = World(self, len(self._coming), structure, config)
            self._coming.append(world)
            self._go_on()
            self._change.wait_for(lambda: self._stepper is not None or self._failure is not None)
            self._raise_failure()
        return world

    def leave(self) -> None:
        """Leave: this member plays no more."""
        with self._change:
            self.playing -= 1
            self._go_on()

    def stop(self, failure: BaseException) -> None:
        """Stop all: whoever waits or comes gets `failure`."""
        with self._change:
            self._failure = self._failure or failure
            self._change.notify_all()

    def advance(self, world: int, wish: Wish) -> tuple[Frames, NDArray[np.int64], NDArray[np.int64]]:
        """Wait for all others, and have all worlds stepped."""
        with self._change:
            self._wishes[world] = wish
            self._go_on()
            self._change.wait_for(lambda: world not in self._wishes or self._failure is not None)
            self._raise_failure()
            mine, count = slice(world, world + 1), wish.steps // wish.record_every if wish.record_every else 0
            return Frames(*(array[mine, :count] for array in self._frames)), self._ends[mine], self._status[mine]

    def look(self, world: int) -> tuple[Bodies, Contacts]:
        """Return the arrays that the kernels keep of a world."""
        with self._change:
            assert self._stepper is not None
            return self._stepper.look(world)

    def asleep(self) -> NDArray[np.bool_]:
        """Mask (W, B) of blocks put to sleep."""
        with self._change:
            assert self._stepper is not None
            return self._stepper.asleep()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _go_on(self) -> None:
        """Do what all wait for, if all who play have come."""
        try:
            if self._failure is None and self._stepper is None and self._coming and len(self._coming) == self.playing:
                self._begin()
            elif self._failure is None and self._wishes and len(self._wishes) == self.playing:
                self._step()
            else:
                return
        except BaseException as failure:  # the others must not wait for ever
            self._failure = failure
        self._change.notify_all()

    def _begin(self) -> None:
        """Put all structures into one batch, and give every member its world of it."""
        structures, config = [world.structures[0] for world in self._coming], self._coming[0].config
        if any(world.config != config for world in self._coming):
            raise InvalidInput("worlds of one lockstep need the same engine configuration; play them apart")
        parts = build_parts(structures, self.pairs_per_block)
        refuse_overlaps(structures, parts.model, parts.state)
        stepper = choose_stepper(self.device, parts, config.settings(), min(count_cores(), len(structures)))
        for number, world in enumerate(self._coming):
            world.sit_down(parts, number)
        self._stepper = stepper

    def _step(self) -> None:
        """Fulfil all wishes."""
        assert self._stepper is not None
        if len({wish.record_every for wish in self._wishes.values()}) > 1:
            raise InvalidInput("worlds of one lockstep need the same record_every")
        steps, first = np.zeros(len(self._coming), np.int64), np.zeros(len(self._coming), np.bool_)
        for world, wish in self._wishes.items():
            steps[world], first[world], record_every = wish
        self._frames, self._ends, self._status = self._stepper.advance(steps, first, record_every)
        self._wishes.clear()
        self.launches += 1


class World(Simulation):
    """One world of a lockstep: a simulation like any other, with its arrays in those of the batch."""

    def __init__(self, lockstep: Lockstep, number: int, structure: Structure, config: EngineConfig) -> None:
        self.structures, self.config, self.threads = [structure], config, 1
        self.lockstep, self.number = lockstep, number

    def sit_down(self, parts: Parts, number: int) -> None:
        """Take this world of the batch."""
        mine = slice(number, number + 1)
        model, state, control, bodies, contacts, rows = (world_view(part, mine) for part in parts[:-1])
        views = Parts(model, state, control, bodies, contacts, rows, parts.stages[mine])
        self._take(self.config, views, Seat(self.lockstep, number, self.config.settings()))


class Seat:
    """Stepper of one world of a lockstep, when all others are stepped."""

    def __init__(self, lockstep: Lockstep, number: int, settings: Settings) -> None:
        self.lockstep, self.number, self.settings = lockstep, number, settings

    def advance(
        self, steps: NDArray[np.int64], first: NDArray[np.bool_], record_every: int
    ) -> tuple[Frames, NDArray[np.int64], NDArray[np.int64]]:
        """Advance one world like `Cores.advance`."""
        return self.lockstep.advance(self.number, Wish(int(steps[0]), bool(first[0]), record_every))

    def look(self, world: int) -> tuple[Bodies, Contacts]:
        """Return the arrays of the world like `Cores.look`; `world` is 0, the only one."""
        return self.lockstep.look(self.number + world)

    def state_on_gpu(self) -> None:
        """Return None: no world is lent alone, and the answers of calls are here."""

    def asleep(self) -> NDArray[np.bool_]:
        """Mask (1, B) of blocks put to sleep."""
        return self.lockstep.asleep()[self.number : self.number + 1]
