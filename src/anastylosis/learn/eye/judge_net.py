"""The judge: weighs the evidence for a proposed block."""

import torch
from torch import Tensor, nn

from anastylosis.predict.eye.evidence import TRAITS
from anastylosis.predict.eye.model import JUDGED

__all__ = ["JudgeNet"]

HIDDEN = 48


class JudgeNet(nn.Module):
    """(N, TRAITS) -> (N, JUDGED): log odds that a block is there, log deviations of its place [m] and turn [rad]."""

    mean: Tensor
    spread: Tensor
    usual: Tensor

    def __init__(self, mean: Tensor | None = None, spread: Tensor | None = None) -> None:
        super().__init__()
        count = len(TRAITS)
        self.register_buffer("mean", torch.zeros(count) if mean is None else mean)
        self.register_buffer("spread", torch.ones(count) if spread is None else spread)
        self.register_buffer("usual", torch.tensor([0.0, -5.0, -2.0]))  # even odds, 7 mm, 8 degrees
        self.weigh = nn.Sequential(
            nn.Linear(count, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, JUDGED)
        )

    def forward(self, traits: Tensor) -> Tensor:
        judged: Tensor = self.weigh((traits - self.mean) / self.spread) + self.usual
        return judged
