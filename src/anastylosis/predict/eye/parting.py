"""Parting: blocks that were found in each other, or in the floor, are moved until they are not. The less sure the place of a
block is, the more of the way it goes."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.proposals import Proposals

__all__ = ["part"]

LEFT = 0.002  # [m] of depth that is left: half of what places are off by
STEPS, SHARE = 60, 0.7  # how often all are moved; which share of their way
PARALLEL = 0.1  # sine of the angle between edges below which they are parallel, and the axes of faces tell as much

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def part(blocks: Proposals, place_sd: Floats) -> Proposals:
    """Blocks turned as they are, moved along the axis on which they are least deep in each other; `place_sd` (N,) [m]."""
    position, weight = blocks.position.copy(), place_sd**2
    radius = np.linalg.norm(blocks.size, axis=1) / 2
    apart = np.linalg.norm(position[:, None] - position, axis=-1)
    first, second = np.nonzero(np.triu(apart < radius[:, None] + radius, 1))
    axes, reach = list_axes(blocks, first, second)
    share = weight[first] / (weight[first] + weight[second])
    lowest = np.abs(blocks.axes[:, 2] * blocks.size / 2).sum(axis=1)  # of its middle, when it lies on the floor
    pair = np.arange(len(first))
    for _ in range(STEPS):
        across = np.einsum("pki,pi->pk", axes, position[second] - position[first])
        least = (reach - np.abs(across)).argmin(axis=1)
        deep = reach[pair, least] - np.abs(across[pair, least])
        some = np.flatnonzero(deep > LEFT)
        sunk = lowest - position[:, 2] > LEFT
        if not len(some) and not sunk.any():
            break
        way = (np.sign(across[pair, least]) * deep)[some, None] * axes[some, least[some]]
        moved, count = np.zeros_like(position), np.zeros(len(position))
        for rows, portion in ((first[some], -share[some]), (second[some], 1 - share[some])):
            np.add.at(moved, rows, portion[:, None] * way)
            np.add.at(count, rows, 1)
        position += SHARE * moved / np.maximum(count, 1)[:, None]
        position[:, 2] = np.maximum(position[:, 2], lowest)
    return blocks._replace(position=position)


def list_axes(blocks: Proposals, first: Rows, second: Rows) -> tuple[Floats, Floats]:
    """(P, 15, 3) the axes on which two boxes may be apart, and (P, 15) [m] how far their middles then are; infinite for edges
    that are parallel."""
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
