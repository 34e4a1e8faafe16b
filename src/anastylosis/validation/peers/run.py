"""Results of every peer, and how its stepping is timed."""

import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidConfig, InvalidStructure, MissingExtra
from anastylosis.structure import Structure

RESTITUTION_SPEED = 0.05  # [m/s] slower impacts do not bounce; falls of blocks end at 0.5..2.5 m/s


class PeerRun(NamedTuple):
    """Frames of a run: the start, then one every `record_every` steps (0: the end alone)."""

    position: NDArray[np.float64]  # (T, B, 3) [m]
    orientation: NDArray[np.float64]  # (T, B, 4) wxyz
    work_seconds: float  # wall-clock time spent stepping; recording is left out
    simulated_seconds: float
    first_seconds: float  # the part of `work_seconds` that the first step took: it finds all pairs anew
    cpu_seconds: float  # processor time of all threads, the first step left out


def load(package: str) -> ModuleType:
    """Import a peer's package, or say how to install it."""
    if find_spec(package) is None:
        raise MissingExtra(package, "bench")
    return import_module(package)


def uniform_surface(structure: Structure) -> tuple[float, float]:
    """Return (friction, restitution) of every pair. Peers mix the surfaces of a pair each in its own way: one surface only."""
    friction = {float(f) for f in structure.blocks.friction} | {structure.floor.friction}
    restitution = {float(e) for e in structure.blocks.restitution} | {structure.floor.restitution}
    if len(friction) > 1 or len(restitution) > 1:
        raise InvalidStructure(
            f"peers combine surfaces differently: give all blocks and the floor one friction (got {sorted(friction)}) "
            f"and one restitution (got {sorted(restitution)})"
        )
    return friction.pop(), restitution.pop()


def run_steps(
    advance: Callable[[int], None],
    read: Callable[[NDArray[np.float64], NDArray[np.float64]], None],
    *,
    blocks: int,
    dt: float,
    seconds: float,
    record_every: int,
) -> PeerRun:
    """Call `advance(steps)` until `seconds` have passed, and `read(position, orientation)` into each frame."""
    steps = round(seconds / dt)
    if steps < 1 or record_every < 0:
        raise InvalidConfig(
            f"{seconds} s in steps of {dt} s, recorded every {record_every}: give one step or more, and 0 or more"
        )
    stride = record_every or steps
    frames = -(-steps // stride) + 1
    position, orientation = np.empty((frames, blocks, 3)), np.empty((frames, blocks, 4))
    read(position[0], orientation[0])
    start = time.perf_counter()
    advance(1)
    first = time.perf_counter() - start
    work = cpu = 0.0
    for frame in range(1, frames):
        count = min(stride, steps - (frame - 1) * stride) - (frame == 1)
        start, cpu_start = time.perf_counter(), time.process_time()
        if count:
            advance(count)
        work, cpu = work + time.perf_counter() - start, cpu + time.process_time() - cpu_start
        read(position[frame], orientation[frame])
    return PeerRun(position, orientation, first + work, steps * dt, first, cpu)
