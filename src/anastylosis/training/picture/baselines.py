"""Baselines: answers without a trained net. Both average a group of training episodes, and differ in the group.

`Prior` does not use the picture: the group is a level of friction and a height, if told. A model that does not beat it has
learned nothing from pictures. `Neighbours` does: the group is the k training pictures nearest to it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Floats, Integers, Shape, Singles, divide
from anastylosis.dataset import Truth
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import UNKNOWN, Answers, head_shapes
from anastylosis.models.picture import cover_pixels
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.picture.heads import PICTURE_HEADS, Head

STRENGTH = 2.0  # episodes that the smoothing of frequencies is worth: Laplace's one of each kind
HEIGHT_REACH = 1.0  # layers over which a tower counts for e times less in the prior of another height
AT_ONCE = 256  # pictures: of 192 x 192 pixels, 38 MB


class Prior(NamedTuple):
    """Mean answers of the training split for each level of friction and height."""

    rows: Answers  # (L + 1) (H + 1) rows: a level after the other, heights 0..H in each; the last level and height 0 are unknown
    levels: int
    heights: int

    def answer(self, friction_level: ArrayLike, layers: ArrayLike = 0) -> Answers:
        """Return answers for N episodes of these levels, -1 for unknown, and heights, 0 for unknown; above the highest, the
        highest.
        """
        level, height = np.asarray(friction_level, np.int64), np.clip(np.asarray(layers, np.int64), 0, self.heights)
        if level.size and not (level.min() >= UNKNOWN and level.max() < self.levels):
            raise InvalidInput(
                f"levels of friction are {level.min()} to {level.max()}; the prior knows 0 to {self.levels - 1}, and -1"
            )
        rows = np.where(level == UNKNOWN, self.levels, level) * (self.heights + 1) + height
        return Answers._make(None if part is None else part[rows] for part in self.rows)


class Neighbours(NamedTuple):
    """Training pictures and their truth.

    Nearest by plain Euclidean distance of pixels. All pictures have one camera, so the floor, which never changes, adds nothing.
    A division by each pixel's spread would give pixels that hardly ever change as much weight as the tower. Tried on a validation
    split (900 train, 250 val, 32 pixels, k = 15): AUC of empty slots 0.71, and 0.67 with the division.
    """

    features: Singles  # (M, D) less their mean, so that single precision is enough
    mean: Singles  # (D,)
    truth: Truth
    levels: int
    k: int

    def find(self, features: Singles) -> Integers:
        """Return (N, k) the training rows nearest to each, in no order."""
        if not np.isfinite(features).all():
            raise InvalidInput("features of pictures are not finite")
        length = (self.features**2).sum(axis=1)
        found = []
        for begin in begin_blocks(features):
            here = features[begin : begin + AT_ONCE] - self.mean
            apart = length - 2 * here @ self.features.T  # squared distance, but for |here|^2, the same in a whole row
            found.append(np.argpartition(apart, self.k - 1, axis=1)[:, : self.k])
        return np.concatenate(found)

    def answer(self, features: Singles) -> Answers:
        """Return answers for N pictures from their features (N, D)."""
        members = np.zeros((len(features), len(self.truth.slots)), bool)
        np.put_along_axis(members, self.find(features), True, axis=1)
        parts = [average_truth(self.truth, members[begin : begin + AT_ONCE], self.levels) for begin in begin_blocks(members)]
        return Answers._make(None if heads[0] is None else np.concatenate(heads) for heads in zip(*parts, strict=True))


def fit_prior(truth: Truth, levels: int | None = None) -> Prior:
    """Fit means and frequencies for each level and height; towers of near heights count for less and less.

    Levels that training did not have get those of all.
    """
    number = int(truth.friction_level.max(initial=-1)) + 1 if levels is None else levels
    heights = truth.slots.shape[1] // BLOCKS_PER_COURSE
    of_level = np.concatenate([truth.friction_level == np.arange(number)[:, None], np.ones((1, len(truth.slots)), bool)])
    apart = np.abs(truth.slots.sum(axis=1) / BLOCKS_PER_COURSE - np.arange(1, heights + 1)[:, None])
    of_height = np.concatenate([np.ones((1, len(truth.slots))), np.exp(-apart / HEIGHT_REACH)])
    members = (of_level[:, None] * of_height).reshape((number + 1) * (heights + 1), len(truth.slots))
    rows = average_truth(truth, members, number)
    assert rows.friction_level is not None
    # The level may be given; to answer it from there would be no answer. Without a picture it is as frequent as it is.
    frequent = rows.friction_level[number * (heights + 1)]
    return Prior(rows._replace(friction_level=np.tile(frequent, (len(members), 1))), number, heights)


def fit_neighbours(features: Singles, truth: Truth, k: int = 15, levels: int | None = None) -> Neighbours:
    """Keep the training pictures' features (M, D)."""
    if not 1 <= k <= len(features) or len(features) != len(truth.slots):
        raise InvalidInput(
            f"{k} neighbours of {len(features)} pictures with {len(truth.slots)} answers; take 1 to as many as both"
        )
    if not np.isfinite(features).all():
        raise InvalidInput("features of pictures are not finite")
    number = int(truth.friction_level.max()) + 1 if levels is None else levels
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    return Neighbours(features.astype(np.float32) - mean, mean, truth, number, k)


def begin_blocks(rows: NDArray) -> range:
    """Return the first row of each block of rows; no rows are one empty block."""
    return range(0, max(len(rows), 1), AT_ONCE)


