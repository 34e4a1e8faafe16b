"""The fitter: looks at one proposed block, and says whether it is there, how to move it, and how sure that is."""

import torch
from torch import Tensor, nn

from anastylosis.predict.eye.window import ABOUT, CHANNELS, SAID

__all__ = ["Block", "FitterNet"]

GROUP = 8  # channels that are normalised together


class FitterNet(nn.Module):
    """(N, CHANNELS, WINDOW, WINDOW), (N, ABOUT) -> (N, SAID): moves, log deviations of place and turn, log odds."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        widths = (width, 2 * width, 3 * width, 4 * width)
        self.stem = nn.Conv2d(CHANNELS, widths[0], 5, stride=2, padding=2)
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(before, after, 3, stride=2, padding=1), *(Block(after) for _ in range(depth)))
            for before, after, depth in zip(widths, widths[1:], (1, 2, 1), strict=False)
        )
        self.last = nn.Conv2d(widths[-1], 3 * width, 1)
        self.norm = nn.GroupNorm(1, 3 * width)
        self.body = nn.Sequential(nn.Linear(3 * width * 9 + ABOUT, 8 * width), nn.GELU())
        self.out = nn.Linear(8 * width, SAID)

    def forward(self, picture: Tensor, about: Tensor) -> Tensor:
        x = torch.relu(self.stem(picture))
        for stage in self.stages:
            x = stage(x)
        x = self.last(torch.relu(x))
        x = torch.relu(self.norm(x)).flatten(1)
        return self.out(self.body(torch.cat([x, about], 1)))


class Block(nn.Module):
    """Two convolutions beside a way straight through."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.GroupNorm(width // GROUP, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(torch.relu(self.first(torch.relu(self.norm(x)))))
