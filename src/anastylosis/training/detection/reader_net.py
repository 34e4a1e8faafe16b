"""The reader: looks at a slot of the tower, and says whether a block stands there."""

import torch
from torch import Tensor, nn

from anastylosis.detection.window import ABOUT, CHANNELS, WINDOW
from anastylosis.training.detection.residual import Residual, convolve

__all__ = ["ReaderNet"]

FIRST, WIDTHS = 24, (48, 64)  # features of each sample; at 2 and 4 samples
NARROW, HIDDEN = 16, 64  # features of each place that are kept; of the slot
PLACES = WINDOW[0] // 4 * (WINDOW[1] // 4)


class ReaderNet(nn.Module):
    """(N, CHANNELS, *WINDOW), (N, ABOUT) -> (N,) log odds of a block."""

    def __init__(self) -> None:
        super().__init__()
        second, third = WIDTHS
        self.see = nn.Sequential(
            convolve(CHANNELS, FIRST),
            convolve(FIRST, second, 3, 2), Residual(second),
            convolve(second, third, 3, 2), Residual(third),
            convolve(third, NARROW, 1), nn.Flatten(),
        )  # fmt: skip
        self.tell = nn.Sequential(nn.Linear(NARROW * PLACES + ABOUT, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))

    def forward(self, picture: Tensor, about: Tensor) -> Tensor:
        odds: Tensor = self.tell(torch.cat([self.see(picture), about], 1))
        return odds[:, 0]
