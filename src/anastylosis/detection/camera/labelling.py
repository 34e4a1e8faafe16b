"""Labelling: which corner of a block each clicked pixel may be.

Seven corners of a box can be seen: the nearest one, the *inner* corner, with three edges, and six around it, the outline. They
are clicked in any order. Around the inner corner their order is known. So there remain to be tried: which click is the inner
corner, where the round starts, the length of each edge, and of six clicks the corner that is missing.
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats, Integers, Vector

# Corners as steps along the three edges of the inner corner, which is the first. The six of the outline are clockwise in the
# picture if the edges are right-handed and the inner corner is the nearest.
STEPS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1)], np.float64)
OUTLINE = 6
CLICKS = (6, 7)  # corners that are clicked


class Labellings(NamedTuple):
    """C ways in which N clicks may be corners of a block."""

    corner: Integers  # (C, N) rows of `STEPS`
    sides: Floats  # (C, 3) [m] lengths of the edges at the inner corner

    @property
    def places(self) -> Floats:
        """Clicked corners (C, N, 3) [m] in the frame of the inner corner and its edges."""
        return STEPS[self.corner] * self.sides[:, None]

    def take(self, rows: Integers) -> "Labellings":
        """Return the labellings of these rows."""
        return Labellings(self.corner[rows], self.sides[rows])


def list_labellings(pixels: Floats, block: Vector) -> Labellings:
    """List the ways in which clicks (N, 2), in any order, may be the visible corners of a block of this size [m]."""
    ways = list(product(list_corners(pixels), permutations(block)))
    return Labellings(np.array([corner for corner, _ in ways]), np.array([sides for _, sides in ways]))


def list_corners(pixels: Floats) -> Iterator[list[int]]:
    """Yield the corner of each click, in every way that keeps the order of the outline.

    A round that starts two corners on is the same as edges exchanged, which `list_labellings` does.
    """
    count = len(pixels)
    for inner in [*range(count), *([None] if count == OUTLINE else [])]:
        around = np.array([row for row in range(count) if row != inner])
        away = pixels[around] - (pixels.mean(axis=0) if inner is None else pixels[inner])
        ordered = around[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
        for start, turn in product(range(2), range(1 if len(around) == OUTLINE else len(around))):
            corner = np.zeros(count, np.int64)
            corner[np.roll(ordered, turn)] = 1 + (start + np.arange(len(around))) % OUTLINE
            yield corner.tolist()
