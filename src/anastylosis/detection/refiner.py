"""Refiner: cuts a crop of each proposed block, scores the block by itself and corrects its pose."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Flags, Floats, Integers, Singles
from anastylosis.detection.detections import BoxProposals, Detections, enter_boxes, move
from anastylosis.detection.overlaps import measure_overlaps
from anastylosis.detection.view import HEIGHT_UNIT, View
from anastylosis.detection.votes import STRIDE, VotedProposals, VoteMap, embed_boxes
from anastylosis.geometry import measure_rotations
from anastylosis.rendering import Camera, meet_faces, project_grid, sample

CROP, SPACING = (48, 72), 1.4e-3  # [samples] downwards and across, [m] between two: 67 mm and 101 mm
VOTE_CROP = (12, 18)  # votes
IMAGE_CHANNELS = 6  # red, green, blue; whether the ray meets a face across length, width, height
# Probability of a block; whether it votes; offset of the vote to the right, down and ahead; its turn (3); its log deviations (2).
VOTE_CHANNELS = 10
PLACE_UNIT, TURN_UNIT = 0.02, 0.35  # [m], [rad] units of offsets and turns
OFFSET_MAX = 3.0  # in these units; offsets are clipped to it
END_ON = 1e-3  # sine between a ray and a block's length below which the block is seen end on
REFINER_OUTPUTS = 9  # numbers for each proposal, in this order:
REFINED_LOGIT, LOG_DEVIATIONS = 0, slice(1, 3)  # logit; log deviations of place [m] and turn [rad]
SHIFT, TURN = slice(3, 6), slice(6, 9)  # corrections in the frame of `aim_frames`, in units
LOG_DEVIATION_RANGE = -9.0, 1.0  # of log deviations
STEP_MAX = 2.0  # in these units; corrections are clipped to it
EVIDENCE = (
    "votes", "cells", "seen", "block", "agree", "nearly", "place", "turn", "place_doubt", "turn_doubt", "height", "long_up",
    "thin_up", "views", "seen_by", "overlap", "rival", "steep",
)  # fmt: skip
CELL_REACH = 8  # cells on each side of a block's centre that may show it
AROUND = np.stack(np.meshgrid(*2 * [np.arange(-CELL_REACH, CELL_REACH + 1)]), axis=-1).reshape(-1, 2)
FRONT_MARGIN = 0.006  # [m] by which another box may be nearer to the camera without hiding it
NEARLY = 8.0  # scale of squared distances between votes that nearly agree
LOG_FLOOR = 0.1  # votes or cells, below which logarithms are cut
OVERLAP_UNIT = 0.018  # [m]


class Crops(NamedTuple):
    """Crops of N proposals in one view."""

    picture: Singles  # (N, IMAGE_CHANNELS, *CROP)
    votes: Singles  # (N, VOTE_CHANNELS, *VOTE_CROP)


def aim_frames(eye: Floats, proposals: BoxProposals) -> Floats:
    """Return frames (N, 3, 3), directions as rows: along a block's length as the camera sees it, across that, and ahead."""
    ahead = proposals.position - eye
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    level = np.stack([ahead[:, 1], -ahead[:, 0], np.zeros(len(ahead))], axis=1)  # to the right
    long = proposals.axes[..., 0]
    long = long - np.einsum("ni,ni->n", long, ahead)[:, None] * ahead
    length = np.linalg.norm(long, axis=1, keepdims=True)
    right = np.where(length > END_ON, long / np.maximum(length, END_ON), level)
    right = right * np.where(np.einsum("ni,ni->n", right, level) < 0, -1.0, 1.0)[:, None]
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return np.stack([right, np.cross(ahead, right), ahead], axis=1)


def cut_crops(view: View, vote_map: VoteMap, proposals: BoxProposals, frames: Floats) -> Crops:
    """Cut the crops of proposed blocks from a view and its vote map."""
    colours = sample(view.picture, lay_samples(view.camera, proposals, frames, CROP))
    picture = np.concatenate([np.moveaxis(colours, -1, 1), find_faces(view.camera, proposals, frames)], axis=1)
    cells = lay_samples(view.camera, proposals, frames, VOTE_CROP) // STRIDE
    return Crops(picture, np.moveaxis(sample_votes(vote_map, proposals, frames, cells), -1, 1))


def lay_samples(camera: Camera, proposals: BoxProposals, frames: Floats, count: tuple[int, int]) -> Singles:
    """Return pixels (N, *count, 2) at even distances around blocks."""
    axes = np.stack(camera.axes, axis=-1)
    step = SPACING * CROP[0] / count[0]
    return project_grid((proposals.position - camera.eye) @ axes, step * frames[:, :2] @ axes, count, camera)


