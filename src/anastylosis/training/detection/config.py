"""Settings of the detector's trainings."""

from dataclasses import dataclass, field

from anastylosis.detection.nets import DETECTOR_MODELS, REFINER, RESCORER, SLOT_CLASSIFIER, VOTE_NET, DetectorModel
from anastylosis.errors import InvalidConfig
from anastylosis.training.detection.scenes import SceneRecipe


@dataclass(frozen=True, kw_only=True)
class DetectorConfig:
    """Settings of one training. An epoch is a number of pictures, each drawn anew; proposals for a rescorer are cached."""

    preset: str
    scenes: SceneRecipe = field(
        default_factory=SceneRecipe
    )  # of a rescorer which are drawn; how they are photographed `photos` says
    pictures: int  # an epoch; of a rescorer: scenes in all, if there are collapses enough
    validation_pictures: int  # pictures of the validation split, always the same

    epochs: int
    learning_rate: float = 2e-3  # of AdamW
    learning_rate_floor: float = 1 / 100  # where the cosine ends, in units of `learning_rate`
    learning_rate_new_layers: float = 1e-2  # of layers that the start model lacks, while they alone are trained
    warm_up: float = 0.02  # share of all steps over which the rate rises
    weight_decay: float = 0.01
    ema_decay: float = 0.99  # what each step keeps of the mean of the weights
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low, high in (
            ("pictures", 1, 10**6), ("validation_pictures", 1, 10**4), ("epochs", 1, 10**6), ("learning_rate", 1e-9, 1),
            ("learning_rate_floor", 0, 1),
            ("learning_rate_new_layers", 1e-9, 1),
            ("warm_up", 0, 1), ("weight_decay", 0, 1), ("ema_decay", 0, 0.9999), ("seed", 0, 2**63),
        ):  # fmt: skip
            value = getattr(self, name)
            if not low <= value <= high:
                raise InvalidConfig(f"{name} is {value}; it must be in {low:g}..{high:g}")

    @property
    def model(self) -> type[DetectorModel]:
        """Class that opens the trained file."""
        return DETECTOR_MODELS[self.preset]


def vote_net_config() -> DetectorConfig:
    """Return the preset `vote_net`: pixels that vote for fallen blocks."""
    return DetectorConfig(preset=VOTE_NET, pictures=96, validation_pictures=32, epochs=320)


def slot_classifier_config() -> DetectorConfig:
    """Return the preset `slot_classifier`: whether a block is in a slot of the tower."""
    return DetectorConfig(preset=SLOT_CLASSIFIER, pictures=64, validation_pictures=48, epochs=60)


def refiner_config() -> DetectorConfig:
    """Return the preset `refiner`: which proposals of a vote net are blocks, and where exactly."""
    return DetectorConfig(preset=REFINER, pictures=96, validation_pictures=64, epochs=80, learning_rate=1.5e-3)


def rescorer_config() -> DetectorConfig:
    """Return the preset `rescorer`: which of the refined blocks are there, from their neighbours."""
    return DetectorConfig(
        preset=RESCORER, pictures=3400, validation_pictures=204, epochs=18, learning_rate=1.5e-3, warm_up=0.1, weight_decay=0.02
    )


DETECTOR_PRESETS = {
    VOTE_NET: vote_net_config,
    SLOT_CLASSIFIER: slot_classifier_config,
    REFINER: refiner_config,
    RESCORER: rescorer_config,
}
