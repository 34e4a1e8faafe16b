"""Votes: each pixel of a fallen block votes for its block's pose; a block is proposed where many votes agree."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from anastylosis.arrays import Floats, Integers, Singles
from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.view import FOOTPRINT, HEIGHT_UNIT, View, make_frames, meet_column
from anastylosis.geometry import SYMMETRIC_ENTRIES
from anastylosis.rendering import Camera

COLUMN_UNIT = 0.3  # [m] of heights in the column over the foot of the tower
RAY_CHANNELS = 4  # of `describe_rays`
STRIDE = 4  # pixels of the picture to a vote
VOTE_OUTPUTS = 18  # numbers for each pixel that votes, in this order:
VOTE_LOGIT, SHIFT, HEIGHT = (
    0,
    slice(1, 3),
    3,
)  # logit of a fallen block; offset to its centre, right and down; height of the centre
LONG, THIN = slice(4, 10), slice(10, 16)  # outer products of its long and thin axes with themselves
LOG_DEVIATION = slice(16, 18)  # log deviations of place and turn
SHIFT_UNIT = 14.0  # pixels
PLACE_SCALE, TURN_SCALE = 0.010, 0.28  # [m], sine: scales of the distance between votes for one block
VOTES_MAX, PROPOSALS_MAX = 3000, 160
LOG_DEVIATION_MAX = 4.0  # of a log deviation; they are clipped to it
DOWN_SLOPE_MIN = 0.05  # least downward slope of a ray
VOTES_MIN = 10.0  # that agree, to propose a block; with 1.4 there are twice as many proposals, and recall is the same
ROOT = np.sqrt(2.0)
MEAN_SHIFTS = 2  # mean-shift steps
FARTHEST = 60.0  # squared distance, cut: its nearness is much less than FAR and not yet a denormal number, which is slow
FAR = 1e-4  # nearness below which votes are for different blocks
SPENT = 1e-3  # least weight of a vote that is spent
VOTE_PROBABILITY_MIN = 0.3  # least probability of a block for a pixel to vote
VoteNetFunction = Callable[[Singles], Singles]  # (1, 3 + RAY_CHANNELS, H, W) -> (1, VOTE_OUTPUTS, H / STRIDE, W / STRIDE)


class Votes(NamedTuple):
    """V votes."""

    weight: Floats  # (V,)
    position: Floats  # (V, 3) [m]
    axes: Floats  # (V, 3, 3)
    log_deviation: Floats  # (V, 2) log deviations of place and turn, in units of their own

    def take(self, rows: NDArray[np.generic]) -> "Votes":
        """Return the votes of these rows."""
        return Votes(*(part[rows] for part in self))


def join_votes(parts: Sequence[Votes]) -> Votes:
    """Concatenate the votes of several views."""
    return Votes(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def describe_rays(camera: Camera) -> Singles:
    """Describe the ray of each pixel; (RAY_CHANNELS, H, W).

    In order: how steeply it goes down; how much of the floor the pixel covers; whether it meets the column in which the tower
    stood, and at which height.
    """
    rays = camera.rays(vote_pixels(camera))
    down = -rays[..., 2]
    steep = down / np.linalg.norm(rays, axis=-1)
    foot = camera.pixel_size * camera.eye[2] / np.maximum(down, 0.05) / FOOTPRINT
    meets, height = meet_column(camera, rays)
    channels = np.stack([steep, np.minimum(foot, 4.0) - 1.0, meets, np.where(meets, height / COLUMN_UNIT, 0.0)]).astype(
        np.float32
    )
    return channels.repeat(STRIDE, axis=1).repeat(STRIDE, axis=2)


def vote_pixels(camera: Camera) -> Floats:
    """Return the pixels that vote; (H / STRIDE, W / STRIDE, 2)."""
    rows, columns = np.mgrid[STRIDE // 2 : camera.height : STRIDE, STRIDE // 2 : camera.width : STRIDE]
    return np.stack([columns + 0.5, rows + 0.5], axis=-1)


def extract_votes(output: Singles, camera: Camera) -> tuple[Votes, Integers]:
    """Extract votes, and the number of each cell's vote (-1: none), from the output (VOTE_OUTPUTS, H / STRIDE, W / STRIDE)."""
    chance = expit(output[VOTE_LOGIT].astype(np.float64))
    voting = chance > VOTE_PROBABILITY_MIN
    number = np.where(voting, np.cumsum(voting).reshape(voting.shape) - 1, -1)
    values = output[:, voting].T.astype(np.float64)
    pixels = vote_pixels(camera)[voting]
    rays = camera.rays(pixels + SHIFT_UNIT * values[:, SHIFT])
    position = np.asarray(camera.eye) + rays * reach_height(camera, rays, HEIGHT_UNIT * values[:, HEIGHT])[:, None]
    seen = np.stack([main_axis(values[:, LONG]), main_axis(values[:, THIN])], axis=-1)
    axes = make_axes(*np.moveaxis(np.linalg.solve(make_frames(camera.rays(pixels)), seen), -1, 0))
    log_deviation = np.clip(values[:, LOG_DEVIATION], -LOG_DEVIATION_MAX, LOG_DEVIATION_MAX)
    return Votes(chance[voting] * np.exp(-log_deviation.mean(axis=1)), position, axes, log_deviation), number


def reach_height(camera: Camera, rays: Floats, height: Floats) -> Floats:
    """Return the depths (N,) at which rays (N, 3) reach heights (N,) [m]; level rays are taken to go down a little."""
    return (height - camera.eye[2]) / np.minimum(rays[:, 2], -DOWN_SLOPE_MIN)


