"""ResNet-18 for grey pictures. He et al. (2016); paper §9.2, Eq. (19). Parameters have torchvision's names."""

from pathlib import Path

import torch
from torch import Tensor, nn

from anastylosis.errors import InvalidInput
from anastylosis.training.tensors import read_tensors

STAGES = (64, 128, 256, 512)  # channels at width 1


class ResidualBlock(nn.Module):
    """Block y = relu(F(x) + W x), F two 3 x 3 convolutions, W the identity where shapes allow."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = None
        if stride != 1 or before != after:
            self.downsample = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: Tensor) -> Tensor:
        shortcut = x if self.downsample is None else self.downsample(x)
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + shortcut)


class ResNet18(nn.Module):
    """Pictures (N, 1, H, W) to feature maps at a half, a quarter and an eighth of their size, and to (N, features)."""

    def __init__(self, features: int, width: float = 1.0) -> None:
        super().__init__()
        channels = [max(8, round(stage * width)) for stage in STAGES]
        self.channels = [channels[0], channels[0], channels[1]]  # of the maps
        self.conv1 = nn.Conv2d(1, channels[0], 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(channels[0])
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        before = channels[0]
        for number, after in enumerate(channels, 1):
            first = ResidualBlock(before, after, 1 if number == 1 else 2)
            self.add_module(f"layer{number}", nn.Sequential(first, ResidualBlock(after, after, 1)))
            before = after
        self.fc = nn.Linear(before, features)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x: Tensor) -> tuple[list[Tensor], Tensor]:
        maps = [torch.relu(self.bn1(self.conv1(x)))]
        x = self.maxpool(maps[0])
        for number in range(1, len(STAGES) + 1):
            x = getattr(self, f"layer{number}")(x)
            maps.append(x)
        return maps[: len(self.channels)], self.fc(x.mean(dim=(2, 3)))


def load_imagenet(network: ResNet18, path: Path) -> None:
    """Take ImageNet weights from a file with torchvision's keys; the first layer is the mean of its colours. Paper §9.3."""
    if not path.is_file():
        raise InvalidInput(f"there is no file {path}; --imagenet names the weights of a ResNet-18")
    state = read_tensors(path)
    try:
        weights = {name: value for name, value in state.items() if not name.startswith("fc.")}
        weights["conv1.weight"] = weights["conv1.weight"].mean(dim=1, keepdim=True)
        left = network.load_state_dict(weights, strict=False)
    except (RuntimeError, KeyError, AttributeError, TypeError, ValueError, IndexError) as error:
        raise InvalidInput(f"{path} does not hold the weights of a ResNet-18 of this width ({error!s:.200})") from error
    missing = [name for name in left.missing_keys if not name.startswith("fc.")]
    if missing or left.unexpected_keys:
        raise InvalidInput(f"{path} does not hold the weights of a ResNet-18: {', '.join([*missing, *left.unexpected_keys][:3])}")
