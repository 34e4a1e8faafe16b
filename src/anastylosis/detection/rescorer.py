"""Rescorer: scores every proposed block again, among the blocks that touch it or reach into it.

The refiner sees each block by itself. Of two proposals for one block the rescorer keeps the surer one; of two blocks that
touch it keeps both. Depth of overlap alone does not tell these apart: how far away a block is, is hard to see.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats, Integers, Singles
from anastylosis.detection.detections import Detections, move
from anastylosis.detection.overlaps import measure_overlaps
from anastylosis.detection.refiner import OFFSET_MAX, PLACE_UNIT, TURN_UNIT, aim_frames
from anastylosis.detection.view import HEIGHT_UNIT
from anastylosis.geometry import Boxes, measure_rotations, to_quaternions

LOGIT_MIN = -3.0  # of the blocks that are rescored
RESCORER_OUTPUTS, MOVE = 7, slice(1, 7)  # logit; shift and turn, in units, in the frame of the first camera
NEIGHBOURS_MAX = 24  # of each block: the surest
# Logit; log deviations (2); stands; height of the centre, of the underside; slope of the long and thin axes; views.
OWN_FEATURES = 9
NEIGHBOUR_FEATURES = 24  # of each neighbour, as `describe_neighbours` lists them
VIEWS_MAX = 2  # that the rescorer was trained with
TOUCH_GAP = 0.004  # [m] between boxes that count as touching
DEEP_UNIT = 0.009  # [m]
LOGIT_UNIT, USUAL_LOG_DEVIATIONS = 2.0, (-5.0, -2.0)  # log odds; usual logarithms of deviations [m], [rad]
STEP_MAX = 1.0  # in units; corrections are clipped to it
RescorerFunction = Callable[["Neighbourhoods"], Singles]  # -> (N, OUTPUTS)


class Neighbourhoods(NamedTuple):
    """Features of N blocks and of their neighbours."""

    own: Singles  # (N, OWN_FEATURES)
    others: Singles  # (N, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES); 0 where there are fewer


def rescore(found: Detections, eyes: ArrayLike, rescorer: RescorerFunction) -> Detections:
    """Rescore blocks together, and correct the poses of fallen ones. `eyes` (V, 3) [m] are the places of the cameras."""
    output = rescorer(describe_neighbourhoods(found, eyes)).astype(np.float64)
    away = np.clip(output[:, MOVE], -STEP_MAX, STEP_MAX) * ~found.stands[:, None]
    back = np.swapaxes(aim_frames(np.asarray(eyes)[0], found.blocks), -1, -2)
    shift, turn = (np.einsum("nij,nj->ni", back, part) for part in (PLACE_UNIT * away[:, :3], TURN_UNIT * away[:, 3:]))
    return found._replace(blocks=move(found.blocks, shift, turn), logit=output[:, 0])


def describe_neighbourhoods(found: Detections, eyes: ArrayLike) -> Neighbourhoods:
    """Describe blocks and their neighbours; `eyes` (V, 3) [m] are the places of the cameras."""
    eyes = np.asarray(eyes, np.float64)
    deep, first, second = measure_overlaps(found.blocks, TOUCH_GAP)
    order = np.lexsort((-found.logit[second], first))
    first, second, deep = first[order], second[order], deep[order]
    place = np.arange(len(first)) - np.searchsorted(first, first)
    kept = place < NEIGHBOURS_MAX
    others = np.zeros((len(found.logit), NEIGHBOURS_MAX, NEIGHBOUR_FEATURES), np.float32)
    others[first[kept], place[kept]] = describe_neighbours(found, eyes, first[kept], second[kept], deep[kept])
    return Neighbourhoods(describe_own(found, len(eyes)), others)


def describe_own(found: Detections, views: int) -> Singles:
    """Describe each block by itself; (N, OWN_FEATURES)."""
    blocks = found.blocks
    underside = Boxes(blocks.size, blocks.position, to_quaternions(blocks.axes)).measure_underside()
    own = [
        found.logit / LOGIT_UNIT, *describe_deviations(found), found.stands, blocks.position[:, 2] / HEIGHT_UNIT,
        np.clip(underside / DEEP_UNIT, -OFFSET_MAX, OFFSET_MAX), np.abs(blocks.axes[:, 2, 0]), np.abs(blocks.axes[:, 2, 2]),
        np.full(len(found.logit), min(views, VIEWS_MAX) - 1.0),
    ]  # fmt: skip
    return np.stack(own, axis=1).astype(np.float32)


def describe_deviations(found: Detections) -> tuple[Floats, Floats]:
    """Return the logarithms (N,) of the deviations of place and turn, relative to usual ones."""
    return np.log(np.maximum(found.place_sd, 1e-6)) - USUAL_LOG_DEVIATIONS[0], np.log(
        np.maximum(found.turn_sd, 1e-6)
    ) - USUAL_LOG_DEVIATIONS[1]


def describe_neighbours(found: Detections, eyes: Floats, first: Integers, second: Integers, deep: Floats) -> Singles:
    """Describe the second block of each pair for the first; (P, NEIGHBOUR_FEATURES).

    In order: 1 (it exists); its logit, alone and minus that of the first; its log deviations; whether it stands; depth of the
    overlap; offset across and along the line of sight; offset and turn in the frame of `aim_frames`; offset along the axes of
    both, and upwards; angle of the turn; cosine between the long axes.
    """
    here, there = found.blocks.take(first), found.blocks.take(second)
    away = there.position - here.position
    ray = (here.position + there.position) / 2 - eyes[:, None]
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    along = np.einsum("vpi,pi->vp", ray, away)
    across = np.sqrt(np.maximum((away**2).sum(axis=1) - along**2, 0))
    turn = measure_rotations(here.axes, there.axes)
    frame = aim_frames(eyes[0], here)
    place, logit, log_deviation = (
        np.clip(away / PLACE_UNIT, -OFFSET_MAX, OFFSET_MAX),
        found.logit / LOGIT_UNIT,
        describe_deviations(found),
    )
    features = [
        np.ones((len(first), 1)), logit[second, None], (logit[second] - logit[first])[:, None],
        log_deviation[0][second, None], log_deviation[1][second, None], found.stands[second, None],
        deep[:, None] / DEEP_UNIT, across.max(axis=0)[:, None] / PLACE_UNIT, along.mean(axis=0)[:, None] / PLACE_UNIT,
        np.einsum("pij,pj->pi", frame, place), np.einsum("pij,pj->pi", frame, turn / TURN_UNIT),
        np.abs(np.einsum("pij,pi->pj", here.axes, place)), np.abs(np.einsum("pij,pi->pj", there.axes, place)),
        place[:, 2:], np.linalg.norm(turn, axis=1)[:, None] / TURN_UNIT,
        np.abs(np.einsum("pi,pi->p", here.axes[..., 0], there.axes[..., 0]))[:, None],
    ]  # fmt: skip
    return np.concatenate(features, axis=1).astype(np.float32)
