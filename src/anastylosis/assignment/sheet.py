"""Sheet: surveys and the slots of what stood, as the arrays that the assignment net reads; and what it writes beside them.

N surveys, B blocks and S slots of the longest; `there` is 1 for what is, 0 for what only fills the row. Blocks and slots are
boxes with a pose, and nothing says which is which but that: no number, no order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.geometry import make_matrices
from anastylosis.structure import Structure
from anastylosis.survey import Survey

__all__ = ["COURSES_MORE", "Findings", "Sheet", "fewest_courses", "find_axes", "lay_out", "take_as_complete"]

COURSES_MORE = 16  # answers about the height: as many courses as the blocks would just fill, one more, two more, ..
PLACES = 3  # slots a course
Floats = NDArray[np.float32]


class Sheet(NamedTuple):
    """What the net reads. Lengths in metres, in the ground frame; names are those of the graph's inputs."""

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
    told_friction: Floats  # (N,) 0: not told


class Findings(NamedTuple):
    """What the net says: probabilities, but for the last two; names are those of the graph's outputs."""

    placed: Floats  # (N, B, S) this block stood in this slot
    unplaced: Floats  # (N, B) it stood in none: rows of `placed` and this sum to 1
    empty: Floats  # (N, S) none of the blocks of the survey stood here
    removed: Floats  # (N, S) no block at all did: the slot was empty before the fall
    failure: Floats  # (N, S) this slot's course was the lowest to give way; those of a course are to be summed
    courses: Floats  # (N, COURSES_MORE) there were so many courses more than the blocks would just fill
    friction: Floats  # (N,) coefficient
    direction: Floats  # (N, 2) of the fall, along x and y; its length says how sure that is


def take_as_complete(found: Findings) -> Findings:
    """The same when every block was found: a slot without one was empty before the fall."""
    return found._replace(removed=np.clip(1 - found.placed.sum(axis=1), 0, 1))


def lay_out(survey: Survey, structure: Structure, friction: float | None = None) -> Sheet:
    """One survey and the structure that it is to be put back into."""
    one = np.newaxis
    return Sheet(
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
    """(..., 3, 3) the body axes of unit quaternions (..., 4) in the world, one a row."""
    return as_floats(np.swapaxes(make_matrices(np.asarray(orientation, np.float64)), -1, -2))


def fewest_courses(blocks: ArrayLike) -> NDArray[np.int64]:
    """Courses that so many blocks just fill."""
    return -(-np.asarray(blocks, np.int64) // PLACES)


def as_floats(values: ArrayLike) -> Floats:
    return np.ascontiguousarray(values, np.float32)
