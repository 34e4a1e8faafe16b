"""The jury: hears of a proposed block and of all that touch it, and says whether it is there, and where."""

import torch
from torch import Tensor, nn

from anastylosis.detection.company import ODDS_UNIT, OTHER, OWN, SAID

__all__ = ["JuryNet"]

HEARD, TOLD = 112, 224  # features of each that touches it; of all of them together
USUAL = 4.0  # so many touch it
DROPPED = 0.05


class JuryNet(nn.Module):
    """(N, OWN), (N, OTHERS, OTHER) -> (N, SAID). Others are heard one by one, in no order (Zaheer et al. 2017)."""

    def __init__(self) -> None:
        super().__init__()
        self.hear = nn.Sequential(nn.Linear(OWN + OTHER, HEARD), nn.GELU(), nn.Linear(HEARD, HEARD), nn.GELU())
        self.tell = nn.Sequential(
            nn.Linear(OWN + 2 * HEARD, TOLD), nn.GELU(), nn.Dropout(DROPPED), nn.Linear(TOLD, HEARD), nn.GELU(),
            nn.Linear(HEARD, SAID),
        )  # fmt: skip

    def forward(self, own: Tensor, others: Tensor) -> Tensor:
        beside = torch.cat([own[:, None].expand(-1, others.shape[1], -1), others], -1)
        if self.training:  # most of the places of others are empty; to pass over them is twice as fast
            there = others[..., 0] > 0
            each = self.hear(beside[there])
            heard = each.new_zeros(*there.shape, HEARD)
            heard[there] = each
        else:  # as it is exported
            heard = self.hear(beside) * others[..., :1]  # the first number of each says that it is there
        told = self.tell(torch.cat([own, heard.sum(1) / USUAL, heard.amax(1)], -1))
        return torch.cat([ODDS_UNIT * own[:, :1] + told[:, :1], told[:, 1:]], -1)  # odds change from what they are by itself
