"""Training of the slot classifier: slots, some of them empty, the net and its losses."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.dataset import Examples
from anastylosis.detection.detections import BoxProposals, tower_slots
from anastylosis.detection.slot_classifier import SLOT_CHANNELS, SLOT_CROP, SLOT_FEATURES, cut_slot_crops
from anastylosis.training.detection.pool import count_batches, mix_batches
from anastylosis.training.detection.random_streams import random_stream
from anastylosis.training.detection.residual import Residual, convolve
from anastylosis.training.detection.scenes import DebrisScene, SceneRecipe, draw_camera, draw_scene, draw_shot, thin_out
from anastylosis.training.detection.scores import match_blocks

FIRST, WIDTHS = 24, (48, 64)  # features of each sample; at 2 and 4 samples
NARROW, HIDDEN = 16, 64  # features of each place that are kept; of the slot
BLOCKS_PER_COURSE = SLOT_CROP[0] // 4 * (SLOT_CROP[1] // 4)
EACH = 36  # slots a picture
BATCH, POOL = 64, 16  # slots a batch; pictures mixed at a time
ABOVE = 2  # courses above the highest block that still stands, whose slots are classified, too


class SlotClassifierNet(nn.Module):
    """Net (N, SLOT_CHANNELS, *SLOT_CROP), (N, SLOT_FEATURES) -> (N,) logits that a block is in the slot."""

    def __init__(self) -> None:
        super().__init__()
        second, third = WIDTHS
        self.see = nn.Sequential(
            convolve(SLOT_CHANNELS, FIRST),
            convolve(FIRST, second, 3, 2), Residual(second),
            convolve(second, third, 3, 2), Residual(third),
            convolve(third, NARROW, 1), nn.Flatten(),
        )  # fmt: skip
        # Names of layers are those in the files that ship, which `restore_weights` reads.
        self.tell = nn.Sequential(nn.Linear(NARROW * BLOCKS_PER_COURSE + SLOT_FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def forward(self, picture: Tensor, about: Tensor) -> Tensor:
        logit: Tensor = self.tell(torch.cat([self.see(picture), about], 1))
        return logit[:, 0]


class SlotBatch(NamedTuple):
    """Crops, and whether a block is in the slot in their middle."""

    picture: Tensor  # (N, CHANNELS, *WINDOW)
    about: Tensor  # (N, ABOUT)
    filled: Tensor  # (N,) float

    def to(self, device: torch.device) -> "SlotBatch":
        return SlotBatch(*(part.to(device, non_blocking=True) for part in self))


class SlotBatches:
    """Batches drawn on the fly; the same epoch gives the same ones."""

    def __init__(self, examples: Examples, *, pictures: int, recipe: SceneRecipe, seed: int) -> None:
        self.examples, self.pictures, self.recipe, self.seed = examples, pictures, recipe, seed

    def __len__(self) -> int:
        return count_batches(self.pictures, POOL, BATCH, EACH)

    def shuffled(self, epoch: int) -> Iterator[SlotBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("slot_classifier"), epoch)))

    def in_order(self) -> Iterator[SlotBatch]:
        yield from self.draw(np.random.default_rng((self.seed, random_stream("slot_classifier"))))

    def draw(self, rng: np.random.Generator) -> Iterator[SlotBatch]:
        for parts in mix_batches(lambda: self.draw_picture(rng), self.pictures, POOL, BATCH, rng):
            yield SlotBatch(*(torch.from_numpy(part) for part in parts))

    def draw_picture(self, rng: np.random.Generator) -> tuple[NDArray[np.generic], ...]:
        scene = draw_scene(self.examples, self.recipe, rng)
        if rng.random() < self.recipe.thinned:  # else the lowest slots would never be empty
            scene = thin_out(scene, rng)
        shot = draw_shot(scene, draw_camera(scene, self.recipe, rng), self.recipe, rng)
        slots = list_slots(scene)
        rows = rng.choice(len(slots.size), EACH, replace=len(slots.size) < EACH)
        windows = cut_slot_crops(shot.view, slots.take(rows))
        return windows.picture, windows.about, fill_slots(slots, scene.blocks)[rows].astype(np.float32)


def list_slots(scene: DebrisScene) -> BoxProposals:
    """List the slots of a tower, up to a little higher than the highest block that still stands."""
    slots = tower_slots(scene.size)
    top = scene.blocks.position[~scene.fell, 2].max(initial=0.0)
    return slots.take(np.flatnonzero(slots.position[:, 2] < top + (ABOVE + 0.5) * scene.size[2]))


def fill_slots(slots: BoxProposals, blocks: BoxProposals) -> NDArray[np.bool_]:
    """Return (N,) whether a block is in a slot, or near enough to be found there."""
    return np.isin(np.arange(len(slots.size)), match_blocks(slots, blocks).found)


def measure_slot_losses(net: nn.Module, batch: SlotBatch) -> dict[str, Tensor]:
    """Return the cross-entropy."""
    return {"filled": functional.binary_cross_entropy_with_logits(net(batch.picture, batch.about), batch.filled)}
