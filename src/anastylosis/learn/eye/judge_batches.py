"""Proposals to learn from: what a trained finder proposes, with the evidence for it, and whether it is right."""

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.scenes import Scene, SceneRecipe, draw_camera, draw_shot, open_scene
from anastylosis.learn.eye.scores import match_blocks
from anastylosis.predict.eye.evidence import describe_evidence, hear
from anastylosis.predict.eye.looking import Finder, describe_view
from anastylosis.predict.eye.votes import join_votes, propose
from anastylosis.structure.tower import BLOCK_SIZE

__all__ = ["JudgeBatch", "JudgeBatches", "Rows", "draw_rows", "measure_judge_losses"]

BATCH = 256
VIEWS = (1, 1, 2)  # pictures of a scene, one number or the other
CLOSEST = 5e-4  # [m], [rad] errors below which none is counted as better


class Rows(NamedTuple):
    """N proposals."""

    traits: NDArray[np.float32]  # (N, TRAITS)
    right: NDArray[np.float32]  # (N,)
    place: NDArray[np.float32]  # (N,) [m] how far a right one is off
    turn: NDArray[np.float32]  # (N,) [rad]


class JudgeBatch(NamedTuple):
    """Some of them."""

    traits: Tensor
    right: Tensor
    place: Tensor
    turn: Tensor

    def to(self, device: torch.device) -> "JudgeBatch":
        return JudgeBatch(*(part.to(device, non_blocking=True) for part in self))


class JudgeBatches:
    """Rows, in another order each epoch."""

    def __init__(self, rows: Rows, seed: int) -> None:
        self.rows, self.seed = rows, seed

    def __len__(self) -> int:
        return max(1, len(self.rows.right) // BATCH)

    def shuffled(self, epoch: int) -> Iterator[JudgeBatch]:
        rng = np.random.default_rng((self.seed, zlib.crc32(b"judge"), epoch))
        yield from self.cut(rng.permutation(len(self.rows.right)))

    def in_order(self) -> Iterator[JudgeBatch]:
        yield from self.cut(np.arange(len(self.rows.right)))

    def cut(self, order: NDArray[np.int64]) -> Iterator[JudgeBatch]:
        for part in np.array_split(order, len(self)):
            yield JudgeBatch(*(torch.from_numpy(each[part]) for each in self.rows))


def draw_rows(
    examples: Examples,
    finder: Finder,
    scenes: int,
    recipe: SceneRecipe,
    seed: int,
    tell: Callable[[int, int], None] | None = None,
) -> Rows:
    """What the finder proposes in pictures of so many scenes. `tell` is told how many are done, and of how many."""
    rng = np.random.default_rng((seed, zlib.crc32(b"judge")))
    parts = []
    for number in range(scenes):
        scene = open_scene(examples, int(rng.integers(len(examples))))
        parts.append(judge_scene(scene, finder, int(rng.choice(VIEWS)), recipe, rng))
        if tell:
            tell(number + 1, scenes)
    return Rows(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def judge_scene(scene: Scene, finder: Finder, views: int, recipe: SceneRecipe, rng: np.random.Generator) -> Rows:
    """What is proposed in so many pictures of a scene, and what of it is true."""
    shots = [draw_shot(scene, draw_camera(scene, recipe, rng), recipe, rng) for _ in range(views)]
    heard = [hear(shot.view.camera, finder(describe_view(shot.view)[None])[0]) for shot in shots]
    proposals, votes = propose(join_votes([testimony.votes for testimony in heard]), np.array(BLOCK_SIZE))
    matches = match_blocks(proposals, scene.blocks)
    right, place, turn = np.zeros((3, len(votes)), np.float32)
    right[matches.found], place[matches.found], turn[matches.found] = 1, matches.place, matches.turn
    return Rows(describe_evidence(heard, proposals, votes), right, place, turn)


def measure_judge_losses(net: nn.Module, batch: JudgeBatch) -> dict[str, Tensor]:
    """Being right by its log odds; deviations by how probable the errors of right ones are."""
    said = net(batch.traits)
    count = batch.right.sum().clamp(min=1)
    errors = torch.stack([batch.place, batch.turn], 1).clamp(min=CLOSEST)
    scale = said[:, 1:].clamp(-9, 2)
    doubt = scale + errors**2 * torch.exp(-2 * scale) / 2
    return {
        "right": functional.binary_cross_entropy_with_logits(said[:, 0], batch.right),
        "doubt": 0.1 * (doubt * batch.right[:, None]).sum() / count,
    }
