"""Game: a tower in a world, the slots its blocks stand in, and the waits between pulls."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode.config import EpisodeConfig
from anastylosis.episode.placement import find_top_slot
from anastylosis.episode.record import Poses
from anastylosis.episode.recorder import Recorder
from anastylosis.physics import EngineConfig, Simulation
from anastylosis.structure import Structure

Simulate = Callable[[Structure, EngineConfig], Simulation]  # makes the world of a game


class Snapshot(NamedTuple):
    """A tower at one instant: poses, and the slot of every block."""

    poses: Poses
    course: NDArray[np.int64]  # (B,)
    place: NDArray[np.int64]  # (B,)

    def arrange(self, tower: Structure) -> Structure:
        """Build a structure of the blocks of `tower` in these poses and slots, those that are gone too."""
        return replace(tower, course=self.course, place=self.place).at(self.poses.position, self.poses.orientation)


class Game:
    """A tower that is played with. Rows are those of `tower`; blocks that were taken away stay in the arrays."""

    def __init__(self, config: EpisodeConfig, tower: Structure, simulate: Simulate = Simulation) -> None:
        self.config, self.tower = config, tower
        self.simulation = simulate(tower, config.engine)
        self.recorder = Recorder(self.simulation, config.collapse, config.record_every)
        self.course, self.place = tower.course.copy(), tower.place.copy()
        self.begin_round()
        self.wait(config.settle_start)
        if not self.recorder.collapse:  # a tower too tall or too uneven to stand falls from where it was built
            self.begin_round()

    def begin_round(self) -> None:
        """Remember how the tower stands; motion is measured from here."""
        self.recorder.begin_round()
        self.stood = self.look()

    def look(self) -> Snapshot:
        """Return the tower as it is now."""
        state = self.simulation.state
        poses = Poses(state.position[0].copy(), state.orientation[0].copy(), state.present[0].copy())
        return Snapshot(poses, self.course.copy(), self.place.copy())

    def standing(self) -> Structure:
        """Return the blocks that are there, where they are now."""
        now = self.look()
        return now.arrange(self.tower).select(now.poses.present)

    def wait(self, longest: float) -> None:
        """Wait for rest, `longest` seconds at most, and for that of the debris if the tower falls; note whether it came."""
        self.at_rest = self.settle(longest)
        if self.recorder.collapse:
            self.at_rest = self.settle(self.config.settle_collapse, until_collapse=False)

    def settle(self, longest: float, *, until_collapse: bool = True) -> bool:
        """Wait for rest, `longest` seconds at most, or until the tower falls; True when it rests."""
        return self.recorder.settle(longest, self.config.rest_energy, self.config.rest_time, until_collapse=until_collapse)

    def put_on_top(self, block: str) -> None:
        """Bring a block that was taken away back, in the next free slot on top."""
        row, state = self.tower.index(block), self.simulation.state
        slot = find_top_slot(self.standing(), self.tower.blocks.size[row])
        state.position[0, row], state.orientation[0, row] = slot.position, slot.orientation
        state.velocity[0, row] = state.angular_velocity[0, row] = 0.0
        state.present[0, row] = True
        self.course[row], self.place[row] = slot.course, slot.place
        self.recorder.forget(row)
