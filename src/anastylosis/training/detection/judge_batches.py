"""Proposals to learn from: what a trained finder proposes, close to, and where the block really is."""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.detection.close_up import COARSE, PLACE_UNIT, TURN_UNIT, CloseUps, aim_frames, cut_close_ups, lay_samples
from anastylosis.detection.evidence import describe_evidence
from anastylosis.detection.looking import Ballot, Finder, take_votes
from anastylosis.detection.proposals import Proposals
from anastylosis.detection.verdict import DEVIATIONS, ODDS, RANGE, SHIFT, TURN, Judge
from anastylosis.errors import InvalidInput
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.training.detection.pool import count_batches, mix_batches
from anastylosis.training.detection.scenes import Scene, SceneRecipe, Shot, draw_camera, draw_scene, draw_shot
from anastylosis.training.detection.scores import PLACE_NEAR, TURN_NEAR, measure_pairs
from anastylosis.training.examples import Examples

__all__ = ["KINK", "JudgeBatch", "JudgeBatches", "Sight", "draw_sight", "judge_by", "label_proposals", "measure_judge_losses"]

BATCH, ROWS, POOL = 128, 96, 16  # proposals a batch; proposals a look; pictures mixed at a time
TRIES = 20  # scenes without a proposal, in a row
VIEWS = (1, 1, 1, 2)  # pictures of a scene, one number or the other
PLACE_FAR, TURN_FAR = 0.03, np.radians(40)  # [m], [rad] a proposal so near to a block can be moved there
CLOSEST = 5e-4  # [m], [rad] errors below which none is counted as better
KINK = 0.2  # of the units: errors above count by their size, below by their square

Floats = NDArray[np.float64]
Parts = tuple[NDArray[np.float32], ...]


class Sight(NamedTuple):
    """A scene, how it was looked at, and what the finder proposes."""

    scene: Scene
    shots: list[Shot]
    ballot: Ballot


class JudgeBatch(NamedTuple):
    """Proposals, each in one view."""

    picture: Tensor  # (N, SEEN, *CLOSE)
    votes: Tensor  # (N, HEARD, *COARSE)
    traits: Tensor  # (N, TRAITS)
    away: Tensor  # (N, 6) shift and turn to the nearest block, as the judge should say them
    near: Tensor  # (N,) 1 if there is one
    own: Tensor  # (N, *COARSE) 1 where that block is seen; helps to learn, and is not asked afterwards

    def to(self, device: torch.device) -> "JudgeBatch":
        return JudgeBatch(*(part.to(device, non_blocking=True) for part in self))


class JudgeBatches:
    """Batches drawn on the fly; the same epoch gives the same ones."""

    def __init__(self, examples: Examples, finder: Finder, *, pictures: int, recipe: SceneRecipe, seed: int) -> None:
        self.examples, self.finder, self.pictures, self.recipe, self.seed = examples, finder, pictures, recipe, seed

    def __len__(self) -> int:
        return count_batches(self.pictures, POOL, BATCH, ROWS)

    def shuffled(self, epoch: int) -> Iterator[JudgeBatch]:
        yield from self.draw(np.random.default_rng((self.seed, zlib.crc32(b"judge"), epoch)))

    def in_order(self) -> Iterator[JudgeBatch]:
        yield from self.draw(np.random.default_rng((self.seed, zlib.crc32(b"judge"))))

    def draw(self, rng: np.random.Generator) -> Iterator[JudgeBatch]:
        for parts in mix_batches(lambda: self.draw_rows(rng), self.pictures, POOL, BATCH, rng):
            close_up, *others = (torch.from_numpy(part) for part in parts)
            yield JudgeBatch(close_up.contiguous(memory_format=torch.channels_last), *others)

    def draw_rows(self, rng: np.random.Generator) -> Parts:
        """ROWS proposals of one scene, in one of its views."""
        for _ in range(TRIES):
            sight = draw_sight(self.examples, self.finder, int(rng.choice(VIEWS)), self.recipe, rng)
            if len(sight.ballot.votes):
                return describe_sight(sight, rng)
        raise InvalidInput(f"the finder proposes no block in {TRIES} scenes in a row; train it longer")


