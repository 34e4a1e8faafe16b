"""The finder: every pixel of a block votes for where its block is and how it lies. A U-Net (Ronneberger et al. 2015)."""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from anastylosis.detection.votes import OUTPUTS, RAY_CHANNELS
from anastylosis.training.detection.residual import Residual, convolve

__all__ = ["INPUTS", "FinderNet"]

HEAD, FACES = 96, 3  # features before the last layer; faces across length, width and height
INPUTS = 3 + RAY_CHANNELS  # red, green, blue; what is known of each ray
STEM = 24
WIDTHS, DEPTHS = (48, 64, 96, 128), (1, 3, 3, 2)  # at 4, 8, 16 and 32 pixels
AROUND, DIM = 9, 0.1  # [pixels] within which grey is compared; spread below which it is not drawn out further


class FinderNet(nn.Module):
    """(N, INPUTS, H, W) -> (N, OUTPUTS, H / STRIDE, W / STRIDE)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(convolve(1 + INPUTS, STEM, 5, 2), convolve(STEM, WIDTHS[0], 3, 2))
        self.down = nn.ModuleList(convolve(a, b, 3, 2) for a, b in pairwise(WIDTHS))
        self.stages = nn.ModuleList(
            nn.Sequential(*(Residual(width) for _ in range(depth))) for width, depth in zip(WIDTHS, DEPTHS, strict=True)
        )
        self.up = nn.ModuleList(nn.Sequential(nn.Conv2d(b, a, 1, bias=False), nn.BatchNorm2d(a)) for a, b in pairwise(WIDTHS))
        self.joined = nn.ModuleList(Residual(width) for width in WIDTHS[:-1])
        self.mix = convolve(WIDTHS[0], HEAD, 1)
        self.out = nn.Conv2d(HEAD, OUTPUTS, 1)
        self.aside = nn.Conv2d(HEAD, FACES + 1, 1)  # only to learn: what a pixel sees helps to know where its block is

    def forward(self, picture: Tensor, learn: bool = False) -> Tensor | tuple[Tensor, Tensor, Tensor]:
        """Votes; to learn, also log odds of the face that each pixel sees, (N, FACES, h, w), and of an edge there, (N, h, w)."""
        seen = self.see(picture)
        votes: Tensor = self.out(seen)
        if not learn:
            return votes
        aside = self.aside(seen)
        return votes, aside[:, :FACES], aside[:, FACES]

    def see(self, picture: Tensor) -> Tensor:
        x = self.stages[0](self.stem(torch.cat([draw_out(picture[:, :3]), picture], 1)))
        kept = [x]
        for down, stage in zip(self.down, self.stages[1:], strict=True):
            x = stage(down(x))
            kept.append(x)
        for number in reversed(range(len(self.down))):
            x = functional.interpolate(self.up[number](x), scale_factor=2.0, mode="nearest")
            x = self.joined[number](torch.relu(x + kept[number]))
        mixed: Tensor = self.mix(x)
        return mixed


def draw_out(colours: Tensor) -> Tensor:
    """(N, 1, H, W) grey, compared with what is around it: edges in shadow are as clear as those in the light."""
    grey = colours.mean(1, keepdim=True)
    mean = functional.avg_pool2d(grey, AROUND, 1, AROUND // 2)
    square = functional.avg_pool2d(grey * grey, AROUND, 1, AROUND // 2)
    return (grey - mean) / (torch.sqrt(torch.clamp(square - mean * mean, min=1e-4)) + DIM)
