"""Retrieval: the simulated fall that a heap looks most like. By the paper's rule, and by all that is known.

Paper, section "Reference Episode Search Algorithm". The paper's dataset has one height of towers; where a library has several,
falls of the same height go before all others.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.assignment import UNASSIGNED, Assignment, scale_survey
from anastylosis.geometry import mirror_poses
from anastylosis.reconstruction.falls import Fall
from anastylosis.reconstruction.weighing import match_centres, measure_distance
from anastylosis.structure import BLOCKS_PER_COURSE, mirror_slots

NAME = re.compile(r"(.+_exp_\d+)(?:_final)?")
SAME_DISTANCE = 0.01  # [m] a heap that differs more from the fall whose name it has is another one of the same name
# What one unit of each difference is: about its standard deviation between a fall and its nearest in the training split.
COUNT, SLOTS, LAYERS, FRICTION, HEAP = 2.0, 3.0, 2.0, 0.1, 0.03
COMPARED_MAX = 60  # falls whose heaps are compared, the nearest by all else
MIRRORS: tuple[tuple[int, int], ...] = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # a tower mirrored along x or y is a tower
How = Literal["lookup", "nearest", "count", "longest"]


class Reference(NamedTuple):
    """The fall that stands for one that nobody saw, and how it was found."""

    fall: Fall
    how: How
    distance: float  # [m] between the heaps
    signs: tuple[int, int] = (1, 1)  # -1: mirrored along x, or y, to get this fall


def retrieve(falls: Sequence[Fall], assignment: Assignment, name: str | None = None) -> Reference | None:
    """Find the fall of this name if it is there and lies so; else the nearest one by all that is known. None: there are none."""
    known = None if name is None else look_up(falls, name, scale_survey(assignment.survey, assignment.block_size).position)
    if known is not None:
        return known
    return retrieve_nearest(falls, assignment) if falls else None


def look_up(falls: Sequence[Fall], name: str, centres: Floats) -> Reference | None:
    """Find by the paper's first step the episode of which this is the picture or the survey, by its name.

    Two datasets may have one name for two episodes, so its debris has to be the same, too.
    """
    match = NAME.fullmatch(name)
    for fall in falls if match else ():
        if match and fall.name == match[1]:
            distance = measure_distance(fall.lies[fall.found, :3], centres)
            return Reference(fall, "lookup", distance) if distance <= SAME_DISTANCE else None
    return None


def retrieve_by_count(falls: Sequence[Fall], courses: int, removed: float, centres: Floats) -> Reference | None:
    """Find by the paper's second step the collapse whose number of removed blocks is nearest; the first of equals."""
    near = same_height(falls, courses)
    if not near:
        return None
    fall = min(near, key=lambda each: abs(each.removed - removed))
    return Reference(fall, "count", measure_distance(fall.lies[fall.found, :3], centres))


def retrieve_longest(falls: Sequence[Fall], centres: Floats) -> Reference | None:
    """Find by the paper's last step, where nothing of the kind collapsed: the game with the most rounds."""
    if not falls:
        return None
    fall = max(falls, key=lambda each: each.rounds)
    return Reference(fall, "longest", measure_distance(fall.lies[fall.found, :3], centres))


def retrieve_nearest(falls: Sequence[Fall], assignment: Assignment) -> Reference | None:
    """Find the nearest fall, mirrored or not, by number and place of empty slots, the layer that gave way, friction and heap."""
    centres = scale_survey(assignment.survey, assignment.block_size).position
    near = same_height(falls, assignment.courses)
    if not near:
        return retrieve_longest(falls, centres)
    ways = [(fall, signs) for fall in near for signs in MIRRORS]
    mirrored = [mirror_fall(fall, *signs) for fall, signs in ways]
    apart = np.array([compare(fall, assignment) for fall in mirrored])
    best = np.argsort(apart, kind="stable")[:COMPARED_MAX]
    distance = np.array([measure_distance(mirrored[row].lies[mirrored[row].found, :3], centres) for row in best])
    chosen = int((apart[best] + distance / HEAP).argmin())
    return Reference(mirrored[best[chosen]], "nearest", float(distance[chosen]), ways[best[chosen]][1])


def same_height(falls: Sequence[Fall], courses: int) -> list[Fall]:
    """Return the falls whose height is nearest to this one."""
    if not falls:
        return []
    nearest = min(abs(fall.courses - courses) for fall in falls)
    return [fall for fall in falls if abs(fall.courses - courses) == nearest]


def compare(fall: Fall, assignment: Assignment) -> float:
    """Measure how far a fall is from what is known of another; heaps are not compared."""
    slots = min(len(assignment.removed), BLOCKS_PER_COURSE * fall.courses)
    empty = np.abs(~fall.filled[:slots] - assignment.removed[:slots]).sum()
    friction = assignment.friction.value if assignment.friction_given is None else assignment.friction_given
    layers = np.abs(np.arange(assignment.courses) - fall.failure) @ assignment.failure
    return float(
        abs(fall.removed - assignment.num_removed.value) / COUNT
        + empty / SLOTS
        + layers / LAYERS
        + abs(fall.friction - friction) / FRICTION
    )


def mirror_fall(fall: Fall, along_x: int, along_y: int) -> Fall:
    """Mirror a fall along x, y or both (-1).

    Places run along y in even courses and along x in odd ones, so a mirror turns the order of one kind of course round.
    """
    if along_x == along_y == 1:
        return fall
    direction = float(np.arctan2(along_y * np.sin(fall.direction), along_x * np.cos(fall.direction)))
    fatal = fall.fatal if fall.fatal < 0 else int(mirror_slots(np.array(fall.fatal), along_x, along_y))
    return replace(
        fall, slot=mirror_slots(fall.slot, along_x, along_y), stood=mirror_poses(fall.stood, along_x, along_y),
        lies=mirror_poses(fall.lies, along_x, along_y), direction=direction, fatal=fatal,
    )  # fmt: skip


def place_by_reference(fall: Fall, centres: Floats) -> NDArray[np.int64]:
    """Return the slot (B,) of each block that lies at `centres`, (B, 3): that of the block that lies nearest in the other
    heap."""
    slot = np.full(len(centres), UNASSIGNED)
    found = fall.found
    _, rows, columns = match_centres(centres, fall.lies[found, :3])
    slot[rows] = fall.slot[found][columns]
    return slot
