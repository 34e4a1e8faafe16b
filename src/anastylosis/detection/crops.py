"""Crops: inputs of the refiner for each proposed block.

A crop has the picture around the block, turned so that its length lies across, the faces where they would be, and the votes of
the pixels there.
"""

from typing import NamedTuple

import numpy as np

from anastylosis.arrays import Floats, Singles
from anastylosis.detection.proposals import BoxProposals
from anastylosis.detection.view import View
from anastylosis.detection.votes import STRIDE, VoteMap
from anastylosis.geometry import measure_rotations
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.grid import meet_faces, project_grid
from anastylosis.rendering.sample import sample

__all__ = [
    "CROP",
    "IMAGE_CHANNELS",
    "PLACE_UNIT",
    "TURN_UNIT",
    "VOTE_CHANNELS",
    "VOTE_CROP",
    "Crops",
    "aim_frames",
    "cut_crops",
    "lay_samples",
]

CROP, SPACING = (48, 72), 1.4e-3  # [samples] downwards and across, [m] between two: 67 mm and 101 mm
VOTE_CROP = (12, 18)  # votes
IMAGE_CHANNELS = 6  # red, green, blue; whether the ray meets a face across length, width, height
# Probability of a block; whether it votes; offset of the vote to the right, down and ahead; its turn (3); its log deviations (2).
VOTE_CHANNELS = 10
PLACE_UNIT, TURN_UNIT = 0.02, 0.35  # [m], [rad] units of offsets and turns
OFFSET_MAX = 3.0  # in these units
END_ON = 1e-3  # sine between a ray and a block's length below which the block is seen end on


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
