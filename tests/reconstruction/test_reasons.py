"""Why a block is not put where it most probably stood: said, and said rightly."""

import numpy as np

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.reconstruction.draws import TowerState
from anastylosis.reconstruction.reconstruction import describe_reason

SLOTS = [f"L{number // 3:02d}_{number % 3}" for number in range(9)]
BLOCKS = ["a", "b", "c"]


def tell(slot: list[int], filled: list[int], chances: dict[tuple[int, int], float], block: int = 0) -> str:
    placed = np.zeros((len(slot), 9))
    for pair, chance in chances.items():
        placed[pair] = chance
    return describe_reason(block, TowerState(np.array(slot), np.isin(np.arange(9), filled)), placed, BLOCKS, SLOTS)


def test_nothing_is_said_of_a_block_in_its_best_slot() -> None:
    assert tell([4], [4], {(0, 4): 0.5, (0, 5): 0.5}) == ""


def test_another_block_has_it() -> None:
    chances = {(0, 4): 0.6, (0, 5): 0.3, (1, 4): 0.7}
    assert tell([5, 4], [4, 5], chances) == "b fits better into L01_1"
    assert tell([5, 4], [4, 5], chances | {(1, 4): 0.5}) == "L01_1 is needed for b"  # which has none that is better


def test_its_layer_could_not_have_borne_without() -> None:
    """A side block and the one in question bear course 2; its best slot, in course 0, stays empty."""
    filled = [0, 2, 3, 5, 7]
    assert tell([5], filled, {(0, 1): 0.6, (0, 5): 0.2}) == "layer 1 could not have borne what is above it without"
    strong = [0, 2, 3, 4, 5, 7]
    assert tell([5], strong, {(0, 1): 0.6, (0, 5): 0.2}) == "L00_1 is empty in this proposal"
    assert tell([5], [1, *strong], {(0, 1): 0.6, (0, 5): 0.2}) == "L00_1 is of a block that was not found in this proposal"


def test_a_block_that_is_nowhere_takes_no_slot() -> None:
    filled = [0, 2, 3, 4, 5, 7]
    assert tell([5, UNASSIGNED], filled, {(0, 1): 0.6, (0, 5): 0.2, (1, 1): 0.9}) == "L00_1 is empty in this proposal"
