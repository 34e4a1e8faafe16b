"""Close-ups: a proposed block as the judge looks at it. The picture around it, turned so that its length lies across; where its
faces would be; and what the pixels there have voted for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.evidence import Testimony
from anastylosis.predict.eye.proposals import LEVEL, Proposals
from anastylosis.predict.eye.turn import measure_turns
from anastylosis.predict.eye.view import View
from anastylosis.predict.eye.votes import STRIDE
from anastylosis.render.camera import Camera
from anastylosis.render.sample import sample

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
BEHIND = -1e4  # pixels of what is behind the camera: in no picture
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
    axes = np.broadcast_to(np.stack(camera.axes, axis=-1), (len(frames), 3, 3))
    x, y, depth = spread(proposals.position - camera.eye, frames, axes, count)
    scale = 1 / (np.float32(camera.pixel_size) * np.where(depth > 0, depth, np.float32(1)))
    pixels = np.stack([x * scale + np.float32(camera.width / 2), y * scale + np.float32(camera.height / 2)], axis=-1)
    return np.where((depth > 0)[..., None], pixels, np.float32(BEHIND))


def find_faces(camera: Camera, proposals: Proposals, frames: Floats) -> Answer:
    """(N, 3, *CLOSE) whether the ray of each sample meets the block across its length, width or height. Ray against slabs, as
    `enter_boxes`; on an even grid it takes a tenth of the time."""
    away = proposals.position - camera.eye
    eye = -np.einsum("nij,ni->nj", proposals.axes, away).astype(np.float32)[..., None, None]
    reach = (proposals.size / 2).astype(np.float32)[..., None, None]
    slope = [1 / np.where(np.abs(ray) < LEVEL, np.float32(LEVEL), ray) for ray in spread(away, frames, proposals.axes, CLOSE)]
    middle = [-eye[:, k] * each for k, each in enumerate(slope)]
    half = [reach[:, k] * np.abs(each) for k, each in enumerate(slope)]
    entry = np.stack([a - b for a, b in zip(middle, half, strict=True)], axis=1)
    leaving = np.minimum.reduce([a + b for a, b in zip(middle, half, strict=True)])
    first = entry.max(axis=1, keepdims=True)
    return ((entry == first) & (first > 0) & (first < leaving[:, None])).astype(np.float32)


def spread(centre: Floats, frames: Floats, axes: Floats, count: tuple[int, int]) -> list[Answer]:
    """(N, *count) along each of the axes, (N, 3, 3) columns, of samples at even distances about a centre (N, 3)."""
    step = APART * CLOSE[0] / count[0]
    down, across = (step * (np.arange(each, dtype=np.float32) - np.float32((each - 1) / 2)) for each in count)
    at = np.einsum("nij,ni->nj", axes, centre).astype(np.float32)[..., None, None]
    along = np.einsum("nij,nki->nkj", axes, frames[:, :2]).astype(np.float32)[..., None, None]
    return [at[:, k] + across * along[:, 0, k] + down[:, None] * along[:, 1, k] for k in range(3)]


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
