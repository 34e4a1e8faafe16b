"""Votes: each pixel of a block says where its block is and how it lies; where many agree, a block is proposed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.detection.proposals import Proposals
from anastylosis.detection.turn import to_axes
from anastylosis.detection.view import make_frames, meet_column
from anastylosis.rendering.camera import Camera

__all__ = [
    "ODDS", "OUTPUTS", "RAY_CHANNELS", "STRIDE", "Votes", "count_votes", "describe", "describe_rays", "join_votes", "propose",
    "vote_pixels",
]  # fmt: skip

COLUMN_UNIT = 0.3  # [m] of heights in the column over the foot of the tower
RAY_CHANNELS = 4
STRIDE = 4  # pixels of the picture to a vote
OUTPUTS = 18  # of each pixel that votes, in this order:
ODDS, SHIFT, HEIGHT = 0, slice(1, 3), 3  # log odds of a block that fell; right and down to its centre; how high that is
LONG, THIN = slice(4, 10), slice(10, 16)  # outer products of its axes with themselves
DOUBT = slice(16, 18)  # log deviations of place and turn
SHIFT_UNIT, HEIGHT_UNIT, FOOT_UNIT = 14.0, 0.1, 1.4e-3  # pixels; [m]; [m]
UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a symmetric matrix
PLACE_SCALE, TURN_SCALE = 0.010, 0.28  # [m], sine: how far votes for one block lie apart
VOTES_MAX, PROPOSALS_MAX = 3000, 160
DOUBT_MOST = 4.0  # of a log deviation
LEVEL = 0.05  # slope of a ray that hardly goes down
FEWEST = 10.0  # votes that agree, to propose a block; with 1.4 there are twice as many, and recall is the same
ROOT = np.sqrt(2.0)
SHIFTS = 2  # of each mean
FARTHEST = 60.0  # of squared distances: much less than FAR, and not yet a denormal number, which is slow
FAR = 1e-4  # of nearness: votes that do not mean the same
SPENT = 1e-3  # of a vote: less is not worth the work
TOLD = 0.3  # probability of a block from which on a pixel votes

Floats = NDArray[np.float64]


class Votes(NamedTuple):
    """V votes."""

    weight: Floats  # (V,)
    position: Floats  # (V, 3) [m]
    axes: Floats  # (V, 3, 3)
    doubt: Floats  # (V, 2) log deviations of place and turn, in units of their own

    def take(self, rows: NDArray[np.generic]) -> "Votes":
        return Votes(*(part[rows] for part in self))


def join_votes(parts: Sequence[Votes]) -> Votes:
    """The votes of several views: they all speak of the same blocks."""
    return Votes(*(np.concatenate(each) for each in zip(*parts, strict=True)))


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


def vote_pixels(camera: Camera) -> Floats:
    """(H / STRIDE, W / STRIDE, 2) the pixels that vote."""
    rows, columns = np.mgrid[STRIDE // 2 : camera.height : STRIDE, STRIDE // 2 : camera.width : STRIDE]
    return np.stack([columns + 0.5, rows + 0.5], axis=-1)


def count_votes(said: NDArray[np.float32], camera: Camera) -> tuple[Votes, NDArray[np.int64]]:
    """The votes in what the net says, (OUTPUTS, H / STRIDE, W / STRIDE), and which pixels they are of; -1: it has none."""
    chance = expit(said[ODDS].astype(np.float64))
    told = chance > TOLD
    number = np.where(told, np.cumsum(told).reshape(told.shape) - 1, -1)
    values = said[:, told].T.astype(np.float64)
    pixels = vote_pixels(camera)[told]
    rays = camera.rays(pixels + SHIFT_UNIT * values[:, SHIFT])
    position = np.asarray(camera.eye) + rays * reach_height(camera, rays, HEIGHT_UNIT * values[:, HEIGHT])[:, None]
    seen = np.stack([main_axis(values[:, LONG]), main_axis(values[:, THIN])], axis=-1)
    axes = to_axes(*np.moveaxis(np.linalg.solve(make_frames(camera.rays(pixels)), seen), -1, 0))
    doubt = np.clip(values[:, DOUBT], -DOUBT_MOST, DOUBT_MOST)
    return Votes(chance[told] * np.exp(-doubt.mean(axis=1)), position, axes, doubt), number


def reach_height(camera: Camera, rays: Floats, height: Floats) -> Floats:
    """Depth (N,) at which rays (N, 3) are at a height (N,) [m]; rays that hardly go down are taken to go down a little."""
    return (height - camera.eye[2]) / np.minimum(rays[:, 2], -LEVEL)


def main_axis(outer: Floats) -> Floats:
    """(V, 3) the directions whose outer products these are nearest to, (V, 6)."""
    matrix = np.empty((len(outer), 3, 3))
    for column, (i, j) in enumerate(UPPER):
        matrix[:, i, j] = matrix[:, j, i] = outer[:, column]
    return np.linalg.eigh(matrix)[1][..., -1]


def propose(votes: Votes, size: Floats) -> tuple[Proposals, Floats]:
    """Blocks of a size (3,) where votes agree, and how many do; the most first. Mean shift (Comaniciu and Meer 2002) in the
    numbers of `describe`; votes for one block are spent before the next is looked for."""
    every = max(1, -(-len(votes.weight) // VOTES_MAX))
    votes = votes.take(np.arange(0, len(votes.weight), every))
    left = every * votes.weight
    told = describe(votes.position, votes.axes)
    agree = tell_nearness(told, told)
    density = agree @ left
    shares: list[tuple[Floats, NDArray[np.int64]]] = []
    counts: list[float] = []
    while len(left) and len(shares) < PROPOSALS_MAX:
        best = int(density.argmax())
        if density[best] < FEWEST:
            break
        near = np.flatnonzero(agree[best] > FAR)  # the others have no say, and it is ten times as fast without them
        closeness, weight, here = agree[best, near], left[near], told[near]
        kernel = closeness
        for _ in range(SHIFTS):
            share = kernel * weight
            kernel = tell_nearness((share @ here / share.sum())[None], here)[0]
        shares.append((share, near))
        counts.append(float(kernel @ weight))
        spent = weight * (1 - (1 - np.maximum(kernel, closeness)) ** 2)
        spent[np.searchsorted(near, best)] = left[best]
        some = spent > SPENT
        left[near[some]] -= spent[some]
        density[near] -= spent[some].astype(np.float32) @ agree[np.ix_(near[some], near)]
    return average(votes, shares, size), np.array(counts)


def average(votes: Votes, shares: Sequence[tuple[Floats, NDArray[np.int64]]], size: Floats) -> Proposals:
    """Blocks of a size (3,), each the mean of the votes in which it has shares: how much of each, and of which."""
    parts = [(share / share.sum(), votes.position[rows], votes.axes[rows]) for share, rows in shares]
    position = np.array([share @ place for share, place, _ in parts]).reshape(-1, 3)
    outer = np.array([[(axes[..., k].T * share) @ axes[..., k] for k in (0, 2)] for share, _, axes in parts])  # either way round
    long, thin = np.moveaxis(np.linalg.eigh(outer.reshape(-1, 2, 3, 3))[1][..., -1], 1, 0)
    return Proposals(np.tile(size, (len(shares), 1)), position, to_axes(long, thin))


def tell_nearness(here: NDArray[np.float32], there: NDArray[np.float32]) -> NDArray[np.float32]:
    """(M, V) how far votes mean the same: 1 if they do, and next to nothing, but never so little that sums of it are slow."""
    near = here @ there.T  # in place from here on: there are millions
    near -= (here**2).sum(axis=1)[:, None] / 2
    near -= (there**2).sum(axis=1) / 2
    return np.exp(np.clip(near, -FARTHEST / 2, 0, out=near), out=near)


def describe(position: Floats, axes: Floats) -> NDArray[np.float32]:
    """(V, 15) numbers whose distance says how far boxes differ: of outer products of unit vectors, twice the squared sine."""
    outer = [
        np.stack([axes[:, i, k] * axes[:, j, k] * (1 if i == j else ROOT) for i, j in UPPER], axis=1) / (TURN_SCALE * ROOT)
        for k in (0, 2)
    ]
    middle = np.array([0.0, 0.0, 0.1])
    return np.concatenate([(position - middle) / PLACE_SCALE, *outer], axis=1).astype(np.float32)
