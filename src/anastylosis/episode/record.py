"""Record of an episode: rounds, labels, frames."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, hash_arrays
from anastylosis.episode.config import EpisodeConfig
from anastylosis.episode.hand import Extraction, Outcome
from anastylosis.episode.pulls import Pull
from anastylosis.episode.recorder import EpisodeFrames
from anastylosis.mechanics import Move
from anastylosis.structure import Structure

Ending = Literal["collapse", "no_move", "round_limit"]


class Poses(NamedTuple):
    """Poses of all blocks at one instant; those that are gone keep the last pose they had."""

    position: Floats  # (B, 3) [m]
    orientation: Floats  # (B, 4) wxyz
    present: NDArray[np.bool_]  # (B,)

    @property
    def seen(self) -> tuple[Floats, Floats]:
        """Return position and orientation, NaN for blocks that are gone."""
        gone = ~self.present[:, None]
        return np.where(gone, np.nan, self.position), np.where(gone, np.nan, self.orientation)

    def displacement_from(self, before: "Poses") -> Floats:
        """Return the way (B, 3) of each block since `before` [m]; NaN for blocks that are gone now."""
        return np.where(self.present[:, None], self.position - before.position, np.nan)


class Statics(NamedTuple):
    """Statics of a standing tower, by closed forms."""

    margin: float  # centre of mass over the ground polygon, the paper's [m]; negative: outside
    interface_margin: float  # smallest of all interfaces [m]
    weakest_course: int  # the course on whose underside that is
    centre_of_mass: Floats  # (3,) [m]

    @property
    def stable(self) -> bool:
        """Return True for a positive margin, which the paper calls stable: necessary, not sufficient."""
        return self.margin > 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """One pull and what came of it."""

    number: int
    pull: Pull
    course: int  # where the block stood
    place: int
    move: Move  # the closed forms of this move (Ziglar)
    force_limit: float  # largest force of the hand [N]
    extraction: Extraction
    outcome: Outcome
    start_time: float  # [s]
    end_time: float  # [s] when all was at rest again, or the wait was over
    at_rest: bool  # False: the wait was cut short
    active_blocks: int  # in the world at the end of the round
    before: Statics  # the tower before the pull
    after: Statics  # the same tower without the block, by closed form
    peak_displacement: float  # of any block that is not in the hand [m]
    peak_angle: float  # of the same [rad]
    peak_energy: float  # of all blocks, the one in the hand too [J]
    energy: float  # at the end [J]
    conditions: NDArray[np.bool_]  # (3,) displacement, energy, angle: each beyond its threshold at some instant
    poses: Poses  # at the end


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """Labels of an episode: the quantities to learn, and to recover from its debris.

    "The fatal pull" is the one that brought the tower down; where nothing fell, read "the end of the game".
    """

    friction: float
    removed_count: int
    removed: NDArray[np.bool_]  # (B,) slots that were empty just before the fatal pull
    imbalance: float  # minus the margin just before the fatal pull [m]
    interface_imbalance: float  # the same of the weakest interface [m]
    offset: float  # horizontal distance of the centre of mass from the middle of the ground polygon, then [m]
    torque_moves: int  # moves of the kind side_xaxis so far, the fatal one included
    standing: NDArray[np.bool_]  # (B,) blocks in the tower just before the fatal pull
    fatal_block: str | None  # None: nothing fell, or the tower fell before the first pull
    failure_course: int  # the lowest course that gave way; -1: none
    direction: float  # of the collapse, horizontal, from world x [rad]; NaN: none
    blocks_on_floor: int  # that did not lie there before
    stood: Poses  # just before the fatal pull: the paper's S_0
    lies: Poses  # at the end
    course: NDArray[np.int64]  # (B,) of the slot a block stood in; with the rule "stack" not the one it started in
    place: NDArray[np.int64]  # (B,)

    @property
    def displacement(self) -> Floats:
        """Way (B, 3) from where each block stood to where it lies [m]; NaN for blocks that are gone. Paper §3."""
        return self.lies.displacement_from(self.stood)


@dataclass(frozen=True, kw_only=True, eq=False)
class Episode:
    """One game, from standing to rest."""

    config: EpisodeConfig
    seed: int
    structure: Structure  # as it was built, before anything moved
    rounds: tuple[Round, ...]
    ending: Ending
    collapse_time: float  # when the criterion first held [s]; NaN: never
    at_rest: bool  # the end is at rest, not cut short
    energy: float  # at the end [J]
    labels: Labels
    frames: EpisodeFrames

    @property
    def collapsed(self) -> bool:
        return self.ending == "collapse"

    @property
    def seconds(self) -> float:
        """Simulated time [s]."""
        return float(self.frames.time[-1])

    def as_document(self) -> dict[str, Any]:
        """Describe the episode in the types of its annotation, the JSON of a dataset's episode."""
        from anastylosis.episode.annotation import annotate  # which imports this module

        return annotate(self)

    def fingerprint(self) -> str:
        """Hash everything that moved, to the last bit."""
        return hash_arrays(*self.frames, *self.labels.stood.seen, *self.labels.lies.seen)
