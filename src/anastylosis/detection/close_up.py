"""Close-ups: a proposed block as the judge looks at it. The picture around it, turned so that its length lies across; where its
faces would be; and what the pixels there have voted for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.evidence import Testimony
from anastylosis.detection.proposals import Proposals
from anastylosis.detection.turn import measure_turns
from anastylosis.detection.view import View
from anastylosis.detection.votes import STRIDE
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.grid import meet_faces, project_grid
from anastylosis.rendering.sample import sample

__all__ = [
    "CLOSE",
    "COARSE",
    "HEARD",
    "PLACE_UNIT",
    "SEEN",
    "TURN_UNIT",
    "CloseUps",
    "aim_frames",
    "cut_close_ups",
    "lay_samples",
]

CLOSE, APART = (48, 72), 1.4e-3  # [samples] downwards and across, [m] between two: 67 mm and 101 mm
COARSE = (12, 18)  # votes
SEEN = 6  # red, green, blue; whether the ray meets a face across length, width, height
HEARD = 10  # chance of a block; whether it votes; by how far the vote is off, to the right, down, ahead; its turn; its doubts
PLACE_UNIT, TURN_UNIT = 0.02, 0.35  # [m], [rad] of what votes and blocks are off by
FURTHEST = 3.0  # of these units
END_ON = 1e-3  # sine between a ray and a block's length below which the block is seen end on

Floats = NDArray[np.float64]
Answer = NDArray[np.float32]


class CloseUps(NamedTuple):
    """N proposals in one view."""

    picture: Answer  # (N, SEEN, *CLOSE)
    votes: Answer  # (N, HEARD, *COARSE)


def aim_frames(eye: Floats, proposals: Proposals) -> Floats:
    """(N, 3, 3) directions as rows: along a block's length as it is seen, across that, and from the eye to it."""
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


def cut_close_ups(view: View, heard: Testimony, proposals: Proposals, frames: Floats) -> CloseUps:
    """What is seen, and what was said, where proposed blocks would be."""
    colours = sample(view.picture, lay_samples(view.camera, proposals, frames, CLOSE))
    seen = np.concatenate([np.moveaxis(colours, -1, 1), find_faces(view.camera, proposals, frames)], axis=1)
    cells = lay_samples(view.camera, proposals, frames, COARSE) // STRIDE
    return CloseUps(seen, np.moveaxis(quote(heard, proposals, frames, cells), -1, 1))


def lay_samples(camera: Camera, proposals: Proposals, frames: Floats, count: tuple[int, int]) -> Answer:
    """(N, *count, 2) pixels at even distances about blocks."""
    axes = np.stack(camera.axes, axis=-1)
    step = APART * CLOSE[0] / count[0]
    return project_grid((proposals.position - camera.eye) @ axes, step * frames[:, :2] @ axes, count, camera)


def find_faces(camera: Camera, proposals: Proposals, frames: Floats) -> Answer:
    """(N, 3, *CLOSE) whether the ray of each sample meets the block across its length, width or height."""
    at = np.einsum("nij,ni->nj", proposals.axes, proposals.position - camera.eye)
    return meet_faces(at, APART * frames[:, :2] @ proposals.axes, proposals.size / 2, CLOSE)


def quote(heard: Testimony, proposals: Proposals, frames: Floats, cells: Answer) -> Answer:
    """(N, *COARSE, HEARD) what cells (N, *COARSE, 2) have said of each block."""
    height, width = heard.chance.shape
    inside = np.asarray(((cells >= 0) & (cells < (width, height))).all(axis=-1))
    column, row = np.moveaxis(np.where(inside[..., None], cells, 0).astype(np.int64), -1, 0)
    number = np.where(inside, heard.number[row, column], -1)
    voted = number >= 0
    block = np.nonzero(voted)[0]
    votes = heard.votes.take(number[voted])
    away = np.einsum("vij,vj->vi", frames[block], votes.position - proposals.position[block]) / PLACE_UNIT
    turn = np.einsum("vij,vj->vi", frames[block], measure_turns(proposals.axes[block], votes.axes)) / TURN_UNIT
    off = np.clip(np.concatenate([away, turn], axis=1), -FURTHEST, FURTHEST)
    told = np.zeros((*inside.shape, HEARD), np.float32)
    told[..., 0] = np.where(inside, heard.chance[row, column], 0.0)
    told[voted, 1:] = np.concatenate([np.ones((len(block), 1)), off, votes.doubt], axis=1)
    return told
