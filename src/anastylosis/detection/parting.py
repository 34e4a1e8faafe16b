"""Parting: blocks that were found in each other, or in the floor, are moved until they are not. The less sure the place of a
block is, the more of the way it goes."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.proposals import Proposals

__all__ = ["part_blocks"]

LEFT = 0.002  # [m] of depth that is left: half of what places are off by
STEPS, SHARE = 60, 0.7  # how often all are moved; which share of their way
FURTHEST = 3.0  # deviations that a block goes
SUREST = 1e-6  # [m] deviation below which none is believed
MARGIN = 0.02  # [m] between blocks that may still come to touch
PARALLEL = 0.1  # sine of the angle between edges below which they are parallel, and the axes of faces tell as much

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def part_blocks(blocks: Proposals, place_sd: Floats) -> Proposals:
    """Blocks turned as they are, moved along the axis on which they are least deep in each other, and out of the floor.

    `place_sd` (N,) [m]: two share their way by its squares, and none goes further than a few of it; some may stay in each other.
    """
    place_sd = np.maximum(place_sd, SUREST)
    first, second = list_pairs(blocks)
    axes, reach = list_axes(blocks, first, second)
    share = place_sd[first] ** 2 / (place_sd[first] ** 2 + place_sd[second] ** 2)
    lowest = np.abs(blocks.axes[:, 2] * blocks.size / 2).sum(axis=1)  # height of its middle, when it lies on the floor
    pushed, every = np.zeros_like(blocks.position), np.arange(len(first))
    position = raise_up(blocks.position, lowest)
    for _ in range(STEPS):
        across = np.einsum("pki,pi->pk", axes, position[second] - position[first])
        least = (reach - np.abs(across)).argmin(axis=1)
        deep = reach[every, least] - np.abs(across[every, least])
        some = np.flatnonzero(deep > LEFT)
        if not len(some):
            break
        way = (np.sign(across[every, least]) * deep)[some, None] * axes[some, least[some]]
        moved, count = np.zeros_like(position), np.zeros(len(position))
        for rows, portion in ((first[some], -share[some]), (second[some], 1 - share[some])):
            np.add.at(moved, rows, portion[:, None] * way)
            np.add.at(count, rows, 1)
        pushed = shorten(pushed + SHARE * moved / np.maximum(count, 1)[:, None], FURTHEST * place_sd)
        position = raise_up(blocks.position + pushed, lowest)
    return blocks._replace(position=position)


def raise_up(position: Floats, lowest: Floats) -> Floats:
    """(N, 3) places, at these heights or higher."""
    return np.column_stack([position[:, :2], np.maximum(position[:, 2], lowest)])


def shorten(ways: Floats, most: Floats) -> Floats:
    """(N, 3) ways, of these lengths at most."""
    length = np.linalg.norm(ways, axis=1)
    return ways * np.minimum(1.0, most / np.maximum(length, SUREST))[:, None]


def list_pairs(blocks: Proposals) -> tuple[Rows, Rows]:
    """Blocks that are near enough to each other to touch, or to come to."""
    radius = np.linalg.norm(blocks.size, axis=1) / 2
    apart = np.linalg.norm(blocks.position[:, None] - blocks.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < radius[:, None] + radius + MARGIN, 1))
    return first, second


def list_axes(blocks: Proposals, first: Rows, second: Rows) -> tuple[Floats, Floats]:
    """(P, 15, 3) the axes on which two boxes may be apart (Gottschalk 1996), and (P, 15) [m] how far apart their middles are
    there when they just touch; infinite for edges that are parallel. `survey.boxes` measures depths alone, and once."""
    here, there = (np.swapaxes(blocks.axes[rows], -1, -2) for rows in (first, second))  # (P, 3, 3) an axis a row
    crossed = np.cross(here[:, :, None], there[:, None]).reshape(-1, 9, 3)
    length = np.linalg.norm(crossed, axis=-1)
    axes = np.concatenate([here, there, crossed / np.maximum(length, PARALLEL)[..., None]], axis=1)
    reach = sum(
        np.einsum("pkj,pj->pk", np.abs(np.einsum("pki,pji->pkj", axes, own)), blocks.size[rows] / 2)
        for own, rows in ((here, first), (there, second))
    )
    reach[:, 6:][length < PARALLEL] = np.inf
    return axes, reach
