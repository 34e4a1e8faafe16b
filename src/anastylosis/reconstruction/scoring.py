"""Scoring: falls whose truth is known, surveyed or photographed, and proposals for them beside the truth."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from anastylosis.arrays import Floats, Integers
from anastylosis.assignment import FELL_DISTANCE, UNASSIGNED, choose_block_size
from anastylosis.detection import BlockDetector, Photo
from anastylosis.geometry import measure_turns
from anastylosis.reconstruction.falls import Fall
from anastylosis.rendering import frame_points, make_look, render_image
from anastylosis.structure import BLOCK_SIZE, jenga_tower
from anastylosis.survey import Noise, Survey, survey_debris

PHOTO_SIDE = 512  # [pixels]
PHOTO_ELEVATION = math.radians(25), math.radians(45)
PHOTO_FIELD_OF_VIEW = math.radians(32)
PHOTO_MARGIN = 0.06
MATCH_DISTANCE, MATCH_ANGLE = 0.02, math.radians(20)  # [m], [rad] a block that is found further from any true one is none of them
PHOTO_STREAM = 12  # of random numbers: another one than those in which the episode was played and surveyed


NEAR_DISTANCE = BLOCK_SIZE[1] / 2  # [m] a block within half a block's width of where it stood is in its place,
TURN_MAX = math.pi / 4  # [rad] if it is the right way round, nearer to its direction than to any other that a box has
STREAM = 11  # of random numbers: another one than those in which the episode was played and exported


class Answer(NamedTuple):
    """A proposal for one survey."""

    slot: Integers  # (A,) of each surveyed block; UNASSIGNED: none
    filled: NDArray[np.bool_]  # (S,)


class KnownHeap(NamedTuple):
    """A survey of which the answer is known; foreign stones have slot UNASSIGNED."""

    survey: Survey
    courses: int
    slot: Integers  # (A,) in which each block stood
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


def describe_truth(fall: Fall, survey: Survey, rows: Integers) -> KnownHeap:
    """Describe the truth about a survey whose blocks are these rows of a fall, (A,); below 0: none of them."""
    own = rows >= 0
    way = np.linalg.norm(fall.lies[:, :3] - fall.stood[:, :3], axis=1)
    fell = way > FELL_DISTANCE
    return KnownHeap(
        survey=survey, courses=fall.courses, slot=np.where(own, fall.slot[rows], UNASSIGNED),
        stood=np.where(own[:, None], fall.stood[rows], np.nan), fell=own & fell[rows], filled=fall.filled,
        parts=int(fall.found.sum()), parts_fell=int((fell & fall.found).sum()),
    )  # fmt: skip


def count_answer(heap: KnownHeap, answer: Answer) -> dict[str, float]:
    """Count slots and blocks that are right and wrong, and how far blocks are put from where they stood [m], summed."""
    tower = jenga_tower(heap.courses, size=choose_block_size(heap.survey))
    own = heap.slot != UNASSIGNED
    there = own & (answer.slot != UNASSIGNED) & (answer.slot < len(tower))
    way, turn = np.full(len(own), np.inf), np.full(len(own), np.inf)
    chosen = answer.slot[there]
    way[there] = np.linalg.norm(tower.position[chosen] - heap.stood[there, :3], axis=1)
    turn[there] = measure_turns(tower.orientation[chosen], heap.stood[there, 3:])
    right = (way <= NEAR_DISTANCE) & (turn <= TURN_MAX)
    proposed, true = pad(answer.filled, len(heap.filled)), pad(heap.filled, len(answer.filled))
    return {
        "standing_right": int((proposed & true).sum()),
        "standing_said": int(proposed.sum()),
        "standing": int(true.sum()),
        "empty_right": int((~proposed & ~true).sum()),
        "empty_said": int((~proposed).sum()),
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
    """Count blocks that are not in their slot, and slots that are filled instead of empty or the other way round."""
    proposed, true = pad(answer.filled, len(heap.filled)), pad(heap.filled, len(answer.filled))
    return int((answer.slot != heap.slot).sum()), int((proposed != true).sum())


def take_photo(fall: Fall) -> Photo:
    """Take one picture of what lies there, from any side, always the same."""
    rng = np.random.default_rng((fall.seed, PHOTO_STREAM))
    lies = fall.lies[fall.found]
    half = float(fall.size.max()) / 2
    points = np.concatenate([lies[:, :3] + half, lies[:, :3] - half])
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    low, high = np.sin(PHOTO_ELEVATION)  # even on the sphere
    camera = frame_points(
        points, elevation=math.asin(rng.uniform(low, high)), azimuth=rng.uniform(0, 2 * math.pi),
        field_of_view=PHOTO_FIELD_OF_VIEW, margin=PHOTO_MARGIN, width=PHOTO_SIDE, height=PHOTO_SIDE,
    )  # fmt: skip
    look = make_look("wood", int(rng.integers(2**32)))
    turned = lies[:, 3:] / np.linalg.norm(lies[:, 3:], axis=1, keepdims=True)
    image = render_image(fall.size[fall.found], lies[:, :3], turned, camera, look, antialias=2, shadows="soft")
    return Photo(image.rgb, camera)


def photograph_fall(fall: Fall, detector: BlockDetector) -> KnownHeap:
    """Survey a fall by the blocks detected in a picture of it, and add the truth about it."""
    survey = detector.survey([take_photo(fall)])
    return describe_truth(fall, survey, match_truth(fall, survey))


def match_truth(fall: Fall, survey: Survey) -> NDArray[np.int64]:
    """Return the row (A,) of the fall that each block of the survey is; UNASSIGNED: none."""
    apart = np.linalg.norm(survey.position[:, None] - fall.lies[None, :, :3], axis=2)
    turned = measure_turns(survey.orientation[:, None], np.where(fall.found[:, None], fall.lies[:, 3:], (1.0, 0, 0, 0))[None])
    cost = np.where((apart <= MATCH_DISTANCE) & (turned <= MATCH_ANGLE), apart, 2 * MATCH_DISTANCE)
    cost[:, ~fall.found] = 2 * MATCH_DISTANCE
    rows, columns = linear_sum_assignment(cost)
    match = np.full(len(survey), UNASSIGNED)
    near = cost[rows, columns] <= MATCH_DISTANCE
    match[rows[near]] = columns[near]
    return match
