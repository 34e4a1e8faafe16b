"""The finder: every pixel of a block votes for where its block is and how it lies. A U-Net (Ronneberger et al. 2015)."""

from itertools import pairwise

from torch import Tensor, nn
from torch.nn import functional

from anastylosis.learn.eye.fitter_net import Block
from anastylosis.predict.eye.votes import OUTPUTS, RAY_CHANNELS

__all__ = ["FinderNet"]

HEAD, FACES = 96, 3  # features before the last layer; faces across length, width and height
INPUTS = 3 + RAY_CHANNELS  # red, green, blue; what is known of each ray
WIDTHS, DEPTHS = (32, 64, 96, 128), (1, 2, 2, 1)  # at 4, 8, 16 and 32 pixels


class FinderNet(nn.Module):
    """(N, INPUTS, H, W) -> (N, OUTPUTS, H / STRIDE, W / STRIDE)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(INPUTS, 24, 5, stride=2, padding=2), nn.ReLU(), nn.Conv2d(24, WIDTHS[0], 3, stride=2, padding=1)
        )
        self.down = nn.ModuleList(nn.Conv2d(a, b, 3, stride=2, padding=1) for a, b in pairwise(WIDTHS))
        self.stages = nn.ModuleList(
            nn.Sequential(*(Block(width) for _ in range(depth))) for width, depth in zip(WIDTHS, DEPTHS, strict=True)
        )
        self.up = nn.ModuleList(nn.Conv2d(b, a, 1) for a, b in pairwise(WIDTHS))
        self.joined = nn.ModuleList(Block(width) for width in WIDTHS[:-1])
        self.mix = nn.Sequential(nn.GroupNorm(4, WIDTHS[0]), nn.ReLU(), nn.Conv2d(WIDTHS[0], HEAD, 1), nn.ReLU())
        self.out = nn.Conv2d(HEAD, OUTPUTS, 1)
        self.face = nn.Conv2d(HEAD, FACES, 1)  # only to learn: what a pixel sees helps to know where its block is

    def forward(self, picture: Tensor) -> Tensor:
        votes: Tensor = self.out(self.see(picture))
        return votes

    def learn(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """Votes, and (N, FACES, h, w) log odds of the face that each pixel sees."""
        seen = self.see(picture)
        return self.out(seen), self.face(seen)

    def see(self, picture: Tensor) -> Tensor:
        x = self.stages[0](self.stem(picture))
        kept = [x]
        for down, stage in zip(self.down, self.stages[1:], strict=True):
            x = stage(down(x))
            kept.append(x)
        for number in reversed(range(len(self.down))):
            x = functional.interpolate(self.up[number](x), scale_factor=2.0, mode="nearest")
            x = self.joined[number](x + kept[number])
        mixed: Tensor = self.mix(x)
        return mixed
