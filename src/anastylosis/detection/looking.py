"""Looking: from views of one scene to the blocks in it. What stands is read slot by slot; what fell is proposed by votes, and
judged."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.agreement import check_debris
from anastylosis.detection.evidence import Testimony, hear, measure_overlaps
from anastylosis.detection.proposals import Proposals, join_proposals, reflect
from anastylosis.detection.verdict import Judge, look_closely
from anastylosis.detection.view import View, mirror_view
from anastylosis.detection.votes import describe_rays, join_votes, propose
from anastylosis.detection.window import Windows, cut_windows
from anastylosis.mechanics.box import CORNERS

__all__ = [
    "Ballot",
    "Finder",
    "Found",
    "Reader",
    "describe_view",
    "find_fallen",
    "join_found",
    "join_odds",
    "listen",
    "pick_apart",
    "read_slots",
    "read_view",
    "take_votes",
    "weigh",
]

STEP = 12  # slots that are read together: four courses
EMPTY, NONE = -3.0, -20.0  # log odds below which a slot is surely empty; of one that no picture shows
COLLIDE = 0.015  # [m] two blocks that are deeper in each other are one: five sixths of their height

Floats = NDArray[np.float64]
Answer = NDArray[np.float32]
Finder = Callable[[Answer], Answer]  # (1, 3 + RAY_CHANNELS, H, W) -> (1, OUTPUTS, H / STRIDE, W / STRIDE)
Reader = Callable[[Windows], Answer]  # -> (N,) log odds of a block


class Found(NamedTuple):
    """N blocks, and how sure they are."""

    blocks: Proposals
    odds: Floats  # (N,) log odds that it is one: if it fell, within 20 mm and 20 degrees
    place_sd: Floats  # (N,) [m]
    turn_sd: Floats  # (N,) [rad]
    stands: NDArray[np.bool_]  # (N,) still in its slot

    def take(self, rows: NDArray[np.generic]) -> "Found":
        return Found(self.blocks.take(rows), *(part[rows] for part in self[1:]))


class Ballot(NamedTuple):
    """N blocks that are proposed, and by whom."""

    views: list[View]
    heard: list[Testimony]  # what each of them says
    proposals: Proposals
    votes: Floats  # (N,) how many agree on each


def describe_view(view: View) -> Answer:
    """(3 + RAY_CHANNELS, H, W) a view as the finder takes it."""
    return np.concatenate([np.moveaxis(view.picture, -1, 0), describe_rays(view.camera)])


def listen(view: View, finder: Finder) -> Testimony:
    """What the pixels of a view vote for."""
    return hear(view.camera, finder(describe_view(view)[None])[0])


def find_fallen(views: Sequence[View], finder: Finder, judge: Judge, size: Floats) -> Found:
    """Blocks of a size (3,) that fell, also those that collide, as they are seen, and then as they are seen in a mirror: nets err
    differently there. Most are found twice. Raises when the views are not of one scene."""
    seen = take_votes(views, finder, size)
    check_debris(seen.heard, seen.proposals)
    found = weigh(seen, judge)
    mirrored = weigh(take_votes([mirror_view(view) for view in views], finder, size), judge)
    return join_found([found, mirrored._replace(blocks=reflect(mirrored.blocks))])


def take_votes(views: Sequence[View], finder: Finder, size: Floats) -> Ballot:
    """What all views together vote for."""
    heard = [listen(view, finder) for view in views]
    return Ballot(list(views), heard, *propose(join_votes([testimony.votes for testimony in heard]), size))


def weigh(ballot: Ballot, judge: Judge) -> Found:
    """Proposed blocks as the judge finds them."""
    blocks, verdict = look_closely(*ballot, judge)
    place, turn = np.exp(verdict.deviation).T
    return Found(blocks, verdict.odds, place, turn, np.zeros(len(ballot.votes), bool))


def read_slots(views: Sequence[View], reader: Reader, slots: Proposals) -> Floats:
    """(V, N) log odds of a block in each slot, as each view tells, from the floor up to where none is filled; NaN: not seen."""
    count = len(slots.size)
    odds = np.full((len(views), count), np.nan)
    for begin in range(0, count, STEP):
        rows = np.arange(begin, min(begin + STEP, count))
        odds[:, rows] = [read_view(view, reader, slots.take(rows)) for view in views]
        if np.isfinite(odds[:, rows]).any() and not (odds[:, rows] > EMPTY).any():
            break
    return odds


def join_odds(odds: Floats) -> Floats:
    """(N,) the mean log odds of those views (V, N) that see a slot; of what none sees, it is taken that nothing is there."""
    seen = np.isfinite(odds)
    return np.where(seen.any(axis=0), np.where(seen, odds, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1), NONE)


def read_view(view: View, reader: Reader, slots: Proposals) -> Floats:
    """(N,) log odds, NaN for what is not in the picture, whole."""
    corners = slots.position[:, None] + (CORNERS * slots.size[:, None]) @ np.swapaxes(slots.axes, -1, -2)
    pixels, depth = view.camera.project(corners)
    shown = ((pixels >= 0) & (pixels < (view.camera.width, view.camera.height))).all(axis=(1, 2)) & (depth > 0).all(axis=1)
    inside = np.flatnonzero(shown)
    odds = np.full(len(depth), np.nan)
    if len(inside):
        odds[inside] = reader(cut_windows(view, slots.take(inside)))
    return odds


def pick_apart(found: Found, deep: float = COLLIDE) -> NDArray[np.int64]:
    """Rows of blocks that do not collide, the surest first."""
    overlap, first, second = measure_overlaps(found.blocks)
    collides = np.zeros((len(found.odds), len(found.odds)), bool)
    collides[first, second] = overlap > deep
    kept: list[int] = []
    for row in np.argsort(-found.odds, kind="stable"):
        if not collides[row, kept].any():
            kept.append(int(row))
    return np.array(kept, np.int64)


def join_found(parts: Sequence[Found]) -> Found:
    blocks, *others = zip(*parts, strict=True)
    return Found(join_proposals(blocks), *(np.concatenate(each) for each in others))
