"""Settings of a training of the picture net: the net, its pictures, its loss. Presets are functions."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from anastylosis.dataset import Recipe
from anastylosis.errors import InvalidConfig
from anastylosis.models.picture_model import PictureView
from anastylosis.rendering import STILL_VIEW
from anastylosis.training.picture.heads import default_weights

SLOT_HEADS = ("pooled", "aligned")
LAYERS_UNIT = 24.0  # the tower's height is told in units of this


@dataclass(frozen=True, kw_only=True)
class PictureNetConfig:
    """Sizes of the picture net."""

    width: float = 1.0  # of the ResNet-18: 1 has 64 to 512 channels. Paper §9.2
    embedding: int = 128  # Paper, Eq. (19)
    friction_features: int = 16  # Paper, Eq. (19)
    height_features: int = 0  # of the tower's number of layers, if that is told; the paper's towers are all of one height
    dropout: float = 0.3
    # pooled: all slots from the one fused vector, as the paper has it. aligned: each slot also from what the feature maps
    # have where its block would be seen if it stood there. A pooled vector forgets where things are.
    slot_head: str = "pooled"

    def __post_init__(self) -> None:
        if not 0.05 <= self.width <= 2:
            raise InvalidConfig(f"width is {self.width}; it must be in 0.05..2")
        if self.slot_head not in SLOT_HEADS:
            raise InvalidConfig(f"slot_head is {self.slot_head!r}; choose one of {', '.join(SLOT_HEADS)}")


@dataclass(frozen=True, kw_only=True)
class PictureConfig:
    """Settings of one training. Paper §9.6 where no other source is given."""

    preset: str
    net: PictureNetConfig = field(default_factory=PictureNetConfig)
    # Of each head's loss, by name; 0 leaves the head out. Paper, Eq. (20), and what it formulates and does not build.
    weights: Mapping[str, float] = field(default_factory=default_weights)
    pictures: Recipe = field(default_factory=Recipe)
    views: int = 1  # pictures of each episode; an epoch shows one of them
    turns: bool = False  # the paper's rotations by quarters, and flips: the slots are not relabelled, so they teach noise
    standardise: bool = True  # numbers to mean 0 and deviation 1; False: raw, the imbalance in millimetres
    hide_friction: float = 0.5  # share of pictures whose friction is not told
    hide_height: float = 0.5  # and whose height is not

    epochs: int = 30
    batch: int = 32
    learning_rate: float = 3e-4  # of AdamW
    learning_rate_floor: float = 1 / 20  # where the cosine ends, in units of `learning_rate`
    warm_up: float = 0.0  # share of all steps over which the rate rises
    weight_decay: float = 1e-4
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := [name for name in self.weights if name not in default_weights()]:
            raise InvalidConfig(f"weights name {unknown[0]!r}; heads are {', '.join(default_weights())}")
        for name, low, high in (
            ("views", 1, 1000), ("hide_friction", 0, 1), ("hide_height", 0, 1), ("epochs", 1, 10**6), ("batch", 2, 4096),
            ("learning_rate", 1e-9, 1),
            ("learning_rate_floor", 0, 1), ("warm_up", 0, 1), ("weight_decay", 0, 1), ("seed", 0, 2**63),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} is {value}; it must be in {low:g}..{high:g}")

    def change(self, **changes: Any) -> "PictureConfig":
        """Return the settings with changes, in whichever part they are; None changes nothing."""
        config, given = self, {name: value for name, value in changes.items() if value is not None}
        for part in ("net", "pictures"):
            inner = getattr(config, part)
            own = {name: given.pop(name) for name in list(given) if name in {each.name for each in dataclasses.fields(inner)}}
            config = replace(config, **{part: replace(inner, **own)})
        return replace(config, **given)


def paper_config() -> PictureConfig:
    """Return the preset `paper`: ResNet-18 of full width on pictures of 128 pixels, four heads, raw targets, turned pictures."""
    return PictureConfig(
        preset="paper", weights=default_weights(paper=True), turns=True, standardise=False,
        hide_friction=0.0, hide_height=0.0,
    )  # fmt: skip


def fast_config() -> PictureConfig:
    """Return the preset `fast`: half the width, all heads; minutes on two cores."""
    net = PictureNetConfig(width=0.5, height_features=16, slot_head="aligned")
    return PictureConfig(preset="fast", net=net, pictures=Recipe(size=128), learning_rate=1e-3, warm_up=0.05, weight_decay=0.02)


def full_config() -> PictureConfig:
    """Return the preset `full`, the best here: slots read where blocks would be seen, mirrored pictures, light of all kinds."""
    net = PictureNetConfig(width=0.25, height_features=16, slot_head="aligned")
    pictures = Recipe(size=192, mirror=True, camera="near", domain=0.5)
    return PictureConfig(preset="full", net=net, pictures=pictures, views=8, learning_rate=2e-3, warm_up=0.05, weight_decay=0.02)


def ridge_config() -> PictureConfig:
    """Return the preset `ridge`: pictures of 128 pixels for ridge regression."""
    return PictureConfig(preset="ridge")


PRESETS: Mapping[str, Callable[[], PictureConfig]] = {
    "paper": paper_config,
    "fast": fast_config,
    "full": full_config,
    "ridge": ridge_config,
}


def build_view(recipe: Recipe) -> PictureView:
    """Return the camera of a recipe's plain pictures as a model's card tells it."""
    return PictureView(
        elevation=STILL_VIEW.elevation, azimuth=STILL_VIEW.azimuth, field_of_view=STILL_VIEW.field_of_view,
        reach=recipe.reach, layers=recipe.layers,
    )  # fmt: skip
