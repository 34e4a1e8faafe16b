"""The best complete assignment: as trying all of them finds it, no slot twice, and each block free to stay alone."""

from itertools import permutations

import numpy as np
import pytest

from anastylosis.assignment.assignment import UNASSIGNED, match_blocks


def try_all(placed: np.ndarray, unplaced: np.ndarray, empty: np.ndarray) -> float:
    """The largest product of any complete assignment."""
    blocks, slots = placed.shape
    best = 0.0
    for chosen in permutations([*range(slots), *[UNASSIGNED] * blocks], blocks):
        chance = np.prod([placed[b, s] if s != UNASSIGNED else unplaced[b] for b, s in enumerate(chosen)])
        chance *= np.prod([empty[s] for s in range(slots) if s not in chosen])
        best = max(best, float(chance))
    return best


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
def test_as_good_as_the_best_of_all(seed: int, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    placed, unplaced, empty = rng.uniform(0.01, 1, shape), rng.uniform(0.01, 1, shape[0]), rng.uniform(0.01, 1, shape[1])
    slot = match_blocks(placed, unplaced, empty)
    chosen = slot[slot != UNASSIGNED]
    assert len(set(chosen.tolist())) == len(chosen)
    chance = np.prod([placed[b, s] if s != UNASSIGNED else unplaced[b] for b, s in enumerate(slot)])
    chance *= np.prod([empty[s] for s in range(shape[1]) if s not in chosen])
    assert chance == pytest.approx(try_all(placed, unplaced, empty))


def test_more_blocks_than_slots() -> None:
    slot = match_blocks(np.full((5, 2), 0.4), np.full(5, 0.2), np.full(2, 0.2))
    assert sorted(slot.tolist()) == [UNASSIGNED, UNASSIGNED, UNASSIGNED, 0, 1]


def test_what_is_impossible_is_not_chosen() -> None:
    np.testing.assert_array_equal(match_blocks(np.array([[0.0, 0.9]]), np.array([0.1]), np.array([0.5, 0.5])), [1])
    np.testing.assert_array_equal(match_blocks(np.array([[0.0, 0.0]]), np.array([1.0]), np.array([1.0, 1.0])), [UNASSIGNED])
