"""Overlaps: boxes that reach into each other are suppressed, or moved apart."""

import numpy as np
from scipy.special import expit

from anastylosis.arrays import Floats, Integers
from anastylosis.detection.detections import PROBABILITY_MIN, BoxProposals, Detections, join_detections
from anastylosis.geometry import Boxes, measure_gaps, to_quaternions

DEPTH_MAX = 0.015  # [m] of overlap; deeper ones are two proposals for one block. Five sixths of its height
STANDING_SD = 1e-5  # [m] deviation of standing blocks, so that fallen ones are moved
DEPTH_LEFT_MAX = 0.006  # [m] overlap after resolving; of deeper pairs the surer block is kept
TOUCH_DISTANCE = 0.09  # [m] between centres; boxes further apart do not touch
DEPTH_LEFT = 0.002  # [m] of overlap that is left alone: half the error of positions
STEPS, SHARE = 60, 0.7  # iterations; share of the overlap that each resolves
DEVIATIONS_MAX = 3.0  # deviations that a block is moved at most
SD_MIN = 1e-6  # [m] least deviation
NEARLY_PARALLEL = 0.1  # sine of the angle between edges below which the axes of faces tell as much
PAIR_MARGIN = 0.02  # [m] between blocks that moving may bring together


def suppress_overlaps(found: Detections, deep: float = DEPTH_MAX) -> Integers:
    """Return the rows of blocks that do not overlap by more than `deep` [m], the surest first."""
    overlap, first, second = measure_overlaps(found.blocks)
    collides = np.zeros((len(found.logit), len(found.logit)), bool)
    collides[first, second] = overlap > deep
    kept: list[int] = []
    for row in np.argsort(-found.logit, kind="stable"):
        if not collides[row, kept].any():
            kept.append(int(row))
    return np.array(kept, np.int64)


def resolve_overlaps(found: Detections) -> Detections:
    """Move probable blocks out of each other; where there is no room for two, keep the surer one."""
    probable = expit(found.logit) >= PROBABILITY_MIN
    sure, rest = found.take(probable), found.take(~probable)
    sure = sure._replace(blocks=separate_boxes(sure.blocks, np.where(sure.stands, STANDING_SD, sure.place_sd)))
    return join_detections([sure.take(suppress_overlaps(sure, DEPTH_LEFT_MAX)), rest])


def measure_overlaps(proposals: BoxProposals, gap: float = 0.0) -> tuple[Floats, Integers, Integers]:
    """Return the depths (P,) [m] of overlapping pairs, and the rows of the first and second box; each pair both ways round.

    Pairs up to `gap` [m] apart are listed, too, with a negative depth.
    """
    apart = np.linalg.norm(proposals.position[:, None] - proposals.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < TOUCH_DISTANCE, 1))
    boxes = Boxes(proposals.size, proposals.position, to_quaternions(proposals.axes))
    deep = -measure_gaps(boxes.take(first), boxes.take(second)) if len(first) else np.zeros(0)
    touch = deep > -gap
    deep, first, second = deep[touch], first[touch], second[touch]
    return np.tile(deep, 2), np.concatenate([first, second]), np.concatenate([second, first])


def separate_boxes(blocks: BoxProposals, place_sd: Floats) -> BoxProposals:
    """Move boxes along the axes of least overlap until they hardly overlap, and up to the floor; they are not turned.

    `place_sd` (N,) [m]: two boxes share the way by its squares, and none moves further than a few of it. Some overlap may stay.
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
    """Raise positions (N, 3) to these heights (N,), if they are lower."""
    return np.column_stack([position[:, :2], np.maximum(position[:, 2], lowest)])


def shorten(ways: Floats, most: Floats) -> Floats:
    """Shorten vectors (N, 3) to these lengths (N,), if they are longer."""
    length = np.linalg.norm(ways, axis=1)
    return ways * np.minimum(1.0, most / np.maximum(length, SD_MIN))[:, None]


def list_pairs(blocks: BoxProposals) -> tuple[Integers, Integers]:
    """List the pairs of boxes that touch, or may touch after moving."""
    radius = np.linalg.norm(blocks.size, axis=1) / 2
    apart = np.linalg.norm(blocks.position[:, None] - blocks.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < radius[:, None] + radius + PAIR_MARGIN, 1))
    return first, second


def list_separating_axes(size: Floats, axes: Floats, first: Integers, second: Integers) -> tuple[Floats, Floats]:
    """Return the axes (P, 15, 3) on which pairs of boxes may be apart, and how far apart their centres are when they touch.

    `size` (N, 3) [m] and `axes` (N, 3, 3) are those of all boxes, `first` and `second` (P,) the rows of the pairs. The distances
    (P, 15) [m] are infinite for edges that are nearly parallel.
    """
    here, there = (np.swapaxes(axes[rows], -1, -2) for rows in (first, second))  # (P, 3, 3) an axis a row
    crossed = np.cross(here[:, :, None], there[:, None]).reshape(-1, 9, 3)
    length = np.linalg.norm(crossed, axis=-1)
    directions = np.concatenate([here, there, crossed / np.maximum(length, NEARLY_PARALLEL)[..., None]], axis=1)
    reach = sum(
        np.einsum("pkj,pj->pk", np.abs(np.einsum("pki,pji->pkj", directions, own)), size[rows] / 2)
        for own, rows in ((here, first), (there, second))
    )
    reach[:, 6:][length < NEARLY_PARALLEL] = np.inf
    return directions, reach
