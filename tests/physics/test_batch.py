"""Many worlds: the same bits in any order, on any number of threads and processes, alone or together."""

import hashlib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from anastylosis.physics import Simulation
from anastylosis.structure import jenga_tower
from support.worlds import hash_of_small_tower, kick

SEEDS = list(range(64))
SECONDS = 0.1


def world_hash(simulation: Simulation, world: int) -> str:
    """What `state_hash` gives for one world alone."""
    digest = hashlib.sha256()
    for array in simulation.state:
        digest.update(np.ascontiguousarray(array[world : world + 1]).tobytes())
    return digest.hexdigest()[:16]


def run_batch(seeds: list[int], **options) -> Simulation:
    simulation = kick(Simulation([jenga_tower(2)] * len(seeds), **options), seeds)
    simulation.run(SECONDS)
    return simulation


@pytest.fixture(scope="module")
def batch() -> Simulation:
    return run_batch(SEEDS)


def test_two_threads_give_the_bits_of_one(batch: Simulation) -> None:
    assert run_batch(SEEDS, threads=2).state_hash() == batch.state_hash()


def test_more_threads_than_worlds(batch: Simulation) -> None:
    assert world_hash(run_batch(SEEDS[:2], threads=8), 1) == world_hash(batch, 1)


def test_order_of_worlds_does_not_matter(batch: Simulation) -> None:
    order = np.random.default_rng(0).permutation(64).tolist()
    shuffled = run_batch(order, threads=2)
    assert [world_hash(shuffled, i) for i in range(64)] == [world_hash(batch, seed) for seed in order]


def test_a_world_alone_gives_the_bits_of_the_batch(batch: Simulation) -> None:
    assert [hash_of_small_tower(seed) for seed in SEEDS[:8]] == [world_hash(batch, seed) for seed in SEEDS[:8]]


def test_processes_give_the_same_bits(batch: Simulation) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        hashes = list(pool.map(hash_of_small_tower, SEEDS[:8]))
    assert hashes == [world_hash(batch, seed) for seed in SEEDS[:8]]


def test_worlds_differ(batch: Simulation) -> None:
    assert len({world_hash(batch, world) for world in range(64)}) == 64


def test_recording_changes_nothing(batch: Simulation) -> None:
    simulation = kick(Simulation([jenga_tower(2)] * 2), SEEDS[:2])
    simulation.run(SECONDS, record_every=5)
    assert world_hash(simulation, 1) == world_hash(batch, 1)


def test_frames_are_the_poses_of_every_kth_step() -> None:
    simulation = kick(Simulation([jenga_tower(2)] * 3), SEEDS[:3])
    frames = simulation.run(25 / 240, record_every=5)
    assert frames.position.shape == (5, 3, 6, 3)
    assert frames.orientation.shape == (5, 3, 6, 4)
    assert np.array_equal(frames.position[-1], simulation.state.position)
    assert np.array_equal(frames.orientation[-1], simulation.state.orientation)
    shorter = kick(Simulation([jenga_tower(2)] * 3), SEEDS[:3])
    shorter.run(10 / 240)
    assert np.array_equal(frames.position[1], shorter.state.position)


@pytest.mark.parametrize(("steps", "every", "count"), [(7, 3, 2), (7, 7, 1), (7, 1, 7), (7, 0, 0)])
def test_number_of_frames(steps: int, every: int, count: int) -> None:
    frames = Simulation(jenga_tower(1)).run(steps / 240, record_every=every)
    assert len(frames.position) == len(frames.orientation) == count


def test_worlds_do_not_touch_each_other() -> None:
    simulation = Simulation([jenga_tower(1), jenga_tower(1)])
    simulation.state.velocity[0, :, 2] = 1.0
    simulation.run(0.05)
    assert np.abs(simulation.state.position[1] - simulation.structures[1].position).max() < 2e-5
    assert simulation.state.position[0, 0, 2] > 0.02


def test_hash_sees_every_bit() -> None:
    simulation = Simulation(jenga_tower(1))
    before = simulation.state_hash()
    simulation.state.angular_velocity[0, 2, 1] = np.nextafter(0.0, 1.0)
    assert simulation.state_hash() != before