def find_faces(camera: Camera, proposals: BoxProposals, frames: Floats) -> Singles:
    """Return masks (N, 3, *CROP): the ray of a sample enters the block across its length, width or height."""
    at = np.einsum("nij,ni->nj", proposals.axes, proposals.position - camera.eye)
    return meet_faces(at, SPACING * frames[:, :2] @ proposals.axes, proposals.size / 2, CROP)


def sample_votes(vote_map: VoteMap, proposals: BoxProposals, frames: Floats, cells: Singles) -> Singles:
    """Return the votes (N, *VOTE_CROP, VOTE_CHANNELS) of cells (N, *VOTE_CROP, 2), relative to each block."""
    height, width = vote_map.chance.shape
    inside = np.asarray(((cells >= 0) & (cells < (width, height))).all(axis=-1))
    column, row = np.moveaxis(np.where(inside[..., None], cells, 0).astype(np.int64), -1, 0)
    number = np.where(inside, vote_map.number[row, column], -1)
    voted = number >= 0
    block = np.nonzero(voted)[0]
    votes = vote_map.votes.take(number[voted])
    away = np.einsum("vij,vj->vi", frames[block], votes.position - proposals.position[block]) / PLACE_UNIT
    turn = np.einsum("vij,vj->vi", frames[block], measure_rotations(proposals.axes[block], votes.axes)) / TURN_UNIT
    off = np.clip(np.concatenate([away, turn], axis=1), -OFFSET_MAX, OFFSET_MAX)
    channels = np.zeros((*inside.shape, VOTE_CHANNELS), np.float32)
    channels[..., 0] = np.where(inside, vote_map.chance[row, column], 0.0)
    channels[voted, 1:] = np.concatenate([np.ones((len(block), 1)), off, votes.log_deviation], axis=1)
    return channels


RefinerFunction = Callable[[Crops, Singles], Singles]  # crops of N proposals, evidence (N, E) -> (N, OUTPUTS)


class Refinement(NamedTuple):
    """Logits, log deviations and corrections of N proposals."""

    logit: Floats  # (N,) log odds of a block at the corrected pose
    deviation: Floats  # (N, 2) log deviations of place [m] and turn [rad] after the correction
    shift: Floats  # (N, 3) [m, in the world]
    turn: Floats  # (N, 3) [rad]


def refine_boxes(
    views: Sequence[View], vote_maps: Sequence[VoteMap], proposals: BoxProposals, votes: Floats, refiner: RefinerFunction
) -> tuple[BoxProposals, Refinement]:
    """Return the corrected proposals and their refinement. `votes` (N,) is how many agree on each."""
    evidence = measure_evidence(vote_maps, proposals, votes)
    refinements = [refine_in_view(*pair, proposals, evidence, refiner) for pair in zip(views, vote_maps, strict=True)]
    refinement = average_refinements(refinements, np.stack([is_in_view(view, proposals) for view in views]))
    return move(proposals, refinement.shift, refinement.turn), refinement


def is_in_view(view: View, proposals: BoxProposals) -> Flags:
    """Return a mask (N,) of the proposals whose centres are in the picture."""
    pixels, depth = view.camera.project(proposals.position)
    return np.asarray((depth > 0) & ((pixels >= 0) & (pixels < (view.camera.width, view.camera.height))).all(axis=-1))


def refine_in_view(
    view: View, vote_map: VoteMap, proposals: BoxProposals, evidence: Singles, refiner: RefinerFunction
) -> Refinement:
    """Run the refiner on one view."""
    frames = aim_frames(np.asarray(view.camera.eye), proposals)
    output = refiner(cut_crops(view, vote_map, proposals, frames), evidence).astype(np.float64)
    back = np.swapaxes(frames, -1, -2)
    shift, turn = (np.einsum("nij,nj->ni", back, np.clip(output[:, part], -STEP_MAX, STEP_MAX)) for part in (SHIFT, TURN))
    return Refinement(
        output[:, REFINED_LOGIT], np.clip(output[:, LOG_DEVIATIONS], *LOG_DEVIATION_RANGE), PLACE_UNIT * shift, TURN_UNIT * turn
    )


def average_refinements(refinements: Sequence[Refinement], shown: Flags) -> Refinement:
    """Average over the views that show a block (V, N), or over all if none does; views surer of the place have more weight."""
    weight = np.exp(-np.stack([each.deviation[:, 0] for each in refinements])) * (shown | ~shown.any(axis=0))
    weight /= weight.sum(axis=0)
    return Refinement(*(np.einsum("vn,vn...->n...", weight, np.stack(each)) for each in zip(*refinements, strict=True)))


