"""Batches of pictures and their truth as tensors, shuffled by seed and epoch."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anastylosis.dataset import Pictures, Truth
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.training.ranks import map_tensors


class PictureBatch(NamedTuple):
    """N pictures, friction and height as they are told, and the truth."""

    picture: Tensor  # (N, 1, S, S) 0..1
    friction: Tensor  # (N, F) one-hot; zeros: not told
    layers: Tensor  # (N,) 0: not told
    slots: Tensor  # (N, P) bool
    truth: dict[str, Tensor]  # of each head, as in `Truth`; NaN for what is not known

    def to(self, device: torch.device) -> "PictureBatch":
        """Return the batch on another device."""
        return map_tensors(self, lambda part: part.to(device, non_blocking=True))


class PictureBatches:
    """The pictures of a split, perhaps several of each episode, in batches."""

    def __init__(
        self,
        views: Sequence[Pictures],
        *,
        size: int,
        levels: int,
        hide_friction: float = 0.0,
        hide_height: float = 0.0,
        turns: bool = False,
        seed: int = 0,
    ) -> None:
        self.views, self.size, self.levels = views, size, levels
        self.hidden = (hide_friction, hide_height)
        self.turns, self.seed = turns, seed

    def __len__(self) -> int:
        """Return the batches of a shuffled epoch: a short last one is left out, for batch norm's sake."""
        return max(1, len(self.views[0]) // self.size)

    def in_order(self) -> Iterator[PictureBatch]:
        """Yield the first picture of each episode, once, in order; friction and height are told."""
        count = len(self.views[0])
        for begin in range(0, count, self.size):
            rows = np.arange(begin, min(begin + self.size, count))
            yield self.build(rows, np.zeros(len(rows), int), np.ones((len(rows), 2), bool))

    def shuffled(self, epoch: int) -> Iterator[PictureBatch]:
        """Yield one picture of each episode, at random. The same epoch gives the same batches."""
        rng = np.random.default_rng((self.seed, epoch))
        count = len(self.views[0])
        order, view = rng.permutation(count), rng.integers(len(self.views), size=count)
        with_facts = rng.random((count, 2)) >= self.hidden
        turns = rng.integers(4, size=count), rng.integers(2, size=(count, 2))
        for number in range(len(self)):
            part = slice(number * self.size, (number + 1) * self.size)
            batch = self.build(order[part], view[part], with_facts[part])
            if self.turns:
                batch = batch._replace(picture=turn_pictures(batch.picture, turns[0][part], turns[1][part]))
            yield batch

    def build(self, rows: NDArray[np.int64], view: NDArray[np.int64], with_facts: NDArray[np.bool_]) -> PictureBatch:
        """Build the batch of these rows, each from one of the views."""
        grey = np.stack([self.views[which].grey[row] for which, row in zip(view, rows, strict=True)])
        parts = [
            np.stack([part[row] for part, row in zip(parts, rows, strict=True)])
            for parts in zip(*(self.views[which].truth for which in view), strict=True)
        ]
        truth = {name: torch.from_numpy(part) for name, part in zip(Truth._fields, parts, strict=True)}
        slots = truth.pop("slots")
        friction = torch.nn.functional.one_hot(truth["friction_level"], self.levels) * torch.from_numpy(with_facts[:, :1])
        return PictureBatch(
            picture=torch.from_numpy(grey)[:, None].to(torch.float32) / 255,
            friction=friction.to(torch.float32),
            layers=(slots.sum(1) / BLOCKS_PER_COURSE * torch.from_numpy(with_facts[:, 1])).to(torch.float32),
            slots=slots,
            truth=truth,
        )


def turn_pictures(pictures: Tensor, quarters: NDArray[np.int64], flips: NDArray[np.int64]) -> Tensor:
    """Turn each picture by quarters, and flip it; the paper's augmentation. Paper §9.6."""
    turned = [torch.rot90(picture, int(quarter), (1, 2)) for picture, quarter in zip(pictures, quarters, strict=True)]
    for row, (up, side) in enumerate(flips):
        turned[row] = torch.flip(turned[row], [axis for axis, wanted in ((1, up), (2, side)) if wanted])
    return torch.stack(turned)
