"""Overlaps: boxes that reach into each other are suppressed, or moved apart."""

import numpy as np
from scipy.special import expit

from anastylosis.arrays import Floats, Integers
from anastylosis.detection.detections import PROBABILITY_MIN, Detections, join_detections
from anastylosis.detection.proposals import BoxProposals
from anastylosis.geometry import Boxes, list_separating_axes, measure_gaps, to_quaternions

__all__ = [
    "DEPTH_LEFT",
    "DEPTH_LEFT_MAX",
    "DEVIATIONS_MAX",
    "measure_overlaps",
    "resolve_overlaps",
    "separate_boxes",
    "suppress_overlaps",
]

DEPTH_MAX = 0.015  # [m] two blocks that are deeper in each other are one: five sixths of their height
STANDING_SD, DEPTH_LEFT_MAX = (
    1e-5,
    0.006,
)  # [m] deviation of what stands, beside what fell; depth that is not left where there is no room
TOUCH_DISTANCE = 0.09  # [m] boxes that are further apart do not touch
DEPTH_LEFT = 0.002  # [m] of depth that is left: half of what places are off by
STEPS, SHARE = 60, 0.7  # how often all are moved; which share of their way
DEVIATIONS_MAX = 3.0  # deviations that a block goes
SD_MIN = 1e-6  # [m] deviation below which none is believed
PAIR_MARGIN = 0.02  # [m] between blocks that may still come to touch


def suppress_overlaps(found: Detections, deep: float = DEPTH_MAX) -> Integers:
    """Rows of blocks that do not collide, the surest first."""
    overlap, first, second = measure_overlaps(found.blocks)
    collides = np.zeros((len(found.logit), len(found.logit)), bool)
    collides[first, second] = overlap > deep
    kept: list[int] = []
    for row in np.argsort(-found.logit, kind="stable"):
        if not collides[row, kept].any():
            kept.append(int(row))
    return np.array(kept, np.int64)


def resolve_overlaps(found: Detections) -> Detections:
    """The same; what is probable enough is moved apart, and where there is no room for two the surer stays."""
    probable = expit(found.logit) >= PROBABILITY_MIN
    sure, rest = found.take(probable), found.take(~probable)
    sure = sure._replace(blocks=separate_boxes(sure.blocks, np.where(sure.stands, STANDING_SD, sure.place_sd)))
    return join_detections([sure.take(suppress_overlaps(sure, DEPTH_LEFT_MAX)), rest])


def measure_overlaps(proposals: BoxProposals, gap: float = 0.0) -> tuple[Floats, Integers, Integers]:
    """(P,) how deep boxes are in each other [m], and which: every pair that touches, or is up to `gap` [m] apart, which is
    less than no depth; both ways round."""
    apart = np.linalg.norm(proposals.position[:, None] - proposals.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < TOUCH_DISTANCE, 1))
    boxes = Boxes(proposals.size, proposals.position, to_quaternions(proposals.axes))
    deep = -measure_gaps(boxes.take(first), boxes.take(second)) if len(first) else np.zeros(0)
    touch = deep > -gap
    deep, first, second = deep[touch], first[touch], second[touch]
    return np.tile(deep, 2), np.concatenate([first, second]), np.concatenate([second, first])


def separate_boxes(blocks: BoxProposals, place_sd: Floats) -> BoxProposals:
    """Blocks turned as they are, moved along the axis on which they are least deep in each other, and out of the floor.

    `place_sd` (N,) [m]: two share their way by its squares, and none goes further than a few of it; some may stay in each other.
    """
    place_sd = np.maximum(place_sd, SD_MIN)
    first, second = list_pairs(blocks)
    axes, reach = list_separating_axes(blocks.size, blocks.axes, first, second)
    share = place_sd[first] ** 2 / (place_sd[first] ** 2 + place_sd[second] ** 2)
    lowest = np.abs(blocks.axes[:, 2] * blocks.size / 2).sum(axis=1)  # height of its middle, when it lies on the floor
    pushed, every = np.zeros_like(blocks.position), np.arange(len(first))
    position = raise_up(blocks.position, lowest)
    for _ in range(STEPS):
        across = np.einsum("pki,pi->pk", axes, position[second] - position[first])
        least = (reach - np.abs(across)).argmin(axis=1)
        deep = reach[every, least] - np.abs(across[every, least])
        some = np.flatnonzero(deep > DEPTH_LEFT)
        if not len(some):
            break
        way = (np.sign(across[every, least]) * deep)[some, None] * axes[some, least[some]]
        moved, count = np.zeros_like(position), np.zeros(len(position))
        for rows, portion in ((first[some], -share[some]), (second[some], 1 - share[some])):
            np.add.at(moved, rows, portion[:, None] * way)
            np.add.at(count, rows, 1)
        pushed = shorten(pushed + SHARE * moved / np.maximum(count, 1)[:, None], DEVIATIONS_MAX * place_sd)
        position = raise_up(blocks.position + pushed, lowest)
    return blocks._replace(position=position)


def raise_up(position: Floats, lowest: Floats) -> Floats:
    """(N, 3) places, at these heights or higher."""
    return np.column_stack([position[:, :2], np.maximum(position[:, 2], lowest)])


def shorten(ways: Floats, most: Floats) -> Floats:
    """(N, 3) ways, of these lengths at most."""
    length = np.linalg.norm(ways, axis=1)
    return ways * np.minimum(1.0, most / np.maximum(length, SD_MIN))[:, None]


def list_pairs(blocks: BoxProposals) -> tuple[Integers, Integers]:
    """Blocks that are near enough to each other to touch, or to come to."""
    radius = np.linalg.norm(blocks.size, axis=1) / 2
    apart = np.linalg.norm(blocks.position[:, None] - blocks.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < radius[:, None] + radius + PAIR_MARGIN, 1))
    return first, second
