"""The reader: looks at a slot of the tower, and says whether a block stands there."""

import torch
from torch import Tensor, nn

from anastylosis.learn.eye.residual import Residual, convolve
from anastylosis.predict.eye.window import ABOUT, CHANNELS, WINDOW

__all__ = ["ReaderNet"]

WIDTHS = (24, 48, 64)  # at 2, 4 and 8 pixels
NARROW, HIDDEN = 16, 64  # features of each place that are kept; of the window


class ReaderNet(nn.Module):
    """(N, CHANNELS, WINDOW, WINDOW), (N, ABOUT) -> (N,) log odds of a block."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = WIDTHS
        self.see = nn.Sequential(
            convolve(CHANNELS, first, 5, 2),
            convolve(first, second, 3, 2), Residual(second),
            convolve(second, third, 3, 2), Residual(third),
            convolve(third, NARROW, 1), nn.Flatten(),
        )  # fmt: skip
        self.tell = nn.Sequential(nn.Linear(NARROW * (WINDOW // 8) ** 2 + ABOUT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def forward(self, picture: Tensor, about: Tensor) -> Tensor:
        odds: Tensor = self.tell(torch.cat([self.see(picture), about], 1))
        return odds[:, 0]
