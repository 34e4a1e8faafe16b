"""Multi-view consistency: refuses pictures that do not show the same scene."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from anastylosis.arrays import Flags, Floats
from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.refiner import measure_support
from anastylosis.detection.votes import VoteMap
from anastylosis.errors import InvalidInput

CLEAR, CLASH = 2.0, 0.25  # logit of a clear answer; share of clear slots that may differ between pictures of one scene
FEWEST = 6  # slots that have to be clear in both pictures
CONFIRMED = 0.05  # least share of blocks in both pictures: one scene has 0.13 or more, two mostly less than 0.02
BLOCKS_MIN = 1.5  # blocks that have to be shown before the share is tested
CLEARLY = 0.3  # least share of a block's pixels that vote for it, in the picture that shows more of it
CELLS_MIN = 6  # that a block covers in a picture; smaller ones need no votes there
COLUMN = 0.06  # [m] radius about the axis of the tower; it hides what is behind it
TWO_SCENES: Final = "two_scenes"  # kind of the error


def check_slots(logit: Floats) -> None:
    """Raise when the logits (V, N) of two views clearly differ about the slots that are filled."""
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
    """Raise when one view shows blocks that another one should show and does not. `proposals` come from all views."""
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
    """Return the share (N,) of the pixels where a view should show each block that vote for it.

    NaN: the view need not show it, because it is too small there or may be behind the tower.
    """
    cells, share = measure_support(view, proposals)
    hidden = is_behind(proposals.position[:, :2], np.asarray(view.camera.eye)[:2])
    return np.where((cells >= CELLS_MIN) & ~hidden, share, np.nan)


def measure_confirmation(one: Floats, other: Floats) -> tuple[float, float]:
    """Return the share of the blocks clearly in one view that both show, and the number of such blocks.

    `one` and `other` (N,) are shares from `find_shown`.
    """
    less, more = np.minimum(one, other), np.maximum(one, other)
    clear = more >= CLEARLY  # NaN is not
    blocks = float(more[clear].sum())
    return float(less[clear].sum()) / max(blocks, 1e-9), blocks


def is_behind(place: Floats, eye: Floats) -> Flags:
    """Return a mask (N,) of places (N, 2) that the tower may hide from `eye` (2,): the line between passes near its axis."""
    way = place - eye
    nearest = np.clip(-(way @ eye) / np.maximum((way**2).sum(axis=1), 1e-9), 0, 1)
    return (np.linalg.norm(eye + nearest[:, None] * way, axis=1) < COLUMN) & (np.linalg.norm(place, axis=1) > COLUMN)
