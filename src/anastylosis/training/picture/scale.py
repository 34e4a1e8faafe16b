"""Scale of numbers as the net learns them: mean 0 and deviation 1. Raw for the paper's preset."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anastylosis.dataset import Truth
from anastylosis.training.picture.heads import PICTURE_HEADS

NUMBERS = tuple(head.name for head in PICTURE_HEADS if head.kind == "number")
RAW_IMBALANCE = 1e-3  # [m] the paper's raw imbalance is in millimetres
SMALLEST = {"numbers": 1e-6, "boxes": 5e-3, "ways": 5e-3}  # least deviations: about a pixel for what hardly ever moves


class Moments(NamedTuple):
    mean: Tensor
    spread: Tensor


class Scale(nn.Module):
    """Mean and spread of each number; constants of a model, kept with it."""

    mean_numbers: Tensor  # (K,), in the order of NUMBERS
    spread_numbers: Tensor  # (K,)
    mean_boxes: Tensor  # (P, 4) x, y, width, height
    spread_boxes: Tensor  # (4,)
    mean_ways: Tensor  # (P, 2)
    spread_ways: Tensor  # (2,)

    def __init__(self, slots: int) -> None:
        super().__init__()
        for name, shape in (("numbers", (len(NUMBERS),)), ("boxes", (slots, 4)), ("ways", (slots, 2))):
            self.register_buffer(f"mean_{name}", torch.zeros(shape))
            self.register_buffer(f"spread_{name}", torch.ones(shape[-1:]))

    def of(self, name: str) -> Moments:
        """Return mean and spread of one number, of `boxes` or of `ways`."""
        if name in NUMBERS:
            index = NUMBERS.index(name)
            return Moments(self.mean_numbers[index], self.spread_numbers[index])
        return Moments(getattr(self, f"mean_{name}"), getattr(self, f"spread_{name}"))

    def reduce(self, name: str, value: Tensor) -> Tensor:
        """Convert SI to the units of training."""
        moments = self.of(name)
        return (value - moments.mean) / moments.spread

    def restore(self, name: str, value: Tensor) -> Tensor:
        """Convert the units of training to SI."""
        moments = self.of(name)
        return moments.mean + moments.spread * value


def measure_scale(truth: Truth, *, standardise: bool) -> Scale:
    """Measure the scale of a training split."""
    scale = Scale(truth.slots.shape[1])
    if not standardise:
        scale.spread_numbers[NUMBERS.index("imbalance")] = RAW_IMBALANCE
        return scale
    numbers = np.stack([getattr(truth, name) for name in NUMBERS], axis=1)
    boxes, ways = truth.block_set[:, :, 1:5], truth.displacement
    fill(scale, "numbers", numbers.mean(axis=0), numbers - numbers.mean(axis=0))
    for name, values in (("boxes", boxes), ("ways", ways)):
        mean = average(values)
        fill(scale, name, mean, values - mean)
    return scale


def average(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return (P, K) the mean over (N, P, K) where they are finite; 0 where none is."""
    there = np.isfinite(values)
    return np.where(there, values, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)


def fill(scale: Scale, name: str, mean: NDArray[np.floating], rest: NDArray[np.floating]) -> None:
    """Set one mean and the deviation of what is left, over all but the last axis."""
    squares = np.nan_to_num(rest.reshape(-1, rest.shape[-1]) ** 2, nan=0.0)
    count = np.maximum(np.isfinite(rest.reshape(-1, rest.shape[-1])).sum(axis=0), 1)
    getattr(scale, f"mean_{name}").copy_(torch.tensor(mean))
    getattr(scale, f"spread_{name}").copy_(torch.tensor(np.maximum(np.sqrt(squares.sum(axis=0) / count), SMALLEST[name])))
