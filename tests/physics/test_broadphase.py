"""The sweep against all pairs, and what pairs remember. Paper §6.1."""

import itertools

import numpy as np
import pytest

from anastylosis.kernel import entry
from anastylosis.physics import Simulation, default_config
from anastylosis.physics.broadphase import sweep_pairs
from anastylosis.physics.contacts import FREE, PAIRS
from anastylosis.physics.integrate import refresh_bodies
from anastylosis.physics.model import world_view
from anastylosis.physics.sync import begin_call
from support.worlds import BLOCK, WEIGHTLESS, box_structure, corners, falling_tower, random_turns, views

MARGIN = default_config().pair_margin


@entry
def sweep(model, state, control, bodies, contacts, settings):
    begin_call(model, state, control, bodies, contacts)
    refresh_bodies(model, state, bodies)
    sweep_pairs(model, state, bodies, contacts, settings)


def swept_pairs(simulation: Simulation) -> list[tuple[int, int]]:
    model, state, bodies, contacts, _ = views(simulation)
    sweep(model, state, world_view(simulation.control, 0), bodies, contacts, simulation._stepper.settings)
    return listed_pairs(simulation)


def listed_pairs(simulation: Simulation) -> list[tuple[int, int]]:
    contacts = simulation._contacts
    return [(int(a), int(b)) for a, b in contacts.pair[0, : contacts.number[0, PAIRS]]]


def all_pairs(simulation: Simulation, margin: float) -> list[tuple[int, int]]:
    """Pairs whose world boxes are within `margin` of each other on every axis, from corners, by looking at all."""
    structure, state = simulation.structures[0], simulation.state
    points = [corners(*box) for box in zip(structure.blocks.size, state.position[0], state.orientation[0], strict=True)]
    low, high = np.array([p.min(axis=0) for p in points]), np.array([p.max(axis=0) for p in points])
    here = np.flatnonzero(state.present[0])
    fixed = structure.blocks.fixed
    # abs(c_a - c_b) <= e_a + e_b + margin on each axis: Eq. (10)
    near = [
        (int(a), int(b))
        for a, b in itertools.combinations(here, 2)
        if (low[a] <= high[b] + margin).all() and (low[b] <= high[a] + margin).all() and not (fixed[a] and fixed[b])
    ]
    # The floor has no margin of its own.
    floor = [(int(a), len(structure)) for a in here if low[a, 2] <= margin / 2 and not fixed[a]]
    return sorted(near + floor)


def scatter_blocks(seed: int, count: int = 60) -> Simulation:
    """Blocks of many sizes thrown into a box of half a metre: some pairs near, most not."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.01, 0.1, (count, 3))
    fixed = rng.random(count) < 0.1
    apart = np.arange(count)[:, None] * [10.0, 0, 0] + [0, 0, 5.0]  # made apart, then moved: overlaps are refused
    simulation = Simulation(box_structure(size, apart, random_turns(rng, count), fixed=fixed), pairs_per_block=60)
    simulation.state.position[0] = rng.uniform((0, 0, 0), (0.5, 0.5, 0.5), (count, 3))
    simulation.state.present[0] = rng.random(count) < 0.9
    return simulation


@pytest.mark.parametrize("seed", range(20))
def test_sweep_finds_the_pairs_of_all_pairs(seed: int) -> None:
    simulation = scatter_blocks(seed)
    assert swept_pairs(simulation) == all_pairs(simulation, MARGIN)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sweep_along_any_axis(axis: int) -> None:
    # A row of blocks along each world axis, 1.9 and 2.1 mm apart in turn: only the first are pairs.
    count = 30
    position = np.full((count, 3), 1.0)
    gaps = np.where(np.arange(count) % 2, MARGIN * 0.95, MARGIN * 1.05)
    position[:, axis] += np.cumsum(BLOCK[axis] + gaps)
    rng = np.random.default_rng(0)
    simulation = Simulation(box_structure(BLOCK, position[rng.permutation(count)]))  # any order of numbers
    found = swept_pairs(simulation)
    assert len(found) == count // 2
    assert found == all_pairs(simulation, MARGIN)


@pytest.mark.parametrize("seed", range(5))
def test_sweep_after_motion_finds_the_pairs_of_all_pairs(seed: int) -> None:
    simulation = scatter_blocks(seed)
    rng = np.random.default_rng(seed)
    for _ in range(5):  # the order of the last sweep is where the next one starts
        simulation.state.position[0] += rng.normal(0, 0.05, simulation.state.position[0].shape)
        simulation.state.orientation[0] = random_turns(rng, len(simulation.structures[0]))
        simulation.state.present[0] ^= rng.random(len(simulation.structures[0])) < 0.1
        assert swept_pairs(simulation) == all_pairs(simulation, MARGIN)


def test_moving_blocks_are_paired_with_what_they_can_reach_in_a_step() -> None:
    # Two blocks 20 mm apart, closing at 10 m/s: 42 mm in a step of 1/240 s.
    simulation = Simulation(box_structure(BLOCK, [(0, 0, 1), (BLOCK[0] + 0.02, 0, 1)]), WEIGHTLESS)
    assert swept_pairs(simulation) == []
    simulation.state.velocity[0, 0, 0] = 10.0
    assert swept_pairs(simulation) == [(0, 1)]


def test_no_pair_is_missed_in_a_collapse() -> None:
    simulation = falling_tower()
    for _ in range(60):
        simulation.run(simulation.config.timestep)
        missed = set(all_pairs(simulation, 0.0)) - set(listed_pairs(simulation))
        assert not missed


def test_pairs_that_stay_keep_their_memory() -> None:
    simulation = scatter_blocks(3)
    rng = np.random.default_rng(1)
    contacts = simulation._contacts
    before = swept_pairs(simulation)
    slots = contacts.pair_slot[0, : len(before)]
    contacts.impulse[0, slots] = np.arange(1, len(before) + 1)[:, None] * [1.0, 2.0, 3.0, 4.0]
    contacts.points[0, slots] = 4
    memory = {pair: contacts.impulse[0, slot].copy() for pair, slot in zip(before, slots, strict=True)}

    simulation.state.position[0] += rng.normal(0, 0.01, simulation.state.position[0].shape)
    after = swept_pairs(simulation)
    slots = contacts.pair_slot[0, : len(after)]
    stayed, new = set(before) & set(after), set(after) - set(before)
    assert stayed
    assert new
    assert set(before) - set(after)
    for pair, slot in zip(after, slots, strict=True):
        if pair in stayed:
            assert np.array_equal(contacts.impulse[0, slot], memory[pair])
            assert contacts.points[0, slot] == 4
        else:
            assert contacts.points[0, slot] == 0  # starts with no memory
    # Every slot is either in use once or free once.
    free = contacts.free[0, : contacts.number[0, FREE]]
    assert sorted([*slots, *free]) == list(range(contacts.free.shape[1]))
