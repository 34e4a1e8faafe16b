"""What the fitter should say."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.learn.eye.fitter_batches import FitterBatch

__all__ = ["measure_fitter_losses"]


def measure_fitter_losses(net: nn.Module, batch: FitterBatch) -> dict[str, Tensor]:
    """Moves by their absolute errors; deviations by how probable the errors are (Laplace); being right by its log odds."""
    said = net(batch.picture, batch.about)
    near = batch.near
    wrong = (said[:, :6] - batch.moves)[near]
    place, turn = wrong[:, :3].abs().sum(1), wrong[:, 3:].abs().sum(1)
    scale = said[near, 6:8].clamp(-6, 6)
    errors = torch.stack([place, turn], 1).detach() / 3
    return {
        "place": place.mean() / 3,
        "turn": turn.mean() / 3,
        "doubt": 0.1 * (errors * torch.exp(-scale) + scale).mean(),
        "right": functional.binary_cross_entropy_with_logits(said[:, 8], batch.right),
    }
