"""Verdicts: the judge looks closely at every proposed block, in every view, and says how sure it is, and where the block really
is. It looks once: from where it has moved a block to it sees no better."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.close_up import PLACE_UNIT, TURN_UNIT, CloseUps, aim_frames, cut_close_ups
from anastylosis.detection.evidence import Testimony, describe_evidence
from anastylosis.detection.proposals import Proposals, move
from anastylosis.detection.view import View

__all__ = ["DEVIATIONS", "JUDGED", "ODDS", "RANGE", "SHIFT", "TURN", "Judge", "Verdict", "look_closely"]

JUDGED = 9  # numbers that the judge says, in this order:
ODDS, DEVIATIONS = 0, slice(1, 3)  # log odds; log deviations of place [m] and turn [rad]
SHIFT, TURN = slice(3, 6), slice(6, 9)  # to where it is, along its length as it is seen, across that, and ahead; in units
RANGE = -9.0, 1.0  # of log deviations
STEP = 2.0  # of both units: no judge is believed beyond

Floats = NDArray[np.float64]
Answer = NDArray[np.float32]
Judge = Callable[[CloseUps, Answer], Answer]  # close-ups of N proposals, evidence (N, TRAITS) -> (N, JUDGED)


class Verdict(NamedTuple):
    """What is said of N proposals."""

    odds: Floats  # (N,) log odds of a block where it is moved to
    deviation: Floats  # (N, 2) logarithms of those of place [m] and turn [rad] after it is moved
    shift: Floats  # (N, 3) [m, in the world]
    turn: Floats  # (N, 3) [rad]


def look_closely(
    views: Sequence[View], heard: Sequence[Testimony], proposals: Proposals, votes: Floats, judge: Judge
) -> tuple[Proposals, Verdict]:
    """Proposals where the judge has moved them, and its verdict. `votes` (N,) is how many agreed on each."""
    evidence = describe_evidence(heard, proposals, votes)
    verdicts = [judge_view(*pair, proposals, evidence, judge) for pair in zip(views, heard, strict=True)]
    verdict = join_verdicts(verdicts, np.stack([shows(view, proposals) for view in views]))
    return move(proposals, verdict.shift, verdict.turn), verdict


def shows(view: View, proposals: Proposals) -> NDArray[np.bool_]:
    """(N,) whether the middle of each is in the picture."""
    pixels, depth = view.camera.project(proposals.position)
    return np.asarray((depth > 0) & ((pixels >= 0) & (pixels < (view.camera.width, view.camera.height))).all(axis=-1))


def judge_view(view: View, heard: Testimony, proposals: Proposals, evidence: Answer, judge: Judge) -> Verdict:
    """What one view tells."""
    frames = aim_frames(np.asarray(view.camera.eye), proposals)
    said = judge(cut_close_ups(view, heard, proposals, frames), evidence).astype(np.float64)
    back = np.swapaxes(frames, -1, -2)
    shift, turn = (np.einsum("nij,nj->ni", back, np.clip(said[:, part], -STEP, STEP)) for part in (SHIFT, TURN))
    return Verdict(said[:, ODDS], np.clip(said[:, DEVIATIONS], *RANGE), PLACE_UNIT * shift, TURN_UNIT * turn)


def join_verdicts(verdicts: Sequence[Verdict], shown: NDArray[np.bool_]) -> Verdict:
    """The mean of what those views tell that show a block, (V, N); of all, if none does. The surer one is of the place, the more
    it counts."""
    weight = np.exp(-np.stack([each.deviation[:, 0] for each in verdicts])) * (shown | ~shown.any(axis=0))
    weight /= weight.sum(axis=0)
    return Verdict(*(np.einsum("vn,vn...->n...", weight, np.stack(each)) for each in zip(*verdicts, strict=True)))
