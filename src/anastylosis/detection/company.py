"""Company: every proposed block among those that touch it, or reach into it.

The judge has looked at each by itself. The jury hears of all together, and says which of them are there: of two that mean the
same block the surer one, of two that do not both, even though they reach into each other. How far to the side a block lies is
seen well, how far away is not; so how deep two are in each other does not tell whether they are one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.detection.close_up import PLACE_UNIT, TURN_UNIT, aim_frames
from anastylosis.detection.evidence import measure_overlaps
from anastylosis.detection.looking import Found
from anastylosis.detection.proposals import move
from anastylosis.detection.quaternion import to_quaternions
from anastylosis.detection.turn import measure_turns
from anastylosis.survey.boxes import Boxes, measure_underside

__all__ = ["FAINTEST", "MOVE", "ODDS_UNIT", "OTHER", "OTHERS", "OWN", "SAID", "Company", "Jury", "confer", "keep_company"]

FAINTEST = -3.0  # log odds of blocks below which the jury does not hear of them
SAID, MOVE = 7, slice(1, 7)  # numbers that the jury says: log odds; shift and turn, in units, along the frame of the first eye
OTHERS = 24  # that are looked at beside each: the surest
OWN = 9  # numbers of each: odds; deviations; stands; height of its middle, of its underside; how long and thin axis rise; views
OTHER = 24  # numbers of each beside it, as `describe_others` lists them
VIEWS_MAX = 2  # of more the jury has not learned
GAP = 0.004  # [m] between boxes that count as touching
DEEP_UNIT, HEIGHT_UNIT = 0.009, 0.1  # [m]
ODDS_UNIT, DEVIATIONS = 2.0, (-5.0, -2.0)  # log odds; usual logarithms of deviations [m], [rad]
FURTHEST = 3.0  # in units: what is further is as far
STEP = 1.0  # of both units: no jury is believed beyond

Floats = NDArray[np.float64]
Answer = NDArray[np.float32]
Jury = Callable[["Company"], Answer]  # -> (N, SAID)


class Company(NamedTuple):
    """N blocks."""

    own: Answer  # (N, OWN)
    others: Answer  # (N, OTHERS, OTHER); 0 where there are fewer


def confer(found: Found, eyes: ArrayLike, jury: Jury) -> Found:
    """Blocks as the jury finds them, all together: their odds, and where those that fell are. `eyes` (V, 3) [m]."""
    said = jury(keep_company(found, eyes)).astype(np.float64)
    away = np.clip(said[:, MOVE], -STEP, STEP) * ~found.stands[:, None]
    back = np.swapaxes(aim_frames(np.asarray(eyes)[0], found.blocks), -1, -2)
    shift, turn = (np.einsum("nij,nj->ni", back, part) for part in (PLACE_UNIT * away[:, :3], TURN_UNIT * away[:, 3:]))
    return found._replace(blocks=move(found.blocks, shift, turn), odds=said[:, 0])


def keep_company(found: Found, eyes: ArrayLike) -> Company:
    """Blocks as the jury hears of them; `eyes` (V, 3) [m] is where the pictures were taken from."""
    eyes = np.asarray(eyes, np.float64)
    deep, first, second = measure_overlaps(found.blocks, GAP)
    order = np.lexsort((-found.odds[second], first))
    first, second, deep = first[order], second[order], deep[order]
    place = np.arange(len(first)) - np.searchsorted(first, first)
    kept = place < OTHERS
    others = np.zeros((len(found.odds), OTHERS, OTHER), np.float32)
    others[first[kept], place[kept]] = describe_others(found, eyes, first[kept], second[kept], deep[kept])
    return Company(describe_own(found, len(eyes)), others)


def describe_own(found: Found, views: int) -> Answer:
    """(N, OWN)"""
    blocks = found.blocks
    underside = measure_underside(Boxes(blocks.size, blocks.position, to_quaternions(blocks.axes)))
    own = [
        found.odds / ODDS_UNIT, *describe_doubt(found), found.stands, blocks.position[:, 2] / HEIGHT_UNIT,
        np.clip(underside / DEEP_UNIT, -FURTHEST, FURTHEST), np.abs(blocks.axes[:, 2, 0]), np.abs(blocks.axes[:, 2, 2]),
        np.full(len(found.odds), min(views, VIEWS_MAX) - 1.0),
    ]  # fmt: skip
    return np.stack(own, axis=1).astype(np.float32)


def describe_doubt(found: Found) -> tuple[Floats, Floats]:
    """(N,) logarithms of the deviations of place and turn, 0 if they are as usual."""
    return np.log(np.maximum(found.place_sd, 1e-6)) - DEVIATIONS[0], np.log(np.maximum(found.turn_sd, 1e-6)) - DEVIATIONS[1]


def describe_others(found: Found, eyes: Floats, first: NDArray[np.int64], second: NDArray[np.int64], deep: Floats) -> Answer:
    """(P, OTHER) of each pair what the first should know of the second: that it is there; its odds, also compared with its own;
    its deviations, whether it stands; how deep they are in each other; how far it is away across and along the line of sight, in
    the frame of `aim_frames`; the turn to it, there; how far it is away along the axes of both, and upwards; the angle of that
    turn; how far long axes agree."""
    here, there = found.blocks.take(first), found.blocks.take(second)
    away = there.position - here.position
    ray = (here.position + there.position) / 2 - eyes[:, None]
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    along = np.einsum("vpi,pi->vp", ray, away)
    across = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0))
    turn = measure_turns(here.axes, there.axes)
    frame = aim_frames(eyes[0], here)
    place, odds, doubt = np.clip(away / PLACE_UNIT, -FURTHEST, FURTHEST), found.odds / ODDS_UNIT, describe_doubt(found)
    told = [
        np.ones((len(first), 1)), odds[second, None], (odds[second] - odds[first])[:, None],
        doubt[0][second, None], doubt[1][second, None], found.stands[second, None],
        deep[:, None] / DEEP_UNIT, across.max(axis=0)[:, None] / PLACE_UNIT, along.mean(axis=0)[:, None] / PLACE_UNIT,
        np.einsum("pij,pj->pi", frame, place), np.einsum("pij,pj->pi", frame, turn / TURN_UNIT),
        np.abs(np.einsum("pij,pi->pj", here.axes, place)), np.abs(np.einsum("pij,pi->pj", there.axes, place)),
        place[:, 2:], np.linalg.norm(turn, axis=1)[:, None] / TURN_UNIT,
        np.abs(np.einsum("pi,pi->p", here.axes[..., 0], there.axes[..., 0]))[:, None],
    ]  # fmt: skip
    return np.concatenate(told, axis=1).astype(np.float32)