def draw_sight(examples: Examples, finder: Finder, views: int, recipe: SceneRecipe, rng: np.random.Generator) -> Sight:
    """What is proposed in so many pictures of a scene."""
    scene = draw_scene(examples, recipe, rng)
    shots = [draw_shot(scene, draw_camera(scene, recipe, rng), recipe, rng) for _ in range(views)]
    return Sight(scene, shots, take_votes([shot.view for shot in shots], finder, np.array(BLOCK_SIZE)))


def describe_sight(sight: Sight, rng: np.random.Generator) -> Parts:
    """Some proposals as a batch takes them."""
    views, heard, proposals, votes = sight.ballot
    evidence = describe_evidence(heard, proposals, votes)
    rows = rng.choice(len(evidence), ROWS, replace=len(evidence) < ROWS)
    number = int(rng.integers(len(views)))
    some, shot = proposals.take(rows), sight.shots[number]
    frames = aim_frames(np.asarray(shot.view.camera.eye), some)
    away, near, block = label_proposals(some, sight.scene.blocks, frames)
    own = near[:, None, None] * (look_up(shot, lay_samples(shot.view.camera, some, frames, COARSE)) == block[:, None, None])
    close_ups = cut_close_ups(shot.view, heard[number], some, frames)
    return (*close_ups, evidence[rows], *(part.astype(np.float32) for part in (away, near, own)))


def label_proposals(proposals: Proposals, true: Proposals, frames: Floats) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """(N, 6) shift and turn from each proposal to the nearest block, along its frame; (N,) whether that is near; (N,) which."""
    place, turn = measure_pairs(proposals, true)
    angle = np.linalg.norm(turn, axis=-1)
    best = ((place / PLACE_UNIT) ** 2 + (angle / TURN_UNIT) ** 2).argmin(axis=1)
    rows = np.arange(len(best))
    near = (place[rows, best] < PLACE_FAR) & (angle[rows, best] < TURN_FAR)
    shift = (true.position[best] - proposals.position) / PLACE_UNIT
    away = np.concatenate([np.einsum("nij,nj->ni", frames, part) for part in (shift, turn[rows, best] / TURN_UNIT)], axis=1)
    return np.where(near[:, None], away, 0), near, best


def look_up(shot: Shot, pixels: NDArray[np.float32]) -> NDArray[np.int32]:
    """(...) the block that pixels (..., 2) see; -1: none."""
    height, width = shot.ids.shape
    column, row = np.moveaxis(np.floor(pixels).astype(np.int64), -1, 0)
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    return np.where(inside, shot.ids[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)], -1)


def judge_by(net: nn.Module) -> Judge:
    """A net, as it is at the time, as a judge."""

    def judge(close_ups: CloseUps, traits: NDArray[np.float32]) -> NDArray[np.float32]:
        training, device = net.training, next(net.parameters()).device
        net.eval()
        with torch.no_grad():
            given = [torch.from_numpy(np.ascontiguousarray(part)).to(device) for part in (*close_ups, traits)]
            said: NDArray[np.float32] = net(*given).cpu().numpy()
        net.train(training)
        return said

    return judge


def measure_judge_losses(net: nn.Module, batch: JudgeBatch) -> dict[str, Tensor]:
    """Places and turns by how far they are off after the move; odds by whether that is near enough; deviations by how probable
    the errors are that are left."""
    said, own = net(batch.picture, batch.votes, batch.traits, learn=True)
    moved = torch.cat([said[:, SHIFT], said[:, TURN]], 1)
    off = moved - batch.away
    errors = torch.stack([PLACE_UNIT * off[:, :3].norm(dim=1), TURN_UNIT * off[:, 3:].norm(dim=1)], 1).detach()
    right = batch.near * (errors[:, 0] <= PLACE_NEAR) * (errors[:, 1] <= TURN_NEAR)
    size = functional.smooth_l1_loss(moved, batch.away, reduction="none", beta=KINK).sum(1)
    scale = said[:, DEVIATIONS].clamp(*RANGE)
    doubt = (scale + errors.clamp(min=CLOSEST) ** 2 * torch.exp(-2 * scale) / 2).sum(1)
    mask = functional.binary_cross_entropy_with_logits(own, batch.own, reduction="none").mean((1, 2))
    return {
        "right": functional.binary_cross_entropy_with_logits(said[:, ODDS], right),
        "away": 0.5 * (size * batch.near).sum() / batch.near.sum().clamp(min=1),
        "doubt": 0.05 * (doubt * right).sum() / right.sum().clamp(min=1),
        "own": (mask * batch.near).sum() / batch.near.sum().clamp(min=1),
    }
