"""The picture net: a picture of debris in, the answers of all heads out. ResNet-18, friction and height told or not. Paper §9."""

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.arrays import Shape
from anastylosis.models.answers import head_shapes
from anastylosis.models.picture_model import PictureView
from anastylosis.rendering import still_camera
from anastylosis.structure import BLOCK_SIZE, BLOCKS_PER_COURSE, jenga_tower
from anastylosis.training.picture.config import LAYERS_UNIT, PictureNetConfig
from anastylosis.training.picture.heads import PICTURE_HEADS
from anastylosis.training.picture.resnet import ResNet18

SLOT_FEATURES = 16  # learned for each slot
SLOT_HIDDEN = 96
BOX, WAY = 6, 2  # numbers of the block-set head and of the displacement head, a slot
ALONG = (-0.5, 0.0, 0.5)  # points of a block that are looked up, in its lengths
# Raw, as the loss wants them, by head: logits, and numbers in the units of training; shapes (N, ...) as in `Answers`. Boxes are a
# logit of presence; x, y, width, height; and the angle in -1..1.
Outputs = dict[str, Tensor]


class PictureNet(nn.Module):
    """The net with all its weights."""

    def __init__(self, config: PictureNetConfig, layers: int, levels: int, view: PictureView, size: int) -> None:
        super().__init__()
        slots = BLOCKS_PER_COURSE * layers
        self.trunk = ResNet18(config.embedding, config.width)
        self.friction = nn.Linear(levels, config.friction_features, bias=False)  # W_mu of Eq. (19)
        self.height = nn.Linear(2, config.height_features) if config.height_features else None
        together = config.embedding + config.friction_features + config.height_features
        self.fusion = nn.Sequential(
            nn.Linear(together, config.embedding), nn.ReLU(), nn.BatchNorm1d(config.embedding), nn.Dropout(config.dropout)
        )
        self.numbers = nn.Linear(config.embedding, 3)
        self.failure = nn.Linear(config.embedding, layers)
        self.level = nn.Linear(config.embedding, levels)
        self.slots: nn.Module
        if config.slot_head == "aligned":
            self.slots = AlignedSlots(self.trunk.channels, config.embedding, find_slots(view, size, layers), size)
        else:
            self.slots = PooledSlots(config.embedding, slots)
        shapes = head_shapes(layers, levels)
        self.own = nn.ModuleDict({  # made last, so that the weights of all others begin as they did without
            head.name: OwnLayer(config.embedding, shapes[head.name]) for head in PICTURE_HEADS if head.source
        })  # fmt: skip

    def forward(self, picture: Tensor, friction: Tensor, layers: Tensor) -> Outputs:
        """Run pictures (N, 1, S, S) in 0..1; friction (N, F) one-hot, zeros where unknown; layers (N,), 0 where unknown."""
        maps, embedding = self.trunk(picture)
        parts = [embedding, self.friction(friction)]
        if self.height is not None:
            parts.append(self.height(torch.stack([layers / LAYERS_UNIT, (layers > 0).to(layers.dtype)], 1)))
        fused = self.fusion(torch.cat(parts, 1))
        removed, boxes, ways = self.slots(maps, fused)
        count, imbalance, torque = self.numbers(fused).unbind(1)
        shared = {
            "num_removed": count, "removed_locs": removed, "imbalance": imbalance, "torque_risk": torque,
            "failure_layer": self.failure(fused), "friction_level": self.level(embedding), "block_set": boxes,
            "displacement": ways, "embedding": embedding,
        }  # fmt: skip
        sources = {"embedding": embedding, "fused": fused}
        return shared | {head.name: self.own[head.name](sources[head.source]) for head in PICTURE_HEADS if head.source}


class OwnLayer(nn.Module):
    """A linear layer of one head, its outputs in the head's shape."""

    def __init__(self, features: int, shape: Shape) -> None:
        super().__init__()
        self.shape = [side or 1 for side in shape]
        self.linear = nn.Linear(features, math.prod(self.shape))

    def forward(self, source: Tensor) -> Tensor:
        """Return (N, *shape) of features (N, E)."""
        return self.linear(source).view(-1, *self.shape)


