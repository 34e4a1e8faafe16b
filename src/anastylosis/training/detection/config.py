"""Settings of the trainings of the eye."""

from dataclasses import dataclass, field

from anastylosis.detection.card import FINDER, JUDGE, JURY, READER
from anastylosis.errors import InvalidConfig
from anastylosis.training.detection.scenes import SceneRecipe

__all__ = ["EYE_PRESETS", "EyeConfig", "finder_config", "judge_config", "jury_config", "reader_config"]


@dataclass(frozen=True, kw_only=True)
class EyeConfig:
    """One training. An epoch is so many pictures, not all episodes: every picture is drawn anew, but for a jury, whose looks are
    kept."""

    preset: str
    scenes: SceneRecipe = field(default_factory=SceneRecipe)  # of a jury which are drawn; how they are photographed `photos` says
    pictures: int  # an epoch; of a jury: looks in all, if there are collapses enough
    judged: int  # pictures of the validation split, always the same

    epochs: int
    rate: float = 2e-3  # of AdamW
    rate_floor: float = 1 / 100  # where the cosine ends, in units of `rate`
    rate_alone: float = 1e-2  # of layers that a model to go on with lacks, while they learn by themselves
    warm_up: float = 0.02  # share of all steps over which the rate rises
    weight_decay: float = 0.01
    mean: float = 0.99  # what each step keeps of the mean of the weights
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("pictures", 1, 10**6), ("judged", 1, 10**4), ("epochs", 1, 10**6), ("rate", 1e-9, 1), ("rate_floor", 0, 1),
            ("rate_alone", 1e-9, 1),
            ("warm_up", 0, 1), ("weight_decay", 0, 1), ("mean", 0, 0.9999), ("seed", 0, 2**63),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} is {value}; it must be in {low:g}..{high:g}")


def finder_config() -> EyeConfig:
    """The preset `finder`: pixels that vote for blocks that fell."""
    return EyeConfig(preset=FINDER, pictures=96, judged=32, epochs=320)


def reader_config() -> EyeConfig:
    """The preset `reader`: is a block in this slot of the tower?"""
    return EyeConfig(preset=READER, pictures=64, judged=48, epochs=60)


def judge_config() -> EyeConfig:
    """The preset `judge`: which proposals of a finder are blocks?"""
    return EyeConfig(preset=JUDGE, pictures=96, judged=64, epochs=80, rate=1.5e-3)


def jury_config() -> EyeConfig:
    """The preset `jury`: which of the blocks that the others propose are there?"""
    return EyeConfig(preset=JURY, pictures=3400, judged=204, epochs=18, rate=1.5e-3, warm_up=0.1, weight_decay=0.02)


EYE_PRESETS = {FINDER: finder_config, READER: reader_config, JUDGE: judge_config, JURY: jury_config}
