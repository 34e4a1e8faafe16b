"""One net trained by one process or by several: `torchrun` sets RANK and WORLD_SIZE. Prints what came of it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from anastylosis.training.loop import Run, Schedule, fit

SCHEDULE = Schedule(epochs=4, learning_rate=0.05, learning_rate_floor=1 / 20, warm_up=0.1, weight_decay=0.01, seed=3)


class Points(NamedTuple):
    x: Tensor
    y: Tensor

    def to(self, device: torch.device) -> "Points":
        return Points(self.x.to(device), self.y.to(device))


class Curve:
    """Batches of 9 points, which two ranks cannot share evenly; 3 to judge by, so that ranks have one more or less."""

    def __len__(self) -> int:
        return 5

    def shuffled(self, epoch: int) -> Iterator[Points]:
        for number in range(5):
            x = torch.rand(9, 2, generator=torch.Generator().manual_seed(10 * epoch + number))
            yield Points(x, torch.sin(3 * x[:, :1]) - x[:, 1:])

    def in_order(self) -> Iterator[Points]:
        for _, batch in zip(range(3), self.shuffled(99), strict=False):
            yield batch


class Net(nn.Module):
    def __init__(self, norm: type[nn.Module] = nn.LayerNorm) -> None:
        super().__init__()
        self.used = nn.Sequential(nn.Linear(2, 16), norm(16), nn.ReLU(), nn.Linear(16, 1))
        self.unused = nn.Linear(2, 1)  # a head without a weight

    def forward(self, x: Tensor) -> Tensor:
        return self.used(x)


def measure(net: nn.Module, batch: Points) -> dict[str, Tensor]:
    error = net(batch.x) - batch.y
    return {"square": (error**2).mean(), "length": 0.1 * error.abs().mean()}


def train(folder: Path, norm: type[nn.Module] = nn.LayerNorm) -> dict[str, object]:
    torch.manual_seed(5)
    run = Run(folder, Net(norm), measure, SCHEDULE, {"name": "a curve"})
    losses = [dict(epoch.losses) for epoch in fit(run, Curve(), Curve())]
    weights = [value for part in run.net.parameters() for value in part.flatten().tolist()]
    return {"losses": losses, "weights": weights, "rank": run.ranks.rank, "size": run.ranks.size}


if __name__ == "__main__":
    torch.set_num_threads(1)
    json.dump(train(Path(sys.argv[1]), getattr(nn, sys.argv[2])), sys.stdout)