class PooledSlots(nn.Module):
    """Slot heads that read the fused vector alone. Paper §9.5."""

    def __init__(self, features: int, slots: int) -> None:
        super().__init__()
        self.count = slots
        self.removed = nn.Linear(features, slots)
        self.boxes = nn.Linear(features, slots * BOX)
        self.ways = nn.Linear(features, slots * WAY)

    def forward(self, maps: list[Tensor], fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        boxes = self.boxes(fused).view(-1, self.count, BOX)
        return self.removed(fused), bound_angle(boxes), self.ways(fused).view(-1, self.count, WAY)


class AlignedSlots(nn.Module):
    """Slot heads that read the feature maps at three points of the block that would stand there, and the fused vector.

    The points are fixed: each is the weighted sum of four cells of a map, bilinear.
    """

    def __init__(self, channels: list[int], features: int, points: NDArray[np.float64], size: int) -> None:
        super().__init__()
        slots, along, _ = points.shape
        for number in range(len(channels)):
            side = math.ceil(size / 2 ** (number + 1))
            cells, weights = weigh_cells(points.reshape(-1, 2), side)
            self.register_buffer(f"cells{number}", torch.tensor(cells), persistent=False)
            self.register_buffer(f"weights{number}", torch.tensor(weights, dtype=torch.float32), persistent=False)
        self.shape = (slots, along)
        self.own = nn.Parameter(0.1 * torch.randn(slots, SLOT_FEATURES))
        self.local = nn.Linear(along * sum(channels), SLOT_HIDDEN)
        self.common = nn.Linear(features, SLOT_HIDDEN)
        self.place = nn.Linear(SLOT_FEATURES, SLOT_HIDDEN)
        self.mixed = nn.Sequential(nn.ReLU(), nn.Linear(SLOT_HIDDEN, SLOT_HIDDEN), nn.ReLU())
        self.out = nn.Linear(SLOT_HIDDEN, 1 + BOX + WAY)
        self.bias = nn.Parameter(torch.zeros(slots, 1 + BOX + WAY))

    def forward(self, maps: list[Tensor], fused: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = [self.look_up(each, getattr(self, f"cells{k}"), getattr(self, f"weights{k}")) for k, each in enumerate(maps)]
        at = torch.cat(seen, 1).unflatten(2, self.shape)  # (N, C, P, along)
        here = self.local(at.permute(0, 2, 3, 1).flatten(2))
        out = self.out(self.mixed(here + self.common(fused)[:, None] + self.place(self.own))) + self.bias
        return out[:, :, 0], bound_angle(out[:, :, 1 : 1 + BOX]), out[:, :, 1 + BOX :]

    @staticmethod
    def look_up(maps: Tensor, cells: Tensor, weights: Tensor) -> Tensor:
        """Return (N, C, K) values of maps (N, C, H, W) at K points, each the sum of four cells (4, K) by their weights (4, K)."""
        found = maps.flatten(2).index_select(2, cells.flatten()).unflatten(2, (4, weights.shape[1]))
        return (found * weights).sum(2)


def bound_angle(boxes: Tensor) -> Tensor:
    """Bound the last number of each box, its angle, to -1..1 by tanh. Paper §3.1."""
    return torch.cat([boxes[..., : BOX - 1], functional.tanh(boxes[..., BOX - 1 :])], -1)


def find_slots(view: PictureView, size: int, layers: int) -> NDArray[np.float64]:
    """Return (P, 3, 2) three points along the block of each slot in the picture, as shares of its side."""
    tower = jenga_tower(layers)
    along = np.where((tower.course % 2 == 0)[:, None], (BLOCK_SIZE[0], 0.0, 0.0), (0.0, BLOCK_SIZE[0], 0.0))
    points = tower.position[:, None] + np.array(ALONG)[:, None] * along[:, None]
    return still_camera(size, **vars(view)).project(points)[0] / size


def weigh_cells(points: NDArray[np.float64], side: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return (4, K) the four cells of a map around each of K points (shares of the side), and their bilinear weights."""
    at = np.clip(points * side - 0.5, 0, side - 1 - 1e-9)
    first = np.floor(at).astype(np.int64)
    rest = at - first
    corners = [(across, down) for down in (0, 1) for across in (0, 1)]
    cells = np.stack([(first[:, 1] + down) * side + first[:, 0] + across for across, down in corners])
    parts = [np.abs(1 - across - rest[:, 0]) * np.abs(1 - down - rest[:, 1]) for across, down in corners]
    return cells, np.stack(parts)
