"""Frame: whether the part of a tower that still stands is where origin and heading say, and which ones would fit."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from anastylosis.arrays import Integers, Vector
from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.assignment.block_size import find_fitting
from anastylosis.assignment.unfallen import TURN_MAX, find_standing, is_off
from anastylosis.errors import InvalidInput
from anastylosis.geometry import Boxes, find_corners, make_matrices, measure_turns
from anastylosis.structure import BLOCKS_PER_COURSE, Structure, jenga_tower, space_places
from anastylosis.survey import Ground, Survey

FLAT = math.cos(math.radians(15))  # cosine from which a block lies flat
STUMP_MIN = 5  # blocks, in two courses at least: fewer may have fallen so
FOOT_MAX = 4.0  # lengths of a block from the foot to the nearest one
STUMP_RATIO = 2  # times as many as stand in the frame that was given
COURSES_MAX = 60  # that are looked for
NO_TURN = np.array((1.0, 0.0, 0.0, 0.0))
TRIED = 2  # frames that are looked at closely
PLACES = (-1, 0, 1)  # of a course, from its middle
GROUND_BLOCKS = 3  # of the lowest blocks the one in the middle lies on the ground
CONTRADICTION_RATIO = 4  # times as many blocks as are in slots of the given frame speak against it
NEAR_TURN = math.radians(10)  # [rad] of a frame that differs slightly
PACKED_MIN = 1.01  # of the room: blocks fill it to 1 at most
APART_MIN = 0.1  # of its shortest side: centres of neighbours are further apart
SD_MAX = 3.0  # standard deviations of a survey that are its errors


class FrameFit(NamedTuple):
    """A frame in which more blocks stand than in the one that was given."""

    frame: Ground  # its place in the frame that was given; turned by a quarter at most
    standing: int  # blocks that stand in this frame
    given: int  # blocks that stand in the given frame
    there: int = 0  # slots of the given frame in which blocks lie, also where the course below is gone or was not found

    def move(self, survey: Survey) -> Survey:
        """Return the survey in this frame."""
        position, orientation = self.frame.from_site(survey.position, survey.orientation)
        return replace(survey, position=position, orientation=orientation, ground=self.place(survey.ground))

    def place(self, given: Ground) -> Ground:
        """Return this frame in the coordinates of the site."""
        origin, _ = given.to_site(self.frame.origin, NO_TURN)
        return Ground(origin=origin, heading=math.remainder(given.heading + self.frame.heading, 2 * math.pi))


def settle_frame(survey: Survey, block: Vector, *, fit: bool | None = None) -> Survey:
    """Return the survey in the frame that is believed where its blocks contradict origin and heading; else as it is.

    `fit`: believe the blocks (True) or what was given (False), and warn; None: raise. Raises always if no block lies near the
    foot. A stump is what still stands of a tower.
    """
    like = survey.select(find_fitting(survey.size, block))
    refuse_packed(like)
    found = find_frame(like, block)
    if found is not None and is_contradicted(found):
        return believe(survey, found, describe_contradiction(found, survey.ground), fit, slight=is_near(found.frame, block))
    away = float(np.linalg.norm(like.position[:, :2], axis=1).min())
    if away > FOOT_MAX * block[0]:
        x, y, z = survey.ground.to_site(np.append(np.median(like.position[:, :2], axis=0), measure_ground(like)), NO_TURN)[0]
        raise InvalidInput(
            f"no block lies within {away:.2f} m of the foot of the tower, and no tower falls so; is the origin right? The blocks "
            f"lie around --origin {x:.3f},{y:.3f},{z:.3f}",
            kind="frame_contradicted",
        )
    height = measure_ground(like)
    if is_off_ground(height, like, block):
        lifted = FrameFit(Ground(origin=np.array((0.0, 0.0, height))), 0, 0)
        return believe(survey, lifted, describe_ground(height, survey.ground), fit)
    return survey


def refuse_packed(survey: Survey) -> None:
    """Raise when there is no room for all the blocks where they are said to lie."""
    corners = find_corners(survey.position, survey.size, make_matrices(survey.orientation))
    room, taken = float(np.ptp(corners.reshape(-1, 3), axis=0).prod()), float(survey.size.prod(axis=1).sum())
    apart = measure_apart(survey)
    if taken > PACKED_MIN * room or apart < APART_MIN:
        raise InvalidInput(
            f"the {len(survey)} blocks have no room where they are said to lie: they would be inside each other; are the places "
            "in the same unit as the sizes? (--units)",
            kind="blocks_packed",
        )


def measure_apart(survey: Survey) -> float:
    """Measure how far apart centres of neighbours are, in shortest sides of a block; the median, infinite for one block."""
    if len(survey) == 1:
        return math.inf
    away, _ = KDTree(survey.position).query(survey.position, 2)
    return float(np.median(away[:, 1] / survey.size.min(axis=1)))


def believe(survey: Survey, found: FrameFit, contradiction: str, fit: bool | None, *, slight: bool = False) -> Survey:
    """Return the survey in the frame that is believed, with a warning; raise where that was not told, but for slight ones."""
    if fit:
        return replace(found.move(survey), warnings=(*survey.warnings, describe_fit(found, survey.ground)))
    if fit is None and not slight:
        raise InvalidInput(f"{contradiction}; --fit-frame takes these, and --keep-frame those given", kind="frame_contradicted")
    said = () if contradiction in survey.warnings else (contradiction,)  # a survey may be settled twice
    return replace(survey, warnings=(*survey.warnings, *said))


def is_contradicted(found: FrameFit) -> bool:
    """Return whether a stump speaks against the given frame: nothing stands there, and few blocks lie in its slots."""
    return found.given == 0 and found.there * CONTRADICTION_RATIO <= found.standing


def is_near(frame: Ground, block: Vector) -> bool:
    """Return whether a frame is so near to the given one that answers hardly differ."""
    return float(np.linalg.norm(frame.origin)) <= block[0] / 2 and abs(math.sin(frame.heading)) <= math.sin(NEAR_TURN)


def is_off_ground(height: float, survey: Survey, block: Vector) -> bool:
    """Return whether the lowest blocks lie in the ground, or higher than blocks that were not found explain."""
    slack = SD_MAX * float(survey.position_sd.max(initial=0.0))
    return height < -(block[2] + slack) or height > GROUND_BLOCKS * block[2] + slack


def describe_ground(height: float, given: Ground) -> str:
    """Describe blocks that lie above or below the ground, and the origin that fits."""
    (x, y, z), _ = given.to_site(np.array((0.0, 0.0, height)), NO_TURN)
    where = "below" if height < 0 else "above"
    lies = f"the lowest blocks lie {abs(height):.3f} m {where} the ground that origin says"
    return f"{lies}; give --origin {x:.3f},{y:.3f},{z:.3f}"


def describe_contradiction(found: FrameFit, given: Ground) -> str:
    """Describe a stump that stands in another frame, and the options that take it."""
    x, y, z = found.place(given).origin
    heading = math.degrees(found.place(given).heading)
    shift = np.linalg.norm(found.frame.origin)
    return (
        f"{found.standing} blocks still stand on each other, turned by {math.degrees(found.frame.heading):+.0f} degrees and "
        f"shifted by {shift:.3f} m from where origin and heading say, and none stands there; give "
        f"--origin {x:.3f},{y:.3f},{z:.3f} --heading {heading:.1f}"
    )


def describe_fit(found: FrameFit, given: Ground) -> str:
    """Describe the frame that was taken."""
    x, y, z = found.place(given).origin
    if not found.standing:
        return f"the ground is taken from the lowest blocks: origin {x:.3f},{y:.3f},{z:.3f}"
    return (
        f"origin and heading are taken from {found.standing} blocks that still stand: {x:.3f},{y:.3f},{z:.3f} and "
        f"{math.degrees(found.place(given).heading):.1f} degrees, or 180 degrees more: a tower is the same both ways round"
    )


def find_frame(survey: Survey, block: Vector) -> FrameFit | None:
    """Find a frame in which clearly more blocks stand than in the given one; None: there is none."""
    ground = measure_ground(survey)
    flat = survey.select(find_flat(survey, ground))
    if len(flat) < STUMP_MIN:
        return None
    tower = jenga_tower(count_courses(flat, ground, block), size=block)
    given = int((find_standing(flat, tower) != UNASSIGNED).sum())
    frames = list_frames(flat, ground, block)
    if not frames:
        return None
    counts = count_stumps(flat, frames, ground, block)
    least = max(STUMP_MIN, STUMP_RATIO * given)
    likely = [row for row in np.argsort(-counts, kind="stable")[:TRIED] if counts[row] >= least]
    best = max((refine(frames[row], flat, tower) for row in likely), key=lambda fit: fit.standing, default=None)
    if best is None or best.standing < least:
        return None
    stump = find_standing(best.move(flat), tower)
    courses = tower.course[stump[stump != UNASSIGNED]]
    return best._replace(given=given, there=count_in_slots(flat, tower)) if len(np.unique(courses)) > 1 else None


def count_in_slots(flat: Survey, tower: Structure) -> int:
    """Count the slots in which a block lies, wherever it stands on."""
    turned = measure_turns(flat.orientation[:, None], tower.orientation[None]) <= TURN_MAX
    slack = np.minimum(SD_MAX * flat.position_sd, tower.blocks.size[0, 2])[:, None, None]
    return int((turned & ~is_off(flat.position[:, None], tower, slack)).any(axis=0).sum())


def measure_ground(survey: Survey) -> float:
    """Measure how high the lowest blocks lie, above the ground that was given [m]."""
    underside = np.sort(Boxes(survey.size, survey.position, survey.orientation).measure_underside())
    return float(np.median(underside[:GROUND_BLOCKS]))


def find_flat(survey: Survey, ground: float) -> Integers:
    """Find rows of blocks that lie flat."""
    upright = np.abs(make_matrices(survey.orientation)[:, 2, 2]) >= FLAT
    return np.flatnonzero(upright & (survey.position[:, 2] > ground))


def count_courses(flat: Survey, ground: float, block: Vector) -> int:
    """Count the courses up to the highest flat block."""
    return min(COURSES_MAX, max(2, math.ceil((float(flat.position[:, 2].max()) - ground) / block[2])))


def list_frames(flat: Survey, ground: float, block: Vector) -> list[FrameFit]:
    """List the frames in which one of the flat blocks on the ground is one of the bottom course."""
    axes, frames = make_matrices(flat.orientation)[:, :, 0], []
    for row in np.flatnonzero(flat.position[:, 2] - ground < block[2]):
        turn = math.remainder(math.atan2(axes[row, 1], axes[row, 0]), math.pi)
        across = np.array((-math.sin(turn), math.cos(turn), 0.0))
        for place in PLACES:
            foot = flat.position[row] - place * space_places(*block[:2]) * across
            frames.append(FrameFit(Ground(origin=np.array((foot[0], foot[1], ground)), heading=turn), 0, 0))
    return frames


def count_stumps(flat: Survey, frames: Sequence[FrameFit], ground: float, block: Vector) -> Integers:
    """Estimate quickly how many blocks stand in each frame (F,): slots near a flat block, up to the first course with none."""
    heading = np.array([fit.frame.heading for fit in frames])[:, None]
    away = flat.position[:, :2] - np.array([fit.frame.origin[:2] for fit in frames])[:, None]
    axes = make_matrices(flat.orientation)[:, :, 0]
    course = np.floor((flat.position[:, 2] - ground) / block[2]).astype(int)
    along = heading + (course % 2) * math.pi / 2  # (F, B) the direction of blocks in the course
    cos, sin = np.cos(along), np.sin(along)
    length, width = away[..., 0] * cos + away[..., 1] * sin, away[..., 1] * cos - away[..., 0] * sin
    place = np.rint(width / space_places(*block[:2]))
    off = np.abs(width - place * space_places(*block[:2]))
    twist = np.abs(axes[:, 1] * cos - axes[:, 0] * sin)
    near = (np.abs(length) < block[0] / 3) & (np.abs(place) <= 1) & (off < block[1] / 2) & (twist < math.sin(TURN_MAX))
    courses = course.max() + 1
    there = np.zeros((len(frames), courses, BLOCKS_PER_COURSE), bool)
    frame, row = np.nonzero(near)
    there[frame, course[row], place[frame, row].astype(int) + 1] = True
    return np.asarray((there.sum(axis=2) * np.logical_and.accumulate(there.any(axis=2), axis=1)).sum(axis=1))


def refine(fit: FrameFit, flat: Survey, tower: Structure) -> FrameFit:
    """Move a frame to the middle of the blocks that stand in it, and count them."""
    moved = fit.move(flat)
    slot = find_standing(moved, tower)
    stands = slot != UNASSIGNED
    counted = fit._replace(standing=int(stands.sum()))
    if counted.standing < STUMP_MIN:
        return counted
    rest = np.median(moved.position[stands] - tower.position[slot[stands]], axis=0) * (1, 1, 0)
    axes, wanted = (make_matrices(each)[:, :, 0] for each in (moved.orientation[stands], tower.orientation[slot[stands]]))
    twist = np.arctan2(wanted[:, 0] * axes[:, 1] - wanted[:, 1] * axes[:, 0], (wanted * axes)[:, :2].sum(axis=1))
    turn = float(np.median([math.remainder(angle, math.pi) for angle in twist]))
    origin, _ = fit.frame.to_site(rest, NO_TURN)
    better = fit._replace(frame=Ground(origin=origin, heading=math.remainder(fit.frame.heading + turn, math.pi)))
    again = int((find_standing(better.move(flat), tower) != UNASSIGNED).sum())
    return better._replace(standing=again) if again >= counted.standing else counted
