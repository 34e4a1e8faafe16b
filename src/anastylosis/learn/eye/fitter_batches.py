"""Windows to learn from: proposals that are right, nearly right and wrong, and how each should be moved."""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.pool import count_batches, mix_batches
from anastylosis.learn.eye.scenes import Scene, SceneRecipe, draw_camera, draw_shot, open_scene, thin_out
from anastylosis.learn.eye.scores import PLACE_NEAR, TURN_NEAR
from anastylosis.predict.eye.slots import tower_slots
from anastylosis.predict.eye.turn import make_turns, measure_turns
from anastylosis.predict.eye.window import (
    Proposals,
    Windows,
    cut_windows,
    find_moves,
)
from anastylosis.render.camera import Camera
from anastylosis.structure.tower import BLOCK_SIZE

__all__ = ["FitterBatch", "FitterBatches", "match_truth"]

CAPTURE = 3.0  # times as far, and it can still be moved to it
SPREAD_PLACE, SPREAD_TURN = 0.022, np.radians(24)  # of proposals
NEAR, SLOTS, WRONG = 44, 12, 8  # proposals a picture
BATCH, POOL = 64, 16  # proposals a batch; pictures mixed at a time
STANDING_WEIGHT = 0.15  # how often one that stands is proposed, beside one that fell
VISIBLE = 12  # [pixels] that are seen of a block which is proposed on purpose


class FitterBatch(NamedTuple):
    """Windows and what should be said of them."""

    picture: Tensor  # (N, CHANNELS, WINDOW, WINDOW)
    about: Tensor  # (N, ABOUT)
    moves: Tensor  # (N, 6)
    near: Tensor  # (N,) bool: can be moved to a block
    right: Tensor  # (N,) float: is near enough as it is

    def to(self, device: torch.device) -> "FitterBatch":
        return FitterBatch(*(part.to(device) for part in self))


class Truth(NamedTuple):
    """The nearest block to each proposal."""

    block: NDArray[np.int64]
    moves: NDArray[np.float64]  # (N, 6)
    distance: NDArray[np.float64]  # (N,) in units of PLACE_NEAR and TURN_NEAR, the larger


def match_truth(camera: Camera, proposals: Proposals, blocks: Proposals) -> Truth:
    """What lies nearest to each proposal, and how it is to be moved there."""
    place = np.linalg.norm(proposals.position[:, None] - blocks.position, axis=-1) / PLACE_NEAR
    shape = (*place.shape, 3, 3)
    turns = measure_turns(np.broadcast_to(proposals.axes[:, None], shape), np.broadcast_to(blocks.axes, shape))
    angle = np.linalg.norm(turns, axis=-1) / TURN_NEAR
    best = np.hypot(place, angle).argmin(axis=1)
    rows = np.arange(len(best))
    moves = find_moves(camera, proposals, blocks.take(best))
    return Truth(best, moves, np.maximum(place[rows, best], angle[rows, best]))


SLOT_BOXES = tower_slots(np.array(BLOCK_SIZE))


class FitterBatches:
    """Batches drawn on the fly; the same epoch gives the same ones."""

    def __init__(self, examples: Examples, *, pictures: int, recipe: SceneRecipe, seed: int) -> None:
        self.examples, self.pictures, self.recipe, self.seed = examples, pictures, recipe, seed

    def __len__(self) -> int:
        return count_batches(self.pictures, POOL, BATCH, NEAR + SLOTS + WRONG)

    def shuffled(self, epoch: int) -> Iterator[FitterBatch]:
        yield from self.draw(np.random.default_rng((self.seed, zlib.crc32(b"fitter"), epoch)))

    def in_order(self) -> Iterator[FitterBatch]:
        yield from self.draw(np.random.default_rng((self.seed, zlib.crc32(b"fitter"))))

    def draw(self, rng: np.random.Generator) -> Iterator[FitterBatch]:
        for parts in mix_batches(lambda: self.draw_picture(rng), self.pictures, POOL, BATCH, rng):
            yield FitterBatch(*(torch.from_numpy(part) for part in parts))

    def draw_picture(self, rng: np.random.Generator) -> tuple[NDArray[np.generic], ...]:
        scene = open_scene(self.examples, int(rng.integers(len(self.examples))))
        if rng.random() < self.recipe.thinned:
            scene = thin_out(scene, rng)
        shot = draw_shot(scene, draw_camera(scene, self.recipe, rng), self.recipe, rng)
        visible = np.bincount(shot.ids[shot.ids >= 0], minlength=len(scene.fell))
        proposals = draw_proposals(scene, visible, rng)
        return label(shot.view.camera, proposals, cut_windows(shot.view, proposals), scene.blocks)


def label(camera: Camera, proposals: Proposals, windows: Windows, blocks: Proposals) -> tuple[NDArray[np.generic], ...]:
    """The fields of a `FitterBatch`: windows of proposals among true blocks, and what is true of them."""
    truth = match_truth(camera, proposals, blocks)
    near = truth.distance < CAPTURE
    return (
        windows.picture,
        windows.about,
        np.where(near[:, None], truth.moves, 0).astype(np.float32),
        near,
        (truth.distance < 1).astype(np.float32),
    )


def draw_proposals(scene: Scene, visible: NDArray[np.int64], rng: np.random.Generator) -> Proposals:
    """Right, nearly right, wrong ones, and slots."""
    weight = np.where(scene.fell, 1.0, STANDING_WEIGHT) * (visible >= VISIBLE) + 1e-6
    rows = rng.choice(len(weight), NEAR, p=weight / weight.sum())
    count = len(rows)
    spread = rng.random(count) ** 1.5
    base = scene.blocks.take(rows)
    shift = rng.standard_normal((count, 3)) * (SPREAD_PLACE * spread)[:, None]
    turn = rng.standard_normal((count, 3)) * (SPREAD_TURN * spread / np.sqrt(1.5))[:, None]
    near = Proposals(base.size, base.position + shift, make_turns(turn) @ base.axes)
    slots = SLOT_BOXES.take(pick_slots(scene, rng))
    wrong = scene.blocks.take(rng.integers(len(scene.fell), size=WRONG))
    away = rng.standard_normal((WRONG, 3)) * (0.06, 0.06, 0.02)
    wrong = Proposals(wrong.size, wrong.position + away, make_turns(rng.standard_normal((WRONG, 3)) * 1.0) @ wrong.axes)
    parts = (near, slots, wrong)
    size = np.tile(SLOT_BOXES.size[0], (sum(len(part.size) for part in parts), 1))
    position = np.concatenate([part.position for part in parts])
    position[:, 2] = np.maximum(position[:, 2], 0.004)
    return Proposals(size, position, np.concatenate([part.axes for part in parts]))


def pick_slots(scene: Scene, rng: np.random.Generator) -> NDArray[np.int64]:
    """Slots of a tower: up to a little higher than the highest block that still stands."""
    top = scene.blocks.position[~scene.fell, 2].max(initial=0.0)
    return rng.integers(0, min(len(SLOT_BOXES.size), 3 * (int(top / 0.018) + 3)), size=SLOTS)
