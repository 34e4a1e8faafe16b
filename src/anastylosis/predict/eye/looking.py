"""Looking: from views of one scene to the blocks in it. Propose, look at each proposal again, keep those that do not collide."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.quaternion import to_quaternions
from anastylosis.predict.eye.turn import make_turns, measure_turns
from anastylosis.predict.eye.view import View, make_frames
from anastylosis.predict.eye.votes import COLUMN, STRIDE, count_votes, describe_rays, propose
from anastylosis.predict.eye.window import (
    GRID,
    LEVEL,
    SAID,
    SHIFT_UNIT,
    TURN_UNIT,
    Proposals,
    Windows,
    cut_windows,
    move_proposals,
    reach_height,
)
from anastylosis.survey.boxes import Boxes, measure_gaps

__all__ = ["Finder", "Fitter", "Found", "Sight", "describe_view", "find_extent", "join_proposals", "look", "look_again"]

FEWEST = 4  # votes in a picture in which something fell
STANDING = 0.33  # [m] of a tower that may still stand: 18 courses
RIM = 0.005  # share of votes that may be wrong on each side
STEP = 12  # slots that are looked at together: four courses
ROUNDS = 2  # in which proposals are moved
UNLIKELY = -3.5  # log odds, of each view, below which a proposal is not looked at again
COLLIDE = 0.009  # [m] two blocks that are deeper in each other are one: half of their height
SD_MOST = 6.0  # of a log deviation

Floats = NDArray[np.float64]
Finder = Callable[
    [NDArray[np.float32]], NDArray[np.float32]
]  # (1, 3 + RAY_CHANNELS, H, W) -> (1, OUTPUTS, H / STRIDE, W / STRIDE)
Fitter = Callable[[Windows], NDArray[np.float32]]  # -> (N, 9)


class Sight(NamedTuple):
    """One picture, twice: as the finder wants it, and finer, for the fitter."""

    coarse: View
    fine: View


class Found(NamedTuple):
    """N blocks, and how sure they are."""

    blocks: Proposals
    odds: Floats  # (N,) log odds that it is one, within 20 mm and 20 degrees
    place_sd: Floats  # (N,) [m]
    turn_sd: Floats  # (N,) [rad]

    def take(self, rows: NDArray[np.generic]) -> "Found":
        return Found(self.blocks.take(rows), self.odds[rows], self.place_sd[rows], self.turn_sd[rows])


def look(sights: Sequence[Sight], finder: Finder, fitter: Fitter, size: Floats, slots: Proposals | None = None) -> Found:
    """The blocks of a size (3,) that are seen in pictures of one scene; `slots` are proposed too."""
    views = [sight.fine for sight in sights]
    parts = [find_proposals(sight.coarse, finder, size) for sight in sights]
    if slots is not None:
        parts.append(climb(views, slots, fitter))
    proposals = join_proposals(parts)
    for _ in range(ROUNDS):
        found = look_again(views, proposals, fitter)
        proposals = found.blocks.take(found.odds > UNLIKELY * len(views))
    judged = look_again(views, proposals, fitter)._replace(blocks=proposals)  # the odds are about where they are now
    return judged.take(pick_apart(judged))


def describe_view(view: View) -> NDArray[np.float32]:
    """(3 + RAY_CHANNELS, H, W) a view as the finder takes it."""
    return np.concatenate([np.moveaxis(view.picture, -1, 0), describe_rays(view.camera)])


def find_proposals(view: View, finder: Finder, size: Floats) -> Proposals:
    """What the votes of one view propose."""
    picture = describe_view(view)
    said = finder(np.ascontiguousarray(picture[None], np.float32))[0]
    return propose(count_votes(said, view.camera), size)[0]


def find_extent(view: View, finder: Finder) -> Floats | None:
    """(N, 3) points around what fell, as far as a first look tells, and around the tower; None where nothing fell."""
    said = finder(np.ascontiguousarray(describe_view(view)[None], np.float32))[0, 0]
    rows, columns = np.nonzero(said > 0)
    if len(rows) < FEWEST:
        return None
    low, high = np.quantile(STRIDE * (np.stack([columns, rows], axis=1) + 0.5), (RIM, 1 - RIM), axis=0)
    rays = view.camera.rays(np.array([(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]))
    floor = np.asarray(view.camera.eye) + rays * reach_height(view.camera, rays, np.zeros(4))[:, None]
    tower = [(x, y, z) for x in (-COLUMN / 2, COLUMN / 2) for y in (-COLUMN / 2, COLUMN / 2) for z in (0.0, STANDING)]
    return np.concatenate([floor, tower])


def climb(views: Sequence[View], slots: Proposals, fitter: Fitter) -> Proposals:
    """Slots in which a block may still stand, from the floor up to where none does."""
    kept: list[NDArray[np.int64]] = []
    for begin in range(0, len(slots.size), STEP):
        rows = np.arange(begin, min(begin + STEP, len(slots.size)))
        some = slots.take(rows)
        kept.append(rows[look_again(views, some, fitter).odds > UNLIKELY * len(views)])
        if not len(kept[-1]):
            break
    return slots.take(np.concatenate(kept))


def join_proposals(parts: Sequence[Proposals]) -> Proposals:
    return Proposals(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def look_again(views: Sequence[View], proposals: Proposals, fitter: Fitter) -> Found:
    """Proposals as all views together say they should be moved."""
    return fuse(views, proposals, [ask(view, proposals, fitter) for view in views])


def ask(view: View, proposals: Proposals, fitter: Fitter) -> NDArray[np.float32]:
    """(N, SAID) what the fitter says; of what is not in the picture it knows nothing."""
    pixels, depth = view.camera.project(proposals.position)
    inside = (depth > 0) & ((pixels >= 0) & (pixels < (view.camera.width, view.camera.height))).all(axis=1)
    said = np.zeros((len(depth), SAID), np.float32)
    said[:, 6:8] = SD_MOST
    if inside.any():
        said[inside] = fitter(cut_windows(view, proposals.take(inside)))
    return said


def fuse(views: Sequence[View], proposals: Proposals, says: Sequence[NDArray[np.float32]]) -> Found:
    """What several views say of the same proposals, weighed by how sure each is."""
    count = len(proposals.size)
    knowledge, pull = np.zeros((count, 3, 3)), np.zeros((count, 3))
    turning, sure, odds = np.zeros((count, 3)), np.zeros(count), np.zeros(count)
    for view, said in zip(views, says, strict=True):
        place, turn = to_deviations(said)
        moved = move_proposals(view.camera, proposals, said[:, :6])
        away = proposals.position - view.camera.eye
        frames = make_frames(away)
        steep = np.maximum(np.abs(away[:, 2]) / np.linalg.norm(away, axis=1), LEVEL)
        weights = np.stack([np.ones(count), steep**2, np.ones(count)], axis=1) / place[:, None] ** 2
        info = np.einsum("nij,nj,nkj->nik", frames, weights, frames)
        knowledge += info
        pull += np.einsum("nij,nj->ni", info, moved.position)
        weight = 1 / turn**2
        turning += weight[:, None] * measure_turns(proposals.axes, moved.axes)
        sure += weight
        odds += said[:, 8]
    position = np.linalg.solve(knowledge, pull[..., None])[..., 0].astype(np.float64)  # which it is: for the types
    axes = make_turns(turning / sure[:, None]) @ proposals.axes
    place_sd = np.sqrt(np.trace(np.linalg.inv(knowledge), axis1=1, axis2=2) / 3)
    return Found(Proposals(proposals.size, position, axes), odds, place_sd, 1 / np.sqrt(sure))


def to_deviations(said: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Standard deviations of place [m] and turn [rad]; Laplace's scale times the root of two."""
    scale = np.exp(np.clip(said[:, 6:8].astype(np.float64), -SD_MOST, SD_MOST)) * np.sqrt(2)
    return scale[:, 0] * GRID * SHIFT_UNIT, scale[:, 1] * TURN_UNIT


def pick_apart(found: Found) -> NDArray[np.int64]:
    """Rows of blocks that do not collide, the surest first."""
    boxes = Boxes(found.blocks.size, found.blocks.position, to_quaternions(found.blocks.axes))
    order = np.argsort(-found.odds, kind="stable")
    kept: list[int] = []
    for row in order:
        if kept:
            rows = np.array(kept)
            near = rows[np.linalg.norm(boxes.position[rows] - boxes.position[row], axis=1) < 0.09]
            if len(near) and (measure_gaps(boxes.take(np.array([row])), boxes.take(near)) < -COLLIDE).any():
                continue
        kept.append(int(row))
    return np.array(kept, np.int64)