def main_axis(outer: Floats) -> Floats:
    """Return the directions (V, 3) whose outer products are nearest to these (V, 6)."""
    matrix = np.empty((len(outer), 3, 3))
    for column, (i, j) in enumerate(SYMMETRIC_ENTRIES):
        matrix[:, i, j] = matrix[:, j, i] = outer[:, column]
    return np.linalg.eigh(matrix)[1][..., -1]


def cluster_votes(votes: Votes, size: Floats) -> tuple[BoxProposals, Floats]:
    """Cluster votes into proposals of one size (3,), and count the votes for each; most votes first.

    Mean shift (Comaniciu and Meer 2002) in the embedding of `embed_boxes`. Votes for one block are spent before the next one.
    """
    every = max(1, -(-len(votes.weight) // VOTES_MAX))
    votes = votes.take(np.arange(0, len(votes.weight), every))
    left = every * votes.weight
    embedded = embed_boxes(votes.position, votes.axes)
    agree = measure_nearness(embedded, embedded)
    density = agree @ left
    shares: list[tuple[Floats, Integers]] = []
    counts: list[float] = []
    while len(left) and len(shares) < PROPOSALS_MAX:
        best = int(density.argmax())
        if density[best] < VOTES_MIN:
            break
        near = np.flatnonzero(agree[best] > FAR)  # without the others it is ten times as fast
        closeness, weight, here = agree[best, near], left[near], embedded[near]
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
    """Average votes into boxes of one size (3,); `shares`: weights of the votes of each box, and their rows."""
    parts = [(share / share.sum(), votes.position[rows], votes.axes[rows]) for share, rows in shares]
    position = np.array([share @ place for share, place, _ in parts]).reshape(-1, 3)
    outer = np.array([[(axes[..., k].T * share) @ axes[..., k] for k in (0, 2)] for share, _, axes in parts])  # either way round
    long, thin = np.moveaxis(np.linalg.eigh(outer.reshape(-1, 2, 3, 3))[1][..., -1], 1, 0)
    return BoxProposals(np.tile(size, (len(shares), 1)), position, make_axes(long, thin))


def measure_nearness(here: Singles, there: Singles) -> Singles:
    """Return exp(-d² / 2) (M, V) of distances in the embedding, cut before it becomes denormal, which would be slow."""
    near = here @ there.T  # in place from here on: there are millions
    near -= (here**2).sum(axis=1)[:, None] / 2
    near -= (there**2).sum(axis=1) / 2
    return np.exp(np.clip(near, -FARTHEST / 2, 0, out=near), out=near)


def embed_boxes(position: Floats, axes: Floats) -> Singles:
    """Embed boxes so that distances say how far they differ; (V, 15).

    The squared distance of outer products of unit vectors is twice the squared sine between them.
    """
    outer = [
        np.stack([axes[:, i, k] * axes[:, j, k] * (1 if i == j else ROOT) for i, j in SYMMETRIC_ENTRIES], axis=1)
        / (TURN_SCALE * ROOT)
        for k in (0, 2)
    ]
    middle = np.array([0.0, 0.0, 0.1])
    return np.concatenate([(position - middle) / PLACE_SCALE, *outer], axis=1).astype(np.float32)


class VoteMap(NamedTuple):
    """Votes of one view, cell by cell."""

    camera: Camera
    chance: Floats  # (h, w) probability of a fallen block
    votes: Votes
    number: Integers  # (h, w) of the vote of each cell; -1: none


def decode_votes(camera: Camera, output: Singles) -> VoteMap:
    """Decode the output of the net for a view (VOTE_OUTPUTS, h, w) into a vote map."""
    return VoteMap(camera, expit(output[VOTE_LOGIT].astype(np.float64)), *extract_votes(output, camera))


class VotedProposals(NamedTuple):
    """N proposals, with the views and votes that they come from."""

    views: list[View]
    vote_maps: list[VoteMap]  # one a view
    proposals: BoxProposals
    votes: Floats  # (N,) how many agree on each


def encode_view(view: View) -> Singles:
    """Encode a view as the input of the vote net; (3 + RAY_CHANNELS, H, W)."""
    return np.concatenate([np.moveaxis(view.picture, -1, 0), describe_rays(view.camera)])


def run_vote_net(view: View, vote_net: VoteNetFunction) -> VoteMap:
    """Run the vote net on a view."""
    return decode_votes(view.camera, vote_net(encode_view(view)[None])[0])


def propose_by_votes(views: Sequence[View], vote_net: VoteNetFunction, size: Floats) -> VotedProposals:
    """Propose blocks from the votes of all views together."""
    vote_maps = [run_vote_net(view, vote_net) for view in views]
    return VotedProposals(list(views), vote_maps, *cluster_votes(join_votes([vote_map.votes for vote_map in vote_maps]), size))


def make_axes(long: Floats, thin: Floats) -> Floats:
    """Return rotation matrices (..., 3, 3) of boxes whose length and height point along `long` and `thin` (..., 3).

    The two need not be quite at right angles; `long` is kept.
    """
    first = long / np.linalg.norm(long, axis=-1, keepdims=True)
    third = thin - np.einsum("...i,...i->...", thin, first)[..., None] * first
    third = third / np.maximum(np.linalg.norm(third, axis=-1, keepdims=True), 1e-12)
    return np.stack([first, np.cross(third, first), third], axis=-1)
