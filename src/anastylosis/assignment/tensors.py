"""Tensors: inputs and outputs of the assignment net.

There are N surveys, with B blocks and S slots in the longest; `there` is 1 for blocks and slots that exist, 0 for padding. Blocks
and slots are boxes with a pose. They have no numbers, and their order means nothing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.geometry import make_matrices
from anastylosis.structure import Structure
from anastylosis.structure.tower import BLOCKS_PER_COURSE
from anastylosis.survey import Survey

__all__ = ["COURSES_MORE", "AssignmentInput", "AssignmentOutput", "assume_complete", "build_input", "fewest_courses", "find_axes"]

COURSES_MORE = 16  # classes of the height: as many courses as the blocks would just fill, one more, two more, ..
Floats = NDArray[np.float32]


class AssignmentInput(NamedTuple):
    """Inputs of the net, by their names in the graph. Lengths in metres, in the ground frame."""

    block_position: Floats  # (N, B, 3)
    block_axes: Floats  # (N, B, 3, 3) length, width, height: unit vectors, one a row
    block_size: Floats  # (N, B, 3)
    block_sd: Floats  # (N, B, 2) of the position along an axis [m], of the angle [rad]
    block_doubt: Floats  # (N, B) probability that it is not there, or not as described
    block_there: Floats  # (N, B)
    slot_position: Floats  # (N, S, 3)
    slot_axes: Floats  # (N, S, 3, 3)
    slot_size: Floats  # (N, S, 3)
    slot_course: Floats  # (N, S) 0 at the bottom
    slot_there: Floats  # (N, S)
    told_friction: Floats  # (N,) 0: not known


class AssignmentOutput(NamedTuple):
    """Outputs of the net, by their names in the graph: probabilities, but for the last two."""

    placed: Floats  # (N, B, S) this block stood in this slot
    unplaced: Floats  # (N, B) it stood in none: rows of `placed` and this sum to 1
    empty: Floats  # (N, S) none of the blocks of the survey stood here
    removed: Floats  # (N, S) no block at all did: the slot was empty before the fall
    failure: Floats  # (N, S) this slot's course was the lowest to give way; those of a course are to be summed
    courses: Floats  # (N, COURSES_MORE) there were so many courses more than the blocks would just fill
    friction: Floats  # (N,) coefficient
    direction: Floats  # (N, 2) of the fall, along x and y; its length is the certainty


def assume_complete(found: AssignmentOutput) -> AssignmentOutput:
    """Set the removed slots for a complete survey: a slot without a block was empty before the fall."""
    return found._replace(removed=np.clip(1 - found.placed.sum(axis=1), 0, 1))


def build_input(survey: Survey, structure: Structure, friction: float | None = None) -> AssignmentInput:
    """Build the input for one survey and the structure that its blocks are put back into."""
    one = np.newaxis
    return AssignmentInput(
        block_position=as_floats(survey.position)[one],
        block_axes=find_axes(survey.orientation)[one],
        block_size=as_floats(survey.size)[one],
        block_sd=as_floats(np.stack([survey.position_sd, survey.orientation_sd], axis=1))[one],
        block_doubt=as_floats(1 - survey.certainty)[one],
        block_there=np.ones((1, len(survey)), np.float32),
        slot_position=as_floats(structure.position)[one],
        slot_axes=find_axes(structure.orientation)[one],
        slot_size=as_floats(structure.blocks.size)[one],
        slot_course=as_floats(structure.course)[one],
        slot_there=np.ones((1, len(structure)), np.float32),
        told_friction=np.array([friction or 0.0], np.float32),
    )


def find_axes(orientation: ArrayLike) -> Floats:
    """Return the body axes (..., 3, 3) of unit quaternions (..., 4) in the world, one a row."""
    return as_floats(np.swapaxes(make_matrices(np.asarray(orientation, np.float64)), -1, -2))


def fewest_courses(blocks: ArrayLike) -> NDArray[np.int64]:
    """Return the number of courses that so many blocks just fill."""
    return -(-np.asarray(blocks, np.int64) // BLOCKS_PER_COURSE)


def as_floats(values: ArrayLike) -> Floats:
    return np.ascontiguousarray(values, np.float32)
