"""Multi-view consistency: pictures of one scene do not contradict each other."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from anastylosis.arrays import Flags, Floats
from anastylosis.detection.proposals import BoxProposals
from anastylosis.detection.refiner import measure_support
from anastylosis.detection.votes import VoteMap
from anastylosis.errors import InvalidInput

__all__ = ["BLOCKS_MIN", "TWO_SCENES", "check_debris", "check_slots", "find_shown", "is_behind", "measure_confirmation"]

CLEAR, CLASH = 2.0, 0.25  # log odds that are clear; share of slots on which pictures of one scene do not contradict each other
FEWEST = 6  # slots that are clear in both
CONFIRMED = 0.05  # share of blocks that both pictures show: of one scene 0.13 or more, of two mostly less than 0.02
BLOCKS_MIN = 1.5  # so many must be shown, that this tells something
CLEARLY = 0.3  # share of a block's pixels that vote for it, in the picture that shows more of it
CELLS_MIN = 6  # that vote: of a block that is smaller in a picture it is not held against the block if none votes for it
COLUMN = 0.06  # [m] around the middle of the tower: what is behind that is hidden
TWO_SCENES: Final = "two_scenes"  # kind of the error when they do contradict each other


def check_slots(logit: Floats) -> None:
    """Raise when two views (V, N) clearly contradict each other about what still stands."""
    for second in range(1, len(logit)):
        for first in range(second):
            a, b = logit[first], logit[second]
            clear = (np.abs(a) > CLEAR) & (np.abs(b) > CLEAR) & ((a > 0) | (b > 0))
            clash = clear & (a * b < 0)
            if clear.sum() >= FEWEST and clash.sum() > CLASH * clear.sum():
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} do not show the same debris: of {clear.sum()} slots of the tower "
                    f"that are clear in both, {clash.sum()} are filled in one and empty in the other; survey them one by one, or "
                    "check their cameras",
                    kind=TWO_SCENES,
                )


def check_debris(vote_maps: Sequence[VoteMap], proposals: BoxProposals) -> None:
    """Raise when blocks that one view shows are not there in another that should show them. `proposals` are of all views."""
    shown = [find_shown(view, proposals) for view in vote_maps] if len(vote_maps) > 1 else []
    for second in range(1, len(shown)):
        for first in range(second):
            share, blocks = measure_confirmation(shown[first], shown[second])
            if blocks >= BLOCKS_MIN and share < CONFIRMED:
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} do not show the same debris: of the fallen blocks that one of them "
                    f"shows, the other, which should show them too, confirms {share:.0%}; survey them one by one, or check "
                    "their cameras",
                    kind=TWO_SCENES,
                )


def find_shown(view: VoteMap, proposals: BoxProposals) -> Floats:
    """(N,) which share of the pixels in which a view should show each block vote for it; NaN: it need not show it, for it is too
    small there, or may be behind the tower."""
    cells, share = measure_support(view, proposals)
    hidden = is_behind(proposals.position[:, :2], np.asarray(view.camera.eye)[:2])
    return np.where((cells >= CELLS_MIN) & ~hidden, share, np.nan)


def measure_confirmation(one: Floats, other: Floats) -> tuple[float, float]:
    """Which share of what one view or the other clearly shows, (N,) as of `find_shown`, both show, and of how many blocks that
    is."""
    less, more = np.minimum(one, other), np.maximum(one, other)
    clear = more >= CLEARLY  # NaN is not
    blocks = float(more[clear].sum())
    return float(less[clear].sum()) / max(blocks, 1e-9), blocks


def is_behind(place: Floats, eye: Floats) -> Flags:
    """(N,) whether the tower may hide places (N, 2) from an eye (2,): the line between them comes near its middle."""
    way = place - eye
    nearest = np.clip(-(way @ eye) / np.maximum((way**2).sum(axis=1), 1e-9), 0, 1)
    return (np.linalg.norm(eye + nearest[:, None] * way, axis=1) < COLUMN) & (np.linalg.norm(place, axis=1) > COLUMN)
