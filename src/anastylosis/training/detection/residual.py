"""Residual blocks, of which the detector's nets are built. He et al. (2016).

Batches are normalised after every convolution. With groups of channels normalised instead, the same net had not learned after 150
steps in which direction blocks lie; with batches it was within 18 degrees for half of them.
"""

import torch
from torch import Tensor, nn


def convolve(before: int, after: int, side: int = 3, stride: int = 1) -> nn.Sequential:
    """Return a convolution, normalised and rectified."""
    return nn.Sequential(
        nn.Conv2d(before, after, side, stride=stride, padding=side // 2, bias=False), nn.BatchNorm2d(after), nn.ReLU()
    )


class Residual(nn.Module):
    """Two convolutions and a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = convolve(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(self.first(x)))
