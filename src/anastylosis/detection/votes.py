"""Votes: each pixel of a fallen block votes for its block's pose; a block is proposed where many votes agree."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.arrays import Floats, Integers, Singles
from anastylosis.detection.proposals import BoxProposals
from anastylosis.detection.view import View, make_frames, meet_column
from anastylosis.geometry import make_axes
from anastylosis.rendering.camera import Camera

__all__ = [
    "HEIGHT_UNIT",
    "RAY_CHANNELS",
    "SHIFT_UNIT",
    "STRIDE",
    "UPPER",
    "VOTE_OUTPUTS",
    "VoteMap",
    "VoteNetFunction",
    "VotedProposals",
    "Votes",
    "cluster_votes",
    "decode_votes",
    "describe_rays",
    "embed_boxes",
    "encode_view",
    "extract_votes",
    "join_votes",
    "measure_nearness",
    "propose_by_votes",
    "vote_pixels",
]

COLUMN_UNIT = 0.3  # [m] of heights in the column over the foot of the tower
RAY_CHANNELS = 4
STRIDE = 4  # pixels of the picture to a vote
VOTE_OUTPUTS = 18  # of each pixel that votes, in this order:
VOTE_LOGIT, SHIFT, HEIGHT = 0, slice(1, 3), 3  # log odds of a block that fell; right and down to its centre; how high that is
LONG, THIN = slice(4, 10), slice(10, 16)  # outer products of its axes with themselves
LOG_DEVIATION = slice(16, 18)  # log deviations of place and turn
SHIFT_UNIT, HEIGHT_UNIT, FOOT_UNIT = 14.0, 0.1, 1.4e-3  # pixels; [m]; [m]
UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a symmetric matrix
PLACE_SCALE, TURN_SCALE = 0.010, 0.28  # [m], sine: how far votes for one block lie apart
VOTES_MAX, PROPOSALS_MAX = 3000, 160
LOG_DEVIATION_MAX = 4.0  # of a log deviation
LEVEL = 0.05  # slope of a ray that hardly goes down
VOTES_MIN = 10.0  # votes that agree, to propose a block; with 1.4 there are twice as many, and recall is the same
ROOT = np.sqrt(2.0)
MEAN_SHIFTS = 2  # of each mean
FARTHEST = 60.0  # of squared distances: much less than FAR, and not yet a denormal number, which is slow
FAR = 1e-4  # of nearness: votes that do not mean the same
SPENT = 1e-3  # of a vote: less is not worth the work
VOTE_PROBABILITY_MIN = 0.3  # probability of a block from which on a pixel votes
VoteNetFunction = Callable[[Singles], Singles]  # (1, 3 + RAY_CHANNELS, H, W) -> (1, OUTPUTS, H / STRIDE, W / STRIDE)


class Votes(NamedTuple):
    """V votes."""

    weight: Floats  # (V,)
    position: Floats  # (V, 3) [m]
    axes: Floats  # (V, 3, 3)
    log_deviation: Floats  # (V, 2) log deviations of place and turn, in units of their own

    def take(self, rows: NDArray[np.generic]) -> "Votes":
        return Votes(*(part[rows] for part in self))


def join_votes(parts: Sequence[Votes]) -> Votes:
    """The votes of several views: they all speak of the same blocks."""
    return Votes(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def describe_rays(camera: Camera) -> Singles:
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


def extract_votes(said: Singles, camera: Camera) -> tuple[Votes, Integers]:
    """The votes in what the net says, (OUTPUTS, H / STRIDE, W / STRIDE), and which pixels they are of; -1: it has none."""
    chance = expit(said[VOTE_LOGIT].astype(np.float64))
    told = chance > VOTE_PROBABILITY_MIN
    number = np.where(told, np.cumsum(told).reshape(told.shape) - 1, -1)
    values = said[:, told].T.astype(np.float64)
    pixels = vote_pixels(camera)[told]
    rays = camera.rays(pixels + SHIFT_UNIT * values[:, SHIFT])
    position = np.asarray(camera.eye) + rays * reach_height(camera, rays, HEIGHT_UNIT * values[:, HEIGHT])[:, None]
    seen = np.stack([main_axis(values[:, LONG]), main_axis(values[:, THIN])], axis=-1)
    axes = make_axes(*np.moveaxis(np.linalg.solve(make_frames(camera.rays(pixels)), seen), -1, 0))
    log_deviation = np.clip(values[:, LOG_DEVIATION], -LOG_DEVIATION_MAX, LOG_DEVIATION_MAX)
    return Votes(chance[told] * np.exp(-log_deviation.mean(axis=1)), position, axes, log_deviation), number


def reach_height(camera: Camera, rays: Floats, height: Floats) -> Floats:
    """Depth (N,) at which rays (N, 3) are at a height (N,) [m]; rays that hardly go down are taken to go down a little."""
    return (height - camera.eye[2]) / np.minimum(rays[:, 2], -LEVEL)


def main_axis(outer: Floats) -> Floats:
    """(V, 3) the directions whose outer products these are nearest to, (V, 6)."""
    matrix = np.empty((len(outer), 3, 3))
    for column, (i, j) in enumerate(UPPER):
        matrix[:, i, j] = matrix[:, j, i] = outer[:, column]
    return np.linalg.eigh(matrix)[1][..., -1]


def cluster_votes(votes: Votes, size: Floats) -> tuple[BoxProposals, Floats]:
    """Blocks of a size (3,) where votes agree, and how many do; the most first. Mean shift (Comaniciu and Meer 2002) in the
    numbers of `describe`; votes for one block are spent before the next is looked for."""
    every = max(1, -(-len(votes.weight) // VOTES_MAX))
    votes = votes.take(np.arange(0, len(votes.weight), every))
    left = every * votes.weight
    told = embed_boxes(votes.position, votes.axes)
    agree = measure_nearness(told, told)
    density = agree @ left
    shares: list[tuple[Floats, Integers]] = []
    counts: list[float] = []
    while len(left) and len(shares) < PROPOSALS_MAX:
        best = int(density.argmax())
        if density[best] < VOTES_MIN:
            break
        near = np.flatnonzero(agree[best] > FAR)  # the others have no say, and it is ten times as fast without them
        closeness, weight, here = agree[best, near], left[near], told[near]
        kernel = closeness
        for _ in range(MEAN_SHIFTS):
            share = kernel * weight
            kernel = measure_nearness((share @ here / share.sum())[None], here)[0]
        shares.append((share, near))
        counts.append(float(kernel @ weight))
        spent = weight * (1 - (1 - np.maximum(kernel, closeness)) ** 2)
        spent[np.searchsorted(near, best)] = left[best]
        some = spent > SPENT
        left[near[some]] -= spent[some]
        density[near] -= spent[some].astype(np.float32) @ agree[np.ix_(near[some], near)]
    return average(votes, shares, size), np.array(counts)


def average(votes: Votes, shares: Sequence[tuple[Floats, Integers]], size: Floats) -> BoxProposals:
    """Blocks of a size (3,), each the mean of the votes in which it has shares: how much of each, and of which."""
    parts = [(share / share.sum(), votes.position[rows], votes.axes[rows]) for share, rows in shares]
    position = np.array([share @ place for share, place, _ in parts]).reshape(-1, 3)
    outer = np.array([[(axes[..., k].T * share) @ axes[..., k] for k in (0, 2)] for share, _, axes in parts])  # either way round
    long, thin = np.moveaxis(np.linalg.eigh(outer.reshape(-1, 2, 3, 3))[1][..., -1], 1, 0)
    return BoxProposals(np.tile(size, (len(shares), 1)), position, make_axes(long, thin))


def measure_nearness(here: Singles, there: Singles) -> Singles:
    """(M, V) how far votes mean the same: 1 if they do, and next to nothing, but never so little that sums of it are slow."""
    near = here @ there.T  # in place from here on: there are millions
    near -= (here**2).sum(axis=1)[:, None] / 2
    near -= (there**2).sum(axis=1) / 2
    return np.exp(np.clip(near, -FARTHEST / 2, 0, out=near), out=near)


def embed_boxes(position: Floats, axes: Floats) -> Singles:
    """(V, 15) numbers whose distance says how far boxes differ: of outer products of unit vectors, twice the squared sine."""
    outer = [
        np.stack([axes[:, i, k] * axes[:, j, k] * (1 if i == j else ROOT) for i, j in UPPER], axis=1) / (TURN_SCALE * ROOT)
        for k in (0, 2)
    ]
    middle = np.array([0.0, 0.0, 0.1])
    return np.concatenate([(position - middle) / PLACE_SCALE, *outer], axis=1).astype(np.float32)


class VoteMap(NamedTuple):
    """What one view says."""

    camera: Camera
    chance: Floats  # (h, w) of a block that fell
    votes: Votes
    number: Integers  # (h, w) of the vote of each cell; -1: none


def decode_votes(camera: Camera, said: Singles) -> VoteMap:
    """What the net says of a view, (OUTPUTS, h, w), as a vote map."""
    return VoteMap(camera, expit(said[VOTE_LOGIT].astype(np.float64)), *extract_votes(said, camera))


class VotedProposals(NamedTuple):
    """N blocks that are proposed, and by whom."""

    views: list[View]
    vote_maps: list[VoteMap]  # what each of them says
    proposals: BoxProposals
    votes: Floats  # (N,) how many agree on each


def encode_view(view: View) -> Singles:
    """(3 + RAY_CHANNELS, H, W) a view as the vote net takes it."""
    return np.concatenate([np.moveaxis(view.picture, -1, 0), describe_rays(view.camera)])


def run_vote_net(view: View, vote_net: VoteNetFunction) -> VoteMap:
    """What the pixels of a view vote for."""
    return decode_votes(view.camera, vote_net(encode_view(view)[None])[0])


def propose_by_votes(views: Sequence[View], vote_net: VoteNetFunction, size: Floats) -> VotedProposals:
    """What all views together vote for."""
    vote_maps = [run_vote_net(view, vote_net) for view in views]
    return VotedProposals(list(views), vote_maps, *cluster_votes(join_votes([vote_map.votes for vote_map in vote_maps]), size))
