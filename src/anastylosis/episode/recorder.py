"""Recorder: runs one world, keeps its frames, and notices the collapse, step by step."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.episode.collapse import Criterion, Motion, collapse_conditions, measure_motion
from anastylosis.physics import Frames, Simulation

CHUNK = 20  # steps between two looks at the energy: 1/12 s


class EpisodeFrames(NamedTuple):
    """Every k-th step of an episode, the fall included, and its last one; compact."""

    time: NDArray[np.float32]  # (T,) [s]
    position: NDArray[np.float32]  # (T, B, 3) [m]
    orientation: NDArray[np.float32]  # (T, B, 4) wxyz
    present: NDArray[np.bool_]  # (T, B) False: taken away


class Collapse(NamedTuple):
    """The first instant at which the collapse criterion held."""

    time: float  # [s]
    displacement: Floats  # (B,) since the round began [m]; 0 for the block in the hand and those taken away
    angle: Floats  # (B,) [rad]


class Recorder:
    """One world in time. `begin_round` sets the poses that motion is measured from."""

    def __init__(self, simulation: Simulation, criterion: Criterion, record_every: int) -> None:
        self.simulation, self.criterion, self.record_every = simulation, criterion, record_every
        self.length = float(simulation.structures[0].blocks.size[:, 0].max())
        self.steps = 0
        self._kept: list[EpisodeFrames] = []
        self.begin_round()
        self._kept.append(self._compact(np.zeros(1), *(pose[None] for pose in self.start)))

    @property
    def time(self) -> float:
        """Simulated time so far [s]."""
        return self.steps * self.simulation.config.timestep

    @property
    def present(self) -> NDArray[np.bool_]:
        """Mask (B,) of the blocks that are not taken away, now."""
        return self.simulation.state.present[0]

    def begin_round(self) -> None:
        """Begin a round: motion is measured from here on, and no collapse has been seen."""
        state = self.simulation.state
        self.start = state.position[0].copy(), state.orientation[0].copy()
        self.collapse: Collapse | None = None
        self.peak_displacement = self.peak_angle = self.peak_energy = 0.0
        self.conditions = np.zeros(3, bool)  # displacement, energy, angle: each was beyond its threshold in this round

    def forget(self, row: int) -> None:
        """Forget a block's motion so far: it was moved by hand, and is measured from where it is now."""
        state = self.simulation.state
        self.start[0][row], self.start[1][row] = state.position[0, row], state.orientation[0, row]

    def run(self, steps: int, in_hand: int | None = None) -> Frames:
        """Advance; frames of every step, without world axis. The row `in_hand` may move as it likes."""
        watched = self.present.copy()
        if in_hand is not None:
            watched[in_hand] = False
        timestep = self.simulation.config.timestep
        frames = Frames(*(array[:, 0] for array in self.simulation.run(steps * timestep, record_every=1)))
        motion = measure_motion(frames.position, frames.orientation, frames.kinetic_energy, self.start, watched)
        self._watch(motion)
        count = np.arange(self.steps + 1, self.steps + steps + 1)
        due = count % self.record_every == 0
        self._kept.append(self._compact(count[due] * timestep, frames.position[due], frames.orientation[due]))
        self.steps += steps
        return frames

    def settle(self, longest: float, energy: float, quiet: float, *, until_collapse: bool) -> bool:
        """Run until the kinetic energy has stayed below `energy` [J] for `quiet` [s]; True if so, False after `longest` [s].

        `until_collapse`: stop at once when the tower collapses.
        """
        timestep = self.simulation.config.timestep
        wanted, left, calm = round(quiet / timestep), round(longest / timestep), 0
        while left > 0 and not (until_collapse and self.collapse):
            steps = min(left, CHUNK)
            lively = np.flatnonzero(self.run(steps).kinetic_energy.sum(axis=1) >= energy)
            calm = calm + steps if len(lively) == 0 else steps - 1 - int(lively[-1])
            left -= steps
            if calm >= wanted:
                return not (until_collapse and self.collapse)
        return False

    def frames(self) -> EpisodeFrames:
        """Return all frames that were kept, and the present instant."""
        state = self.simulation.state
        kept = list(self._kept)
        if self.steps % self.record_every:
            kept.append(self._compact(np.array([self.time]), state.position[:1], state.orientation[:1]))
        return EpisodeFrames(*(np.concatenate(parts) for parts in zip(*kept, strict=True)))

    def _watch(self, motion: Motion) -> None:
        """Keep the peaks of the round, and the first instant of collapse."""
        self.peak_displacement = max(self.peak_displacement, float(motion.displacement.max()))
        self.peak_angle = max(self.peak_angle, float(motion.angle.max()))
        self.peak_energy = max(self.peak_energy, float(motion.energy.max()))
        holds = collapse_conditions(motion, self.criterion, self.length)
        self.conditions |= holds.any(axis=0)
        if self.collapse is None and (fallen := holds.all(axis=1)).any():
            instant = int(fallen.argmax())
            time = self.time + (instant + 1) * self.simulation.config.timestep
            self.collapse = Collapse(time, motion.displacement[instant], motion.angle[instant])

    def _compact(self, time: Floats, position: Floats, orientation: Floats) -> EpisodeFrames:
        """Return T poses (T, B, ...), with the blocks that are there now."""
        present = np.broadcast_to(self.present, (len(time), len(self.present)))
        compact = (time.astype(np.float32), position.astype(np.float32), orientation.astype(np.float32))
        return EpisodeFrames(*compact, present.copy())
