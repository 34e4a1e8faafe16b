"""Re-simulation: let proposed towers fall by the most probable pulls, and compare their heaps with the surveyed one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Vector
from anastylosis.assignment import UNASSIGNED, is_off
from anastylosis.episode import EpisodeFrames, Game, Pull, default_episode, learning_variation, take_block, vary_tower
from anastylosis.errors import CapacityExceeded, SimulationDiverged
from anastylosis.progress import Execute, Progress
from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.moves import list_allowed
from anastylosis.reconstruction.problem import Problem
from anastylosis.reconstruction.weighing import measure_distance, weigh_states
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE, Structure

if TYPE_CHECKING:
    from anastylosis.reconstruction.proposals import Hypothesis

SETTLE_TIME = 0.5  # [s] longest wait before the pull: what still trembles then moves by micrometres
LEAST_LAYERS = 3  # of the settings of a game; the tower itself may have fewer
SCALE_MIN = 0.8  # blocks of at least this share of the length of the paper's, or of its inverse at most, fall as they are
ATTEMPTS = 2  # of each trial, until it falls and its heap is near
ATTEMPTS_LIKELY, LIKELY = 6, 5  # of the most probable proposals, so many


@dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """One tower to let fall, and the pulls to try. A trial has one fate, bit for bit, wherever it runs."""

    number: int
    filled: NDArray[np.bool_]  # (S,)
    friction: float
    pulls: tuple[Pull, ...]  # tried one after the other, each on a tower built anew; one at least
    seed: int  # of how blocks differ and where exactly they stand
    heap: Floats  # (M, 3) centres that the blocks should come to lie at [m]
    near: float  # [m] a heap no further away than this is near enough: nothing more is tried
    block: Vector = BLOCK_SIZE  # size of the blocks [m]

    @property
    def scale(self) -> float:
        """Return how much larger the blocks are than those that fall instead of them; the hand is made for those."""
        larger = self.block[0] / BLOCK_SIZE[0]
        return 1.0 if SCALE_MIN <= larger <= 1 / SCALE_MIN else larger


class Fate(NamedTuple):
    """Final positions of the blocks of a trial, slot by slot."""

    position: Floats  # (S, 3) [m]; NaN: the slot was empty, or the hand has the block
    orientation: Floats  # (S, 4)
    fell: bool
    outcome: str  # collapse, out, stuck; or `failed` when the engine gave up
    attempt: int  # which of the pulls did this
    distance: float  # [m] between this heap and the one that it should be; infinite when the engine gave up

    @property
    def centres(self) -> Floats:
        """Return the centres (M, 3) of the blocks that lie there."""
        return self.position[np.isfinite(self.position[:, 0])]


def run_trial(trial: Trial) -> Fate:
    """Return the fate by the pull that brings the tower down; of several, by that whose heap is the nearest.

    No more are tried when one falls near enough.
    """
    fates: list[Fate] = []
    for attempt in range(len(trial.pulls)):
        fates.append(run_attempt(trial, attempt))
        if fates[-1].fell and fates[-1].distance <= trial.near:
            break
    return min(fates, key=lambda fate: (not fate.fell, fate.distance))


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
    position[rows], orientation[rows] = trial.scale * lies.position[lies.present], lies.orientation[lies.present]
    distance = measure_distance(lies.position[lies.present], trial.heap / trial.scale)
    return Fate(position, orientation, game.recorder.collapse is not None, outcome, attempt, distance)


def film_trial(trial: Trial, attempt: int = 0) -> tuple[Structure, EpisodeFrames]:
    """Return the tower of a trial, and its frames from standing to rest: the motion that led to its fate in this attempt."""
    game, _ = play_attempt(trial, attempt)
    tower, frames = game.tower, game.recorder.frames()
    if trial.scale == 1:
        return tower, frames
    blocks = replace(tower.blocks, size=trial.scale * tower.blocks.size)
    return replace(tower, blocks=blocks, position=trial.scale * tower.position), frames._replace(
        position=trial.scale * frames.position
    )


def play_attempt(trial: Trial, attempt: int) -> tuple[Game, str]:
    """Return the finished game, and the outcome of its pull."""
    tower = build_tower(trial.filled, trial.friction, (trial.seed, attempt), scale_size(trial.block, 1 / trial.scale))
    layers = max(len(trial.filled) // BLOCKS_PER_COURSE, LEAST_LAYERS)
    game = Game(default_episode(layers=layers, friction=trial.friction, settle_start=SETTLE_TIME), tower)
    if game.recorder.collapse:  # it could not stand
        return game, "collapse"
    outcome = take_block(game, trial.pulls[attempt]).extraction.outcome
    return game, "collapse" if game.recorder.collapse else outcome


def scale_size(block: Vector, factor: float) -> Vector:
    length, width, height = block
    return factor * length, factor * width, factor * height


def build_tower(filled: NDArray[np.bool_], friction: float, seed: int | tuple[int, int], block: Vector = BLOCK_SIZE) -> Structure:
    """Build a tower with these slots filled, (S,), by blocks that differ as those of the learning mix do."""
    rng = np.random.default_rng(seed)
    return vary_tower(len(filled) // BLOCKS_PER_COURSE, friction, learning_variation(), rng, block).select(filled)


class TriedPull(NamedTuple):
    """A pull that was tried on the most probable state."""

    pull: Pull
    probability: float  # that it was the fatal one, among those that were tried
    distance: float  # [m] between the heap that it made and the surveyed one; infinite: the engine gave up


def try_moves(problem: Problem, state: TowerState, execute: Execute, progress: Progress) -> list[TriedPull]:
    """Try the most probable pulls on the most probable state; the best first.

    Which pull it was is the same question for all states that differ little, so it is asked once.
    """
    asked = problem.weigh_moves(state.filled)[: problem.config.moves] if problem.config.hypotheses else []
    if not asked:
        return []
    seeds = problem.make_rng("moves").integers(2**63, size=len(asked))
    trials = [
        make_trial(problem, number, state, problem.coefficient, (each.pull,) * ATTEMPTS, int(seed))
        for number, (each, seed) in enumerate(zip(asked, seeds, strict=True))
    ]
    fates = run_trials(trials, "moves", execute, progress)
    distance = np.array([fates[number].distance for number in range(len(asked))])
    chance = weigh_states(np.array([each.probability for each in asked]), distance, problem.calibration)
    chance /= chance.sum()
    tried = [TriedPull(each.pull, float(p), float(d)) for each, p, d in zip(asked, chance, distance, strict=True)]
    return sorted(tried, key=lambda move: -move.probability)


def make_trial(problem: Problem, number: int, state: TowerState, friction: float, pulls: tuple[Pull, ...], seed: int) -> Trial:
    """Make a trial that ends when its heap is near enough to the surveyed one."""
    near = problem.calibration.farthest
    return Trial(
        number=number, filled=state.filled, friction=friction, pulls=pulls, seed=seed, heap=problem.centres, near=near,
        block=problem.assignment.block_size,
    )  # fmt: skip


def run_trials(trials: Sequence[Trial], what: str, execute: Execute, progress: Progress) -> dict[int, Fate]:
    """Run trials; return the fate of each, by its number."""
    fates: dict[int, Fate] = {}
    progress(what, 0, len(trials))
    for trial, fate in execute(run_trial, trials):
        fates[trial.number] = fate
        progress(what, len(fates), len(trials))
    return fates


def replay(
    problem: Problem, proposals: "Sequence[Hypothesis]", moves: Sequence[TriedPull], execute: Execute, progress: Progress
) -> "list[Hypothesis]":
    """Let every proposal fall by a pull, and see where its blocks come to lie."""
    hypotheses = list(proposals)
    if not problem.config.hypotheses:
        return hypotheses
    rng, trials = problem.make_rng("trials"), []
    for number, each in enumerate(proposals):
        friction, seed = problem.draw_friction(rng), int(rng.integers(2**63))
        pulls = choose_pulls(problem, each.state, moves, ATTEMPTS_LIKELY if number < LIKELY else ATTEMPTS)
        if pulls:
            trials.append(make_trial(problem, number, each.state, friction, pulls, seed))
    fates = run_trials(trials, "hypotheses", execute, progress)
    for trial in trials:
        fate = fates[trial.number]
        hypotheses[trial.number] = hypotheses[trial.number]._replace(
            pull=trial.pulls[fate.attempt],
            friction=trial.friction,
            distance=fate.distance,
            fell=fate.fell,
            trial=trial,
            attempt=fate.attempt,
            came_down=is_off(fate.position, problem.assignment.structure),
        )
    return hypotheses


def choose_pulls(problem: Problem, state: TowerState, moves: Sequence[TriedPull], number: int) -> tuple[Pull, ...]:
    """Choose the best of the tried pulls that a state allows, then its own most probable ones."""
    tower = problem.assignment.structure.select(state.filled)
    allowed = {name_way(pull): pull for pull in list_allowed(tower)}
    tried = [allowed[name_way(move.pull)] for move in moves if name_way(move.pull) in allowed]
    own = [each.pull for each in problem.weigh_moves(state.filled)] if len(tried) < number else []
    return tuple(dict.fromkeys([*tried, *own]))[:number]


def name_way(pull: Pull) -> tuple[str, str, int]:
    """Name a pull alike in towers that differ: across, a block has one way out, whose sign depends on its neighbours."""
    return pull.block, pull.axis, pull.sign if pull.axis == "y" else 0


def rank(problem: Problem, hypotheses: "Sequence[Hypothesis]") -> "list[Hypothesis]":
    """Give hypotheses their probabilities, and order them: those that fall again come first, then the more probable ones.

    Of those that fall, the first keep every block that still stands.
    """
    if not problem.config.hypotheses:
        return list(hypotheses)
    share, distance = (np.array([getattr(each, name) for each in hypotheses]) for name in ("share", "distance"))
    weights = weigh_states(share, distance, problem.calibration)
    weighed = [each._replace(probability=float(weight)) for each, weight in zip(hypotheses, weights, strict=True)]
    standing = problem.pinned[problem.pinned != UNASSIGNED]
    return sorted(weighed, key=lambda each: (not each.fell, len(each.find_contradicted(standing)), -each.probability))
