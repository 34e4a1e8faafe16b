"""Replays: proposed towers that are let fall again, and how their heaps compare with the surveyed one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from anastylosis.episode import Pull
from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.moves import list_allowed
from anastylosis.reconstruction.problem import Execute, Problem, Tell
from anastylosis.reconstruction.reconstruction import Hypothesis
from anastylosis.reconstruction.resimulation import Fate, Trial, run_trial
from anastylosis.reconstruction.standing import is_off
from anastylosis.reconstruction.weighing import weigh_states

__all__ = ["TriedPull", "rank", "replay", "try_moves"]

ATTEMPTS = 2  # of each trial, until its heap is near


class TriedPull(NamedTuple):
    """A pull that was tried on the most probable state."""

    pull: Pull
    probability: float  # that it was the fatal one, among those that were tried
    distance: float  # [m] between the heap that it made and the surveyed one; infinite: the engine gave up


def try_moves(problem: Problem, state: TowerState, execute: Execute, tell: Tell) -> list[TriedPull]:
    """The most probable pulls, tried on the most probable state; the best first.

    Which pull it was is the same question for all states that differ little, so it is asked once.
    """
    asked = problem.weigh_moves(state.filled)[: problem.config.moves] if problem.config.hypotheses else []
    if not asked:
        return []
    seeds = problem.dice("moves").integers(2**63, size=len(asked))
    trials = [
        make_trial(problem, number, state, problem.coefficient, (each.pull,) * ATTEMPTS, int(seed))
        for number, (each, seed) in enumerate(zip(asked, seeds, strict=True))
    ]
    fates = run_trials(trials, "moves", execute, tell)
    distance = np.array([fates[number].distance for number in range(len(asked))])
    chance = weigh_states(np.array([each.probability for each in asked]), distance, replace(problem.calibration, trust=1.0))
    tried = [TriedPull(each.pull, float(p), float(d)) for each, p, d in zip(asked, chance, distance, strict=True)]
    return sorted(tried, key=lambda move: -move.probability)


def make_trial(problem: Problem, number: int, state: TowerState, friction: float, pulls: tuple[Pull, ...], seed: int) -> Trial:
    """A trial that is over when its heap is near enough to say something."""
    near = problem.calibration.farthest
    return Trial(number=number, filled=state.filled, friction=friction, pulls=pulls, seed=seed, heap=problem.centres, near=near)


def run_trials(trials: Sequence[Trial], what: str, execute: Execute, tell: Tell) -> dict[int, Fate]:
    """Run trials; return what came of each, by its number."""
    fates: dict[int, Fate] = {}
    tell(what, 0, len(trials))
    for trial, fate in execute(run_trial, trials):
        fates[trial.number] = fate
        tell(what, len(fates), len(trials))
    return fates


def replay(
    problem: Problem, proposals: Sequence[Hypothesis], moves: Sequence[TriedPull], execute: Execute, tell: Tell
) -> list[Hypothesis]:
    """Let every proposal fall by a pull, and see where its blocks come to lie."""
    hypotheses = list(proposals)
    if not problem.config.hypotheses:
        return hypotheses
    rng, trials = problem.dice("trials"), []
    for number, each in enumerate(proposals):
        friction, seed = problem.draw_friction(rng), int(rng.integers(2**63))
        pulls = choose_pulls(problem, each.state, moves)
        if pulls:
            trials.append(make_trial(problem, number, each.state, friction, pulls, seed))
    fates = run_trials(trials, "hypotheses", execute, tell)
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


def choose_pulls(problem: Problem, state: TowerState, moves: Sequence[TriedPull]) -> tuple[Pull, ...]:
    """The best of the pulls that were tried, as far as a state has them, then the most probable ones of its own."""
    tower = problem.assignment.structure.select(state.filled)
    allowed = {name_way(pull): pull for pull in list_allowed(tower)}
    tried = [allowed[name_way(move.pull)] for move in moves if name_way(move.pull) in allowed]
    own = [each.pull for each in problem.weigh_moves(state.filled)] if len(tried) < ATTEMPTS else []
    return tuple(dict.fromkeys([*tried, *own]))[:ATTEMPTS]


def name_way(pull: Pull) -> tuple[str, str, int]:
    """Name a pull alike in towers that differ: across, a block has one way out, whose sign depends on its neighbours."""
    return pull.block, pull.axis, pull.sign if pull.axis == "y" else 0


def rank(problem: Problem, hypotheses: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Give hypotheses their probabilities, and put the most probable first."""
    if not problem.config.hypotheses:
        return list(hypotheses)
    share, distance = (np.array([getattr(each, name) for each in hypotheses]) for name in ("share", "distance"))
    weights = weigh_states(share, distance, problem.calibration)
    order = np.argsort(-weights, kind="stable")
    return [hypotheses[row]._replace(probability=float(weights[row])) for row in order]
