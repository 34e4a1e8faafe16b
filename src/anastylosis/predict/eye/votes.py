"""Votes: each pixel of a block says where its block is and how it lies; where many agree, a block is proposed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.predict.eye.turn import to_axes
from anastylosis.predict.eye.view import make_frames
from anastylosis.predict.eye.window import Proposals, reach_height
from anastylosis.render.camera import Camera

__all__ = ["OUTPUTS", "RAY_CHANNELS", "STRIDE", "Votes", "count_votes", "describe_rays", "propose"]

COLUMN, COLUMN_UNIT = 0.1, 0.3  # [m] sides of the column over the foot of the tower, a little wider than it; heights in it
RAY_CHANNELS = 4
STRIDE = 4  # pixels of the picture to a vote
OUTPUTS = (
    18  # log odds of a block that fell; right and down to its centre; height; 2 x 6 of its long and thin axes; 2 log deviations
)
SHIFT_UNIT, HEIGHT_UNIT, FOOT_UNIT = 10.0, 0.1, 3e-3  # pixels; [m]; [m]
UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a symmetric matrix
PLACE_SCALE, TURN_SCALE = 0.012, 0.35  # [m], sine: how far votes for one block lie apart
VOTES_MAX, PROPOSALS_MAX = 2000, 160
FEWEST = 0.8  # votes that agree, to propose a block
ROOT = np.sqrt(2.0)
SPENT = 1e-3  # of a vote: less is not worth the work
TOLD = 0.3  # probability of a block from which on a pixel votes

Floats = NDArray[np.float64]


class Votes(NamedTuple):
    """V votes."""

    weight: Floats  # (V,)
    position: Floats  # (V, 3) [m]
    axes: Floats  # (V, 3, 3)


def describe_rays(camera: Camera) -> NDArray[np.float32]:
    """(RAY_CHANNELS, H, W) of the ray of each pixel: how steeply it goes down, how much of the floor the pixel covers, whether it
    meets the column in which the tower stood, and how high."""
    rays = camera.rays(vote_pixels(camera))
    down = -rays[..., 2]
    steep = down / np.linalg.norm(rays, axis=-1)
    foot = camera.pixel_size * camera.eye[2] / np.maximum(down, 0.05) / FOOT_UNIT
    meets, height = meet_column(camera, rays)
    told = np.stack([steep, np.minimum(foot, 4.0) - 1.0, meets, np.where(meets, height / COLUMN_UNIT, 0.0)]).astype(np.float32)
    return told.repeat(STRIDE, axis=1).repeat(STRIDE, axis=2)


def meet_column(camera: Camera, rays: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Whether rays (..., 3) enter the upright column over the foot of the tower above the floor, and at which height [m]."""
    slope = 1 / np.where(np.abs(rays[..., :2]) < 1e-9, 1e-9, rays[..., :2])
    middle, reach = -np.array(camera.eye[:2]) * slope, np.abs(slope) * COLUMN / 2
    entry, leaving = np.maximum((middle - reach).max(axis=-1), 0), (middle + reach).min(axis=-1)
    height = camera.eye[2] + entry * rays[..., 2]
    return (entry < leaving) & (height > 0), height


def vote_pixels(camera: Camera) -> Floats:
    """(H / STRIDE, W / STRIDE, 2) the pixels that vote."""
    rows, columns = np.mgrid[STRIDE // 2 : camera.height : STRIDE, STRIDE // 2 : camera.width : STRIDE]
    return np.stack([columns + 0.5, rows + 0.5], axis=-1)


def count_votes(said: NDArray[np.float32], camera: Camera) -> Votes:
    """The votes in what the net says, (OUTPUTS, H / STRIDE, W / STRIDE)."""
    chance = expit(said[0].astype(np.float64))
    told = chance > TOLD
    if told.sum() > VOTES_MAX:  # every so many of them, evenly
        rows = np.flatnonzero(told)
        told.flat[rows] = False
        told.flat[rows[np.linspace(0, len(rows) - 1, VOTES_MAX).astype(np.int64)]] = True
    values = said[:, told].T.astype(np.float64)
    pixels = vote_pixels(camera)[told]
    rays = camera.rays(pixels + SHIFT_UNIT * values[:, 1:3])
    position = np.asarray(camera.eye) + rays * reach_height(camera, rays, HEIGHT_UNIT * values[:, 3])[:, None]
    frames = make_frames(camera.rays(pixels))
    axes = to_axes(*(main_axis(values[:, begin : begin + 6]) for begin in (4, 10)))
    sure = np.exp(-np.clip(values[:, 16] + values[:, 17], -4, 4) / 2)
    return Votes(chance[told] * sure, position, frames @ axes)


def main_axis(outer: Floats) -> Floats:
    """(V, 3) the directions whose outer products these are nearest to, (V, 6)."""
    matrix = np.empty((len(outer), 3, 3))
    for column, (i, j) in enumerate(UPPER):
        matrix[:, i, j] = matrix[:, j, i] = outer[:, column]
    return np.linalg.eigh(matrix)[1][..., -1]


def propose(votes: Votes, size: Floats) -> tuple[Proposals, Floats]:
    """Blocks of a size (3,) where votes agree, and how many do; the most first."""
    left = votes.weight.copy()
    agree = measure_agreement(votes, votes)
    density = agree @ left
    found: list[tuple[Floats, Floats, float]] = []
    while len(left) and len(found) < PROPOSALS_MAX:
        best = int(density.argmax())
        if density[best] < FEWEST:
            break
        kernel = agree[best]
        for _ in range(2):
            share = kernel * left
            position = share @ votes.position / share.sum()
            axes = to_axes(*(mean_axis(votes.axes[..., k], share) for k in (0, 2)))
            kernel = measure_agreement(Votes(np.ones(1), position[None], axes[None]), votes)[0]
        found.append((position, axes, float(kernel @ left)))
        spent = left * (1 - (1 - np.maximum(kernel, agree[best])) ** 2)
        spent[best] = left[best]
        told = np.flatnonzero(spent > SPENT)
        left[told] -= spent[told]
        density -= agree[:, told] @ spent[told]
    count = len(found)
    proposals = Proposals(
        np.tile(size, (count, 1)),
        np.array([position for position, _, _ in found]).reshape(count, 3),
        np.array([axes for _, axes, _ in found]).reshape(count, 3, 3),
    )
    return proposals, np.array([votes for _, _, votes in found])


def mean_axis(axis: Floats, weight: Floats) -> Floats:
    """(3,) the mean direction of axes (V, 3) that may point either way."""
    return np.linalg.eigh(np.einsum("v,vi,vj->ij", weight, axis, axis))[1][:, -1]


def measure_agreement(some: Votes, others: Votes) -> Floats:
    """(M, V) 1 where two votes say the same, 0 where they speak of different blocks."""
    here, there = (describe(votes) for votes in (some, others))
    squares = (here**2).sum(axis=1)[:, None] + (there**2).sum(axis=1) - 2 * here @ there.T
    return np.exp(np.minimum(-squares / 2, 0))


def describe(votes: Votes) -> NDArray[np.float32]:
    """(V, 15) numbers whose distance says how far votes differ: of outer products of unit vectors, twice the squared sine."""
    outer = [
        np.stack([votes.axes[:, i, k] * votes.axes[:, j, k] * (1 if i == j else ROOT) for i, j in UPPER], axis=1)
        / (TURN_SCALE * ROOT)
        for k in (0, 2)
    ]
    middle = np.array([0.0, 0.0, 0.1])
    return np.concatenate([(votes.position - middle) / PLACE_SCALE, *outer], axis=1).astype(np.float32)
