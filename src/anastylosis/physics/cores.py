"""Cores: worlds on the cores of this machine. Its sibling on a GPU is `cuda.CudaDevice`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from anastylosis.kernel import announce_compilation
from anastylosis.kernel_cache import mark_compiled
from anastylosis.physics.config import Settings
from anastylosis.physics.contacts import STATUS, Contacts
from anastylosis.physics.frames import Frames, build_frames
from anastylosis.physics.model import Bodies, world_view
from anastylosis.physics.parts import Parts
from anastylosis.physics.step import advance


class Cores:
    """Stepper of worlds, each on one of `threads` threads."""

    def __init__(self, parts: Parts, settings: Settings, threads: int) -> None:
        self.parts, self.settings, self.threads = parts, settings, threads
        announce_compilation("physics", "about half a minute")

    def advance(
        self, steps: NDArray[np.int64], first: NDArray[np.bool_], record_every: int
    ) -> tuple[Frames, NDArray[np.int64], NDArray[np.int64]]:
        """Advance world w by steps[w]; `first`: those that have not been advanced before.

        Gives the frames (W, T, ...), of which a world fills as many as it has; (W, 2) the steps done and the block that diverged
        or -1; (W,) the status of the contacts.
        """
        worlds, blocks = self.parts.state.position.shape[:2]
        frames = build_frames(worlds, int(steps.max()) // record_every if record_every else 0, blocks)
        ends = np.tile((0, -1), (worlds, 1))

        def advance_world(w: int) -> None:
            *parts, stages = (*(world_view(part, w) for part in self.parts[:-1]), self.parts.stages[w])
            view = world_view(frames, w)
            ends[w] = advance(*parts, self.settings, int(steps[w]), bool(first[w]), record_every, view, stages)

        moving = np.flatnonzero(steps > 0).tolist()
        if self.threads == 1 or len(moving) == 1:
            for w in moving:
                advance_world(w)
        else:  # kernels run without the GIL, and worlds share nothing
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(advance_world, moving))
        mark_compiled("physics")
        return frames, ends, self.parts.contacts.number[:, STATUS]

    def look(self, world: int) -> tuple[Bodies, Contacts]:
        """Return the arrays of one world that `read_contacts` reads."""
        return world_view(self.parts.bodies, world), world_view(self.parts.contacts, world)

    def state_on_gpu(self) -> None:
        """Return None: the state is here."""

    def asleep(self) -> NDArray[np.bool_]:
        """Mask (W, B) of blocks put to sleep."""
        return self.parts.bodies.asleep[:, :-1].copy()
