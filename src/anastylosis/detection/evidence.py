"""Evidence: what the votes of all views say for and against a proposed block. The judge weighs it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.detection.proposals import Proposals, enter_boxes
from anastylosis.detection.quaternion import to_quaternions
from anastylosis.detection.votes import ODDS, STRIDE, Votes, count_votes, describe
from anastylosis.rendering.camera import Camera
from anastylosis.survey.boxes import Boxes, measure_gaps

__all__ = ["TRAITS", "Testimony", "describe_evidence", "hear", "measure_overlaps", "measure_support"]

TRAITS = (
    "votes", "cells", "seen", "block", "agree", "nearly", "place", "turn", "place_doubt", "turn_doubt", "height", "long_up",
    "thin_up", "views", "seen_by", "overlap", "rival", "steep",
)  # fmt: skip
REACH = 8  # cells on each side of its middle within which a block is looked for
AROUND = np.stack(np.meshgrid(*2 * [np.arange(-REACH, REACH + 1)]), axis=-1).reshape(-1, 2)
FRONT = 0.006  # [m] by which another box may be nearer to the eye without hiding it
WIDE = 8.0  # of squared distances: votes that nearly agree
FAINT = 0.1  # votes, cells: where logarithms begin
NEAR = 0.09  # [m] boxes that are further apart do not touch
OVERLAP_UNIT, HEIGHT_UNIT = 0.018, 0.1  # [m]

Floats = NDArray[np.float64]


class Testimony(NamedTuple):
    """What one view says."""

    camera: Camera
    chance: Floats  # (h, w) of a block that fell
    votes: Votes
    number: NDArray[np.int64]  # (h, w) of the vote of each cell; -1: none


def hear(camera: Camera, said: NDArray[np.float32]) -> Testimony:
    """What the net says of a view, (OUTPUTS, h, w), as testimony."""
    return Testimony(camera, expit(said[ODDS].astype(np.float64)), *count_votes(said, camera))


def describe_evidence(views: Sequence[Testimony], proposals: Proposals, votes: Floats) -> NDArray[np.float32]:
    """(N, TRAITS) numbers; `votes` (N,) is how many of them agreed on each proposal."""
    sums = np.zeros((len(votes), 12))
    for view in views:
        sums += sum_cells(view, proposals)
    hits, front, chance, agree, nearly, place, turn, place_doubt, turn_doubt, total, seen_by, steep = sums.T
    cells, weight = np.maximum(front, 1), np.maximum(total, FAINT)
    overlap, rival = find_rivals(proposals, votes)
    traits = np.stack(
        [
            np.log(votes + FAINT), np.log(front + FAINT), front / np.maximum(hits, 1),
            chance / cells, agree / cells, nearly / cells,
            place / weight, turn / weight, place_doubt / weight, turn_doubt / weight,
            proposals.position[:, 2] / HEIGHT_UNIT, np.abs(proposals.axes[:, 2, 0]), np.abs(proposals.axes[:, 2, 2]),
            np.full(len(votes), len(views)), seen_by, overlap / OVERLAP_UNIT, rival, steep / len(views),
        ],
        axis=1,
    )  # fmt: skip
    return traits.astype(np.float32)


def sum_cells(view: Testimony, proposals: Proposals) -> Floats:
    """(N, 12) sums over the cells in which a view should see each proposal, if it is there."""
    count, (height, width) = len(proposals.size), view.chance.shape
    pixels, depth = view.camera.project(proposals.position)
    middle = np.where((depth > 0)[:, None], pixels, -1e6) // STRIDE
    cells = middle[:, None].astype(np.int64) + AROUND  # (N, K, 2) columns and rows
    inside = ((cells >= 0) & (cells < (width, height))).all(axis=-1)
    entry, _ = enter_boxes(view.camera, STRIDE * cells.astype(np.float64) + STRIDE // 2 + 0.5, proposals)
    hit = inside & np.isfinite(entry)
    cell = np.where(inside, cells[..., 1] * width + cells[..., 0], 0)
    nearest = np.full(height * width, np.inf, np.float32)
    np.minimum.at(nearest, cell[hit], entry[hit])
    block, where = np.nonzero(hit & (entry <= nearest[cell] + FRONT))
    cell = cell[block, where]
    chance = view.chance.ravel()[cell]
    parts = [np.ones(len(block)), chance, *weigh_votes(view, proposals, block, cell, chance)]
    sums = [hit.sum(axis=1), *(np.bincount(block, part, count) for part in parts)]
    ray = proposals.position - view.camera.eye
    return np.stack([*sums, sums[1] > 0, -ray[:, 2] / np.linalg.norm(ray, axis=1)], axis=1)


def measure_support(view: Testimony, proposals: Proposals) -> tuple[Floats, Floats]:
    """(N,) cells in which a view should see each proposal, and the share of them that vote for a block nearly there."""
    _, front, _, _, nearly, *_ = sum_cells(view, proposals).T
    return front, nearly / np.maximum(front, 1)


def weigh_votes(
    view: Testimony, proposals: Proposals, block: NDArray[np.int64], cell: NDArray[np.int64], chance: Floats
) -> list[Floats]:
    """Of each cell in which a proposal is in front: how its vote agrees with it, by how far it is off, and how unsure it is."""
    number = view.number.ravel()[cell]
    votes = view.votes
    if not len(votes.weight):
        return [np.zeros(len(cell)) for _ in range(7)]
    told = describe(votes.position, votes.axes)[np.maximum(number, 0)]
    apart = (told - describe(proposals.position, proposals.axes)[block]).astype(np.float64) ** 2
    place, turn = apart[:, :3].sum(axis=1), apart[:, 3:].sum(axis=1)
    voted = chance * (number >= 0)
    nearly = voted * np.exp(-(place + turn) / WIDE)
    doubt = votes.doubt[np.maximum(number, 0)]
    off = [nearly * np.sqrt(place), nearly * np.sqrt(turn), nearly * doubt[:, 0], nearly * doubt[:, 1]]
    return [voted * np.exp(-(place + turn) / 2), nearly, *off, nearly]


def find_rivals(proposals: Proposals, votes: Floats) -> tuple[Floats, Floats]:
    """(N,) how deep each is in another that has more votes [m], at most; and how many times as many that one has, as a log."""
    deep, first, second = measure_overlaps(proposals)
    more = votes[second] > votes[first]
    deep, first, second = deep[more], first[more], second[more]
    overlap, rival = np.zeros(len(votes)), np.zeros(len(votes))
    np.maximum.at(overlap, first, deep)
    np.maximum.at(rival, first, np.log((votes[second] + FAINT) / (votes[first] + FAINT)))
    return overlap, rival


def measure_overlaps(proposals: Proposals, gap: float = 0.0) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """(P,) how deep boxes are in each other [m], and which: every pair that touches, or is up to `gap` [m] apart, which is
    less than no depth; both ways round."""
    apart = np.linalg.norm(proposals.position[:, None] - proposals.position, axis=-1)
    first, second = np.nonzero(np.triu(apart < NEAR, 1))
    boxes = Boxes(proposals.size, proposals.position, to_quaternions(proposals.axes))
    deep = -measure_gaps(boxes.take(first), boxes.take(second)) if len(first) else np.zeros(0)
    touch = deep > -gap
    deep, first, second = deep[touch], first[touch], second[touch]
    return np.tile(deep, 2), np.concatenate([first, second]), np.concatenate([second, first])
