"""Re-simulation: let a proposed tower fall by a proposed pull, and see where its blocks come to lie."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.episode import EpisodeFrames, Pull, default_episode, learning_variation
from anastylosis.episode.game import Game
from anastylosis.episode.play import take_block
from anastylosis.episode.variation import vary_tower
from anastylosis.errors import CapacityExceeded, SimulationDiverged
from anastylosis.reconstruction.distance import measure_distance
from anastylosis.structure import Structure
from anastylosis.structure.tower import BLOCKS_PER_COURSE

__all__ = ["Fate", "Trial", "build_tower", "film_trial", "run_trial"]

SETTLE = 0.5  # [s] longest wait before the pull: what still trembles then moves by micrometres
LEAST_LAYERS = 3  # of the settings of a game; the tower itself may have fewer
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """One tower, and what is tried on it. The same trial gives the same fate, bit for bit, wherever it runs."""

    number: int
    filled: NDArray[np.bool_]  # (S,)
    friction: float
    pulls: tuple[Pull, ...]  # tried one after the other, each on a tower built anew; one at least
    seed: int  # of how blocks differ and where exactly they stand
    heap: Floats  # (M, 3) centres that the blocks should come to lie at [m]
    near: float  # [m] a heap no further away than this is near enough: nothing more is tried


class Fate(NamedTuple):
    """Where the blocks of a trial lie in the end, slot by slot."""

    position: Floats  # (S, 3) [m]; NaN: the slot was empty, or the hand has the block
    orientation: Floats  # (S, 4)
    fell: bool
    outcome: str  # collapse, out, stuck; or `failed` when the engine gave up
    attempt: int  # which of the pulls did this
    distance: float  # [m] between this heap and the one that it should be; infinite when the engine gave up

    @property
    def centres(self) -> Floats:
        """(M, 3) of the blocks that lie there."""
        return self.position[np.isfinite(self.position[:, 0])]


def run_trial(trial: Trial) -> Fate:
    """What comes of the pull whose heap is the nearest; no more are tried when one is near enough."""
    fates: list[Fate] = []
    for attempt in range(len(trial.pulls)):
        fates.append(run_attempt(trial, attempt))
        if fates[-1].distance <= trial.near:
            break
    return min(fates, key=lambda fate: fate.distance)


def run_attempt(trial: Trial, attempt: int) -> Fate:
    """Build, settle, pull, wait for rest, compare."""
    slots = len(trial.filled)
    position, orientation = np.full((slots, 3), np.nan), np.full((slots, 4), np.nan)
    try:
        game, outcome = play_attempt(trial, attempt)
    except (SimulationDiverged, CapacityExceeded):
        return Fate(position, orientation, False, "failed", attempt, np.inf)
    lies = game.look().poses
    rows = np.flatnonzero(trial.filled)[lies.present]
    position[rows], orientation[rows] = lies.position[lies.present], lies.orientation[lies.present]
    distance = measure_distance(lies.position[lies.present], trial.heap)
    return Fate(position, orientation, game.recorder.collapse is not None, outcome, attempt, distance)


def film_trial(trial: Trial, attempt: int = 0) -> tuple[Structure, EpisodeFrames]:
    """The tower of a trial, and its frames from standing to rest: the motion that led to its fate in this attempt."""
    game, _ = play_attempt(trial, attempt)
    return game.tower, game.recorder.frames()


def play_attempt(trial: Trial, attempt: int) -> tuple[Game, str]:
    """The game when it is over, and what came of its pull."""
    tower = build_tower(trial.filled, trial.friction, (trial.seed, attempt))
    layers = max(len(trial.filled) // BLOCKS_PER_COURSE, LEAST_LAYERS)
    game = Game(default_episode(layers=layers, friction=trial.friction, settle_start=SETTLE), tower)
    if game.recorder.collapse:  # it could not stand
        return game, "collapse"
    outcome = take_block(game, trial.pulls[attempt]).extraction.outcome
    return game, "collapse" if game.recorder.collapse else outcome


def build_tower(filled: NDArray[np.bool_], friction: float, seed: int | tuple[int, int]) -> Structure:
    """A tower with these slots filled, (S,), by blocks that differ as those of the learning mix do."""
    rng = np.random.default_rng(seed)
    return vary_tower(len(filled) // BLOCKS_PER_COURSE, friction, learning_variation(), rng).select(filled)
