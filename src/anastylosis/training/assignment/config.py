"""Settings of an assignment training: the net, its surveys, its loss."""

import math
from dataclasses import dataclass, field

from anastylosis.assignment.model import DIRECT
from anastylosis.errors import InvalidConfig

SEEN_PRESET = "seen"
HEAD = 32  # features of one attention head


@dataclass(frozen=True, kw_only=True)
class AssignmentNetConfig:
    """A transformer over blocks, then over blocks and slots together."""

    features: int = 128  # of each block and slot; a multiple of HEAD
    block_layers: int = 2  # in which blocks see blocks alone
    joint_layers: int = 4  # in which blocks and slots see each other
    widening: int = 2  # of the layers between two attentions
    rounds: int = 10  # of Sinkhorn's scaling, in training
    answer_rounds: int = 100  # and in the file, where slots are to hold one block, not one and a half
    direct: bool = False  # empty slots are predicted by themselves, not from the assignment

    def __post_init__(self) -> None:
        if self.features % HEAD or not HEAD <= self.features <= 1024:
            raise InvalidConfig(f"features is {self.features}; it must be a multiple of {HEAD}, up to 1024")
        for name, low, high in (
            ("block_layers", 0, 32),
            ("joint_layers", 1, 32),
            ("widening", 1, 8),
            ("rounds", 1, 1000),
            ("answer_rounds", 1, 1000),
        ):
            if not low <= getattr(self, name) <= high:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be in {low}..{high}")


@dataclass(frozen=True, kw_only=True)
class SurveyRecipe:
    """Errors of the surveys that the net is trained on, drawn anew each time that a collapse is used."""

    exact: float = 0.35  # share without any noise; for the rest both deviations are uniform up to those below
    position: float = 0.015  # [m]
    angle: float = math.radians(15)
    complete: float = 0.4  # share without hidden blocks; for the rest the share of them is uniform up to `hidden`
    hidden: float = 0.15
    pure: float = 0.7  # share without foreign blocks; the rest has 1 to `foreign`
    foreign: int = 4
    hide_friction: float = 0.5  # share whose friction is not given

    def __post_init__(self) -> None:
        for name in ("exact", "complete", "hidden", "pure", "hide_friction"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it is a share, 0..1")
        for name, high in (("position", 1.0), ("angle", math.pi), ("foreign", 100)):
            if not 0 <= getattr(self, name) <= high:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be in 0..{high:g}")


@dataclass(frozen=True, kw_only=True)
class AssignmentLossWeights:
    """Weight of the loss of each answer."""

    blocks: float = 1.0  # where each block stood
    slots: float = 1.0  # which slots are left without one
    removed: float = 0.5  # which of those were empty before the fall
    failure: float = 0.1
    courses: float = 0.1
    friction: float = 0.1
    direction: float = 0.1

    def __post_init__(self) -> None:
        for name, weight in vars(self).items():
            if not 0 <= weight <= 1000:
                raise InvalidConfig(f"the weight of {name} is {weight}; it must be in 0..1000")
        if not any(vars(self).values()):
            raise InvalidConfig("every weight is 0; there is nothing to train")


@dataclass(frozen=True, kw_only=True)
class AssignmentConfig:
    """Settings of one training."""

    preset: str = "assign"
    net: AssignmentNetConfig = field(default_factory=AssignmentNetConfig)
    surveys: SurveyRecipe = field(default_factory=SurveyRecipe)
    weights: AssignmentLossWeights = field(default_factory=AssignmentLossWeights)

    epochs: int = 16
    batch: int = 32
    learning_rate: float = 1e-3  # of AdamW
    learning_rate_floor: float = 1 / 50  # where the cosine ends, in units of `learning_rate`
    warm_up: float = 0.02  # share of all steps over which the rate rises
    weight_decay: float = 0.02
    seed: int = 0
    repeats: int = 0  # times that the detector runs on each collapse, for surveys from pictures; 0: surveys as `surveys` says

    def __post_init__(self) -> None:
        for name, low, high in (
            ("epochs", 1, 10**6), ("batch", 1, 4096), ("learning_rate", 1e-9, 1), ("learning_rate_floor", 0, 1),
            ("warm_up", 0, 1),
            ("weight_decay", 0, 1), ("seed", 0, 2**63), ("repeats", 0, 1000),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} is {value}; it must be in {low:g}..{high:g}")
        if (self.repeats > 0) != (self.preset == SEEN_PRESET):
            raise InvalidConfig(
                f"the preset is {self.preset} and repeats {self.repeats}; {SEEN_PRESET} alone is trained on detections"
            )
        if self.net.direct != (self.preset == DIRECT):
            raise InvalidConfig(f"the preset is {self.preset}; nets that place no block are of {DIRECT}, and no others")


def assign_config() -> AssignmentConfig:
    """Return the preset `assign`."""
    return AssignmentConfig()


def direct_config() -> AssignmentConfig:
    """Return the preset `direct`: the same net without assignment, to measure what assignment is worth."""
    return AssignmentConfig(
        preset=DIRECT, net=AssignmentNetConfig(direct=True), weights=AssignmentLossWeights(blocks=0.0, slots=0.0, removed=1.0)
    )


def seen_config() -> AssignmentConfig:
    """Return the preset `seen`: a trained net is trained on with blocks that the detector finds in pictures."""
    return AssignmentConfig(preset=SEEN_PRESET, epochs=8, learning_rate=4e-4, repeats=2)


ASSIGNMENT_PRESETS = {"assign": assign_config, DIRECT: direct_config, SEEN_PRESET: seen_config}