def average_truth(truth: Truth, members: NDArray[Any], levels: int) -> Answers:
    """Return the mean truth of G groups of M training episodes, members (G, M) or how much each counts.

    Frequencies are smoothed towards those of all episodes, and these towards the rate of all slots, which stays for slots that no
    tower had. Means of blocks are over those that were there; where a group has none, over all episodes, then over all slots.
    Heads of which nothing is known are left out.
    """
    if not len(truth.slots):
        raise InvalidInput("there are no episodes to average")
    groups = members.astype(float)
    shapes = head_shapes(truth.slots.shape[1] // BLOCKS_PER_COURSE, levels)
    averages: dict[str, Any] = {head.name: average_head(head, truth, groups, shapes[head.name]) for head in PICTURE_HEADS}
    return Answers(**averages)


def average_head(head: Head, truth: Truth, groups: Floats, shape: Shape) -> Floats | None:
    """Return the average answer of each group to one head, by its kind."""
    values = getattr(truth, head.name)
    match head.kind:
        case "number":
            return average_numbers(values, groups)
        case "slots":
            return average_slots(values, truth.slots, groups)
        case "layer" | "choice":
            return average_choice(values, groups, shape[0] or 0)
        case "boxes":
            boxes = average_blocks(values[..., 1:], groups, angles=(4,))
            presence = 1 - average_slots(truth.removed_locs, truth.slots, groups)
            return None if boxes is None else np.concatenate([presence[..., None], boxes], axis=-1)
        case "shifts":
            return average_blocks(values, groups)


def average_slots(flags: NDArray[np.bool_], slots: NDArray[np.bool_], groups: Floats) -> Floats:
    """Return (G, P) how often each slot's flag was true, of the towers that had the slot."""
    rate = smooth(flags.sum(), slots.sum(), 0.5)
    often = smooth(flags.sum(axis=0), slots.sum(axis=0), rate)
    return smooth(groups @ flags, groups @ slots, often)


def smooth(hits: ArrayLike, trials: ArrayLike, background: ArrayLike) -> Floats:
    """Apply Laplace's rule of succession, towards a background instead of a half."""
    return (np.asarray(hits, float) + STRENGTH * np.asarray(background)) / (np.asarray(trials, float) + STRENGTH)


def average_numbers(numbers: NDArray[np.floating], groups: Floats) -> Floats:
    """Return (G,) means; of all episodes for an empty group."""
    mean = divide(groups @ numbers.astype(float), groups.sum(axis=1))
    return np.where(np.isnan(mean), numbers.mean(dtype=float), mean)


def average_choice(choice: Integers, groups: Floats, choices: int) -> Floats:
    """Return (G, choices) how often each was true; they add up to 1. A choice beyond these (of a taller tower) is left out."""
    chosen = (choice[:, None] == np.arange(choices)).astype(float)
    background = (chosen.sum(axis=0) + 1) / (chosen.sum() + choices)
    hits = groups @ chosen
    return smooth(hits, hits.sum(axis=1, keepdims=True), background)


def average_blocks(blocks: NDArray[np.floating], groups: Floats, angles: tuple[int, ...] = ()) -> Floats | None:
    """Return (G, P, C) means of numbers (M, P, C) of blocks, NaN where there was none; None if there was never one.

    Columns that are angles, as angle / 90 degrees - 1, get the direction of the sum of the doubled angles' unit vectors: 179 and
    1 degrees have the mean 0, not 90.
    """
    plain = [column for column in range(blocks.shape[2]) if column not in angles]
    turn = np.pi * blocks[..., list(angles)].astype(float)  # twice the angle, less 180 degrees [rad]
    parts = np.concatenate([blocks[..., plain].astype(float), np.cos(turn), np.sin(turn)], axis=-1)  # (M, P, C + angles)
    there = np.isfinite(parts).all(axis=-1)  # (M, P)
    if not there.any():
        return None
    parts[~there] = 0.0  # counts for nothing below
    mean = divide(np.tensordot(groups, parts, 1), (groups @ there)[..., None])
    of_slot = divide(parts.sum(axis=0), there.sum(axis=0)[:, None])
    of_slot = np.where(np.isnan(of_slot), parts.sum(axis=(0, 1)) / there.sum(), of_slot)
    mean = np.where(np.isnan(mean), of_slot, mean)
    result = np.empty((len(groups), *blocks.shape[1:]))
    result[..., plain] = mean[..., : len(plain)]
    cosine, sine = np.split(mean[..., len(plain) :], 2, axis=-1)
    result[..., list(angles)] = (np.arctan2(sine, cosine) / np.pi + 1) % 2 - 1
    return result


def shrink(pictures: NDArray[np.uint8], side: int = 32) -> Singles:
    """Return grey pictures (N, S, S) as features (N, side * side) in 0..1: the mean of the area that each small pixel covers."""
    if pictures.ndim != 3 or pictures.shape[1] != pictures.shape[2] or pictures.dtype != np.uint8:
        raise InvalidInput(f"pictures are {pictures.dtype} of shape {pictures.shape}; uint8 of (N, S, S) is read")
    cover = cover_pixels(pictures.shape[1], side)
    small = np.empty((len(pictures), side * side), np.float32)
    for begin in begin_blocks(pictures):
        part = pictures[begin : begin + AT_ONCE].astype(np.float32) / 255
        small[begin : begin + AT_ONCE] = (cover @ part @ cover.T).reshape(len(part), side * side)
    return small
