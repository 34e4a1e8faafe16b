"""Saliency: which part of a picture decides an answer. A grey patch hides one place after another; the answer changes."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Flags, Floats
from anastylosis.dataset import plan_shot
from anastylosis.rendering import render_image
from anastylosis.validation.insight.findings import describe_number
from anastylosis.validation.insight.insight import Insight

CELLS = 24  # patches along a side; each is two steps wide
AT_ONCE = 192  # pictures held at a time: of 224 x 224 pixels, 10 MB


class Saliency(NamedTuple):
    """Changes of the answer to one picture, at C x C places of the patch."""

    number: Floats  # (C, C) how many blocks more or fewer are said to be gone when this place is hidden
    slots: Floats  # (C, C) the mean change of a slot's probability, whichever way
    patch: int  # its side [pixels]
    blocks: Flags  # (S, S) pixels of the picture that show a block

    @classmethod
    def measure(cls, insight: Insight, cells: int = CELLS) -> "Saliency":
        """Hide one place after another of the picture that is shown."""
        row, grey = insight.row, insight.grey[insight.row]
        level, layers = int(insight.truth.friction_level[row]), int(insight.examples.layers[row])
        there = insight.truth.slots[row]
        slots = len(there)
        plain = insight.model.run(grey[None], level, layers)
        count, probability = [], []
        for begin in range(0, cells * cells, AT_ONCE):
            hidden = hide_patches(grey, cells, range(begin, min(begin + AT_ONCE, cells * cells)))
            predicted = insight.model.run(hidden, level, layers)
            count.append(predicted.num_removed.astype(float) - float(plain.num_removed[0]))
            change = np.abs(predicted.removed_locs[:, :slots].astype(float) - plain.removed_locs[0, :slots])
            probability.append(change[:, there].mean(axis=1))
        shape = (cells, cells)
        number, change = np.concatenate(count).reshape(shape), np.concatenate(probability).reshape(shape)
        return cls(number, change, patch_side(grey, cells), find_blocks(insight))

    def to_json(self) -> dict[str, Any]:
        """Return how much of the change is at places with a block, and how many such places there are, as JSON has them."""
        predicted = {}
        for head, change in (("count", self.number), ("slots", self.slots)):
            on_blocks, with_blocks = map(describe_number, share_on_blocks(change, self.blocks))
            predicted[head] = {"on_blocks": on_blocks, "places_with_blocks": with_blocks}
        return predicted


def patch_side(grey: NDArray[np.uint8], cells: int) -> int:
    return max(2, round(2 * len(grey) / cells))


def hide_patches(grey: NDArray[np.uint8], cells: int, places: range) -> NDArray[np.uint8]:
    """Return (len(places), S, S) the picture with a patch of its median grey around the middle of each cell, row by row."""
    side, half = len(grey), patch_side(grey, cells) / 2
    hidden = np.repeat(grey[None], len(places), axis=0)
    for picture, place in zip(hidden, places, strict=True):
        down, across = ((part + 0.5) * side / cells for part in divmod(place, cells))
        rows, columns = (slice(max(0, round(at - half)), round(at + half)) for at in (down, across))
        picture[rows, columns] = np.median(grey)
    return hidden


def find_blocks(insight: Insight) -> NDArray[np.bool_]:
    """Return (S, S) the pixels of the picture that show a block."""
    examples, row = insight.examples, insight.row
    there = np.isfinite(examples.lies[row, :, 0])
    lies = examples.lies[row, there]
    shot = plan_shot(insight.recipe, int(examples.seed[row]), 0)
    drawn = render_image(examples.size[row, there], lies[:, :3], lies[:, 3:], shot.camera, shot.look, ids=True)
    assert drawn.ids is not None
    return np.asarray(drawn.ids >= 0)


def share_on_blocks(change: Floats, blocks: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the share of all change at places with a block, and the share of such places."""
    cells = len(change)
    edges = np.linspace(0, len(blocks), cells + 1).round().astype(int)
    touched = np.array([
        [blocks[top:bottom, left:right].any() for left, right in pairwise(edges)]
        for top, bottom in pairwise(edges)
    ])  # fmt: skip
    size = np.abs(change)
    total = float(size.sum())
    return (float(size[touched].sum()) / total if total > 0 else np.nan), float(touched.mean())
