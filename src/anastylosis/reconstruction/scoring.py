"""Scoring: proposals for one fall beside the truth, counted so that falls can be summed."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.assignment import UNASSIGNED
from anastylosis.geometry import measure_turns
from anastylosis.reconstruction.falls import Fall
from anastylosis.structure import BLOCK_SIZE, jenga_tower
from anastylosis.survey import Noise, Survey, survey_debris

FELL = 0.03  # [m] a block that lies further than this from where it stood has fallen: more than its own width
NEAR = BLOCK_SIZE[1] / 2  # [m] a block within half a block's width of where it stood is in its place,
ROUND = math.pi / 4  # [rad] if it is the right way round, nearer to its direction than to any other that a box has
STREAM = 11  # of random numbers: another one than those in which the episode was played and exported
Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Answer(NamedTuple):
    """A proposal for one survey."""

    slot: Numbers  # (A,) of each surveyed block; UNASSIGNED: none
    filled: NDArray[np.bool_]  # (S,)


class KnownHeap(NamedTuple):
    """A survey of which the answer is known; foreign stones have slot UNASSIGNED."""

    survey: Survey
    courses: int
    slot: Numbers  # (A,) in which each block stood
    stood: Floats  # (A, 7) NaN for foreign stones
    fell: NDArray[np.bool_]  # (A,)
    filled: NDArray[np.bool_]  # (S,)
    parts: int  # blocks that lie there, those that were not found too,
    parts_fell: int  # and those of them that fell


def survey_fall(fall: Fall, noise: Noise) -> KnownHeap:
    """Survey a fall, always alike, and add the truth about it."""
    names = [f"{slot}" for slot in fall.slot]
    rng = np.random.default_rng((fall.seed, STREAM))
    lies = fall.lies.copy()
    lies[:, 3:] /= np.linalg.norm(lies[:, 3:], axis=1, keepdims=True)
    survey, rows = survey_debris(names, fall.size, lies[:, :3], lies[:, 3:], noise, rng, source=f"simulated, {fall.name}")
    return describe_truth(fall, survey, rows)


def describe_truth(fall: Fall, survey: Survey, rows: Numbers) -> KnownHeap:
    """Describe the truth about a survey whose blocks are these rows of a fall, (A,); below 0: none of them."""
    own = rows >= 0
    way = np.linalg.norm(fall.lies[:, :3] - fall.stood[:, :3], axis=1)
    fell = way > FELL
    return KnownHeap(
        survey=survey, courses=fall.courses, slot=np.where(own, fall.slot[rows], UNASSIGNED),
        stood=np.where(own[:, None], fall.stood[rows], np.nan), fell=own & fell[rows], filled=fall.filled,
        parts=int(fall.found.sum()), parts_fell=int((fell & fall.found).sum()),
    )  # fmt: skip


def count_answer(heap: KnownHeap, answer: Answer) -> dict[str, float]:
    """Slots and blocks that are right and wrong, and how far blocks are put from where they stood [m], summed."""
    tower = jenga_tower(heap.courses)
    own = heap.slot != UNASSIGNED
    there = own & (answer.slot != UNASSIGNED) & (answer.slot < len(tower))
    way, turn = np.full(len(own), np.inf), np.full(len(own), np.inf)
    chosen = answer.slot[there]
    way[there] = np.linalg.norm(tower.position[chosen] - heap.stood[there, :3], axis=1)
    turn[there] = measure_turns(tower.orientation[chosen], heap.stood[there, 3:])
    right = (way <= NEAR) & (turn <= ROUND)
    said, true = pad(answer.filled, len(heap.filled)), pad(heap.filled, len(answer.filled))
    return {
        "standing_right": int((said & true).sum()),
        "standing_said": int(said.sum()),
        "standing": int(true.sum()),
        "empty_right": int((~said & ~true).sum()),
        "empty_said": int((~said).sum()),
        "empty": int((~true).sum()),
        "parts": heap.parts,
        "parts_right": int(right[own].sum()),
        "fell": heap.parts_fell,
        "fell_right": int(right[heap.fell].sum()),
        "placed": int(there.sum()),
        "way": float(way[there].sum()),
    }


def pad(flags: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Append empty slots until there are this many."""
    return np.concatenate([flags, np.zeros(max(0, least - len(flags)), bool)])


def count_wrong(heap: KnownHeap, answer: Answer) -> tuple[int, int]:
    """Blocks that are not in their slot, and slots that are filled instead of empty or the other way round."""
    said, true = pad(answer.filled, len(heap.filled)), pad(heap.filled, len(answer.filled))
    return int((answer.slot != heap.slot).sum()), int((said != true).sum())
