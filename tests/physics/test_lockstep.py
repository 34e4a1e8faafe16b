"""Lockstep: games in threads, stepped together, go as they go alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from anastylosis.errors import InvalidInput, SimulationDiverged
from anastylosis.physics import EngineConfig, Simulation, default_config, paper_config
from anastylosis.physics.lockstep import Lockstep
from anastylosis.structure import jenga_tower
from support.worlds import kick


def play(simulation: Simulation, seed: int) -> tuple[str, float, float]:
    """So many calls of different lengths, with a look and a touch between them, as the seed says."""
    kick(simulation, [seed], 0.1)
    force = 0.0
    for call in range(2 + seed):
        simulation.pull("L00_1", (1, 0, 0), 0.05, 0.3)
        frames = simulation.run((1 + (seed + call) % 3) / 240, record_every=1)
        assert frames.position.shape[:2] == (1 + (seed + call) % 3, 1)
        force += float(simulation.contacts().normal_force.sum())
    return simulation.state_hash(), simulation.time, force


def seated(lockstep: Lockstep, seed: int, config: EngineConfig) -> tuple[str, float, float]:
    try:
        return play(lockstep.simulate(jenga_tower(2, friction=0.3 + 0.05 * seed), config), seed)
    finally:
        lockstep.leave()


def test_worlds_go_as_they_go_alone() -> None:
    seeds = range(4)
    lockstep, config = Lockstep(len(seeds)), default_config()
    with ThreadPoolExecutor(len(seeds)) as threads:
        together = list(threads.map(lambda seed: seated(lockstep, seed, config), seeds))
    alone = [play(Simulation(jenga_tower(2, friction=0.3 + 0.05 * seed), config), seed) for seed in seeds]
    assert together == alone
    assert lockstep.launches == 2 + max(seeds)  # as many as the longest game has; the others were masked


def test_a_world_that_diverges_ends_its_own_game_only() -> None:
    lockstep = Lockstep(2)

    def run(torque: float) -> float:
        try:
            simulation = lockstep.simulate(jenga_tower(1), default_config())
            simulation.apply_force("L00_0", (0, 0, 0), (torque, 0, 0))
            for _ in range(3):
                simulation.run(1 / 240)
            return simulation.time
        finally:
            lockstep.leave()

    with ThreadPoolExecutor(2) as threads:
        bad, good = threads.submit(run, 1e308), threads.submit(run, 0.0)
        with pytest.raises(SimulationDiverged, match="'L00_0'"):
            bad.result()
        assert good.result() == pytest.approx(3 / 240)


def test_a_member_that_never_comes_is_not_waited_for() -> None:
    lockstep = Lockstep(2)
    lockstep.leave()
    assert seated(lockstep, 0, default_config())[1] > 0


def test_other_engines_are_refused_in_every_thread() -> None:
    lockstep = Lockstep(2)
    with ThreadPoolExecutor(2) as threads:
        pair = [threads.submit(seated, lockstep, 0, config) for config in (default_config(), paper_config())]
        for each in pair:
            with pytest.raises(InvalidInput, match="need the same engine configuration"):
                each.result()


def test_whoever_waits_is_told_when_all_is_stopped() -> None:
    lockstep = Lockstep(2)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(lockstep.simulate, jenga_tower(1), default_config())
        lockstep.stop(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            waiting.result()
