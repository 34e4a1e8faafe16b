"""The judge: looks closely at a proposed block, weighs the evidence for it, and says where it really is."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from anastylosis.detection.close_up import COARSE, HEARD, SEEN
from anastylosis.detection.evidence import TRAITS
from anastylosis.detection.verdict import JUDGED
from anastylosis.training.detection.finder_net import STEM, WIDTHS, draw_out
from anastylosis.training.detection.residual import Residual, convolve

__all__ = ["JudgeNet"]

NEAR, FAR, LAST = *WIDTHS[:2], 32  # features at 4 and 8 samples; those of the last that are weighed
DEPTHS = (1, 2)  # at 4 and 8 samples
HIDDEN, DROPPED = 128, 0.1
USUAL = (0.0, -5.0, -2.0, *(0.0 for _ in range(JUDGED - 3)))  # even odds, 7 mm, 8 degrees, where it is proposed
COLOURS = 4  # grey, red, green, blue: what finder and judge see alike


class JudgeNet(nn.Module):
    """(N, SEEN, *CLOSE), (N, HEARD, *COARSE), (N, TRAITS) -> (N, JUDGED). Its first stages are built as the finder's."""

    mean: Tensor
    spread: Tensor
    usual: Tensor

    def __init__(self, mean: Tensor | None = None, spread: Tensor | None = None) -> None:
        super().__init__()
        count, cells = len(TRAITS), -(-COARSE[0] // 2) * -(-COARSE[1] // 2)
        self.register_buffer("mean", torch.zeros(count) if mean is None else mean)
        self.register_buffer("spread", torch.ones(count) if spread is None else spread)
        self.register_buffer("usual", torch.tensor(USUAL))
        self.stem = nn.Sequential(convolve(1 + SEEN, STEM, 5, 2), convolve(STEM, NEAR, 3, 2))
        self.hear = nn.Sequential(nn.Conv2d(HEARD, NEAR, 1, bias=False), nn.BatchNorm2d(NEAR))
        self.down = nn.ModuleList([convolve(NEAR, FAR, 3, 2)])
        self.stages = nn.ModuleList(
            nn.Sequential(*(Residual(width) for _ in range(depth))) for width, depth in zip((NEAR, FAR), DEPTHS, strict=True)
        )
        self.last = convolve(FAR, LAST, 1)
        self.weigh = nn.Sequential(
            nn.Linear(LAST * cells + count, HIDDEN), nn.GELU(), nn.Dropout(DROPPED),
            nn.Linear(HIDDEN, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, JUDGED),
        )  # fmt: skip
        self.own = nn.Conv2d(NEAR, 1, 1)  # only to learn: which pixels are of the block that it should be

    def forward(self, picture: Tensor, votes: Tensor, traits: Tensor, learn: bool = False) -> Tensor | tuple[Tensor, Tensor]:
        """What it says; to learn, also (N, *COARSE) log odds that a cell sees the block that is nearest."""
        seen = self.stem(torch.cat([draw_out(picture[:, :3]), picture], 1))
        near = self.stages[0](seen + self.hear(votes))
        far = self.last(self.stages[1](self.down[0](near))).flatten(1)
        judged = self.weigh(torch.cat([far, (traits - self.mean) / self.spread], 1)) + self.usual
        return (judged, self.own(near)[:, 0]) if learn else judged

    def start(self, finder: Mapping[str, Tensor]) -> None:
        """Begin with the first stages of a finder's net: it knows what blocks look like, though not turned."""
        own = self.state_dict()
        first = "stem.0.0.weight"
        begun = {name: value for name, value in finder.items() if name in own and value.shape == own[name].shape}
        begun[first] = own[first].clone()
        begun[first][:, :COLOURS] = finder[first][:, :COLOURS]
        begun[first][:, COLOURS:] = 0
        self.load_state_dict(begun, strict=False)