def refine(voted: VotedProposals, refiner: RefinerFunction) -> Detections:
    """Score and correct voted proposals; return them as detections."""
    blocks, refinement = refine_boxes(*voted, refiner)
    place, turn = np.exp(refinement.deviation).T
    return Detections(blocks, refinement.logit, place, turn, np.zeros(len(voted.votes), bool))


def measure_evidence(views: Sequence[VoteMap], proposals: BoxProposals, votes: Floats) -> Singles:
    """Measure the evidence (N, E) for each proposal, in the order of EVIDENCE; `votes` (N,) is how many agree on each."""
    sums = np.zeros((len(votes), 12))
    for view in views:
        sums += sum_cells(view, proposals)
    hits, front, chance, agree, nearly, place, turn, place_doubt, turn_doubt, total, seen_by, steep = sums.T
    cells, weight = np.maximum(front, 1), np.maximum(total, LOG_FLOOR)
    overlap, rival = find_rivals(proposals, votes)
    evidence = np.stack(
        [
            np.log(votes + LOG_FLOOR), np.log(front + LOG_FLOOR), front / np.maximum(hits, 1),
            chance / cells, agree / cells, nearly / cells,
            place / weight, turn / weight, place_doubt / weight, turn_doubt / weight,
            proposals.position[:, 2] / HEIGHT_UNIT, np.abs(proposals.axes[:, 2, 0]), np.abs(proposals.axes[:, 2, 2]),
            np.full(len(votes), len(views)), seen_by, overlap / OVERLAP_UNIT, rival, steep / len(views),
        ],
        axis=1,
    )  # fmt: skip
    return evidence.astype(np.float32)


def sum_cells(view: VoteMap, proposals: BoxProposals) -> Floats:
    """Sum over the cells in which a view should show each proposal; (N, 12)."""
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
    block, where = np.nonzero(hit & (entry <= nearest[cell] + FRONT_MARGIN))
    cell = cell[block, where]
    chance = view.chance.ravel()[cell]
    parts = [np.ones(len(block)), chance, *weigh_votes(view, proposals, block, cell, chance)]
    sums = [hit.sum(axis=1), *(np.bincount(block, part, count) for part in parts)]
    ray = proposals.position - view.camera.eye
    return np.stack([*sums, sums[1] > 0, -ray[:, 2] / np.linalg.norm(ray, axis=1)], axis=1)


def measure_support(view: VoteMap, proposals: BoxProposals) -> tuple[Floats, Floats]:
    """Return the number (N,) of cells that should show each proposal, and the share that votes for a block about there."""
    _, front, _, _, nearly, *_ = sum_cells(view, proposals).T
    return front, nearly / np.maximum(front, 1)


def weigh_votes(view: VoteMap, proposals: BoxProposals, block: Integers, cell: Integers, chance: Floats) -> list[Floats]:
    """Compare votes with proposals, cell by cell: agreement, near agreement, offsets and deviations weighted by it, weight."""
    number = view.number.ravel()[cell]
    votes = view.votes
    if not len(votes.weight):
        return [np.zeros(len(cell)) for _ in range(7)]
    votes_here = embed_boxes(votes.position, votes.axes)[np.maximum(number, 0)]
    apart = (votes_here - embed_boxes(proposals.position, proposals.axes)[block]).astype(np.float64) ** 2
    place, turn = apart[:, :3].sum(axis=1), apart[:, 3:].sum(axis=1)
    voted = chance * (number >= 0)
    nearly = voted * np.exp(-(place + turn) / NEARLY)
    log_deviation = votes.log_deviation[np.maximum(number, 0)]
    off = [nearly * np.sqrt(place), nearly * np.sqrt(turn), nearly * log_deviation[:, 0], nearly * log_deviation[:, 1]]
    return [voted * np.exp(-(place + turn) / 2), nearly, *off, nearly]


def find_rivals(proposals: BoxProposals, votes: Floats) -> tuple[Floats, Floats]:
    """Return the largest overlap (N,) [m] of each proposal with one that has more votes, and the largest log ratio of votes."""
    deep, first, second = measure_overlaps(proposals)
    more = votes[second] > votes[first]
    deep, first, second = deep[more], first[more], second[more]
    overlap, rival = np.zeros(len(votes)), np.zeros(len(votes))
    np.maximum.at(overlap, first, deep)
    np.maximum.at(rival, first, np.log((votes[second] + LOG_FLOOR) / (votes[first] + LOG_FLOOR)))
    return overlap, rival
