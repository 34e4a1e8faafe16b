"""Card: what a model file says about itself. It travels in the file's metadata, as JSON; a file may say anything."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, PLACES, name_slots

__all__ = [
    "ASSIGNMENT", "CARD_KEY", "FORMAT", "HISTORY_KEY", "LAYERS_MAX", "SCALARS", "Calibration", "ModelCard", "Range", "View",
    "check_names", "check_numbers", "check_whole", "explain_card", "load_card", "parse_card", "write_card",
]  # fmt: skip

CARD_KEY = "anastylosis"  # of the metadata
ASSIGNMENT = "assignment"  # the kind of models that read no pictures; their card is another
HISTORY_KEY = "anastylosis_history"  # how the training went: one row an epoch
FORMAT = 1  # raised when a field changes its name or meaning
PREPROCESSING = (
    "grey (ITU-R BT.601) / 255, each pixel the mean of the area it covers; bands in the rim's median grey if not square"
)
SIDE_MAX = 2048  # [pixels] of a model's picture
LAYERS_MAX = 1000
REACH_MAX = 100.0  # [m] of the floor in a model's picture
NAME = re.compile(r"[\w.+-]{1,60}")  # of presets, kinds and versions: they come into tables
SCALARS = ("num_removed", "imbalance", "torque_risk")  # the heads that are one number


@dataclass(frozen=True, kw_only=True)
class View:
    """The camera whose pictures a model has learned to read. Angles in radians, lengths in metres."""

    elevation: float
    azimuth: float
    field_of_view: float
    reach: float  # how far along x and y the picture shows the floor
    layers: int  # of the tallest tower that it shows whole


@dataclass(frozen=True, kw_only=True)
class Range:
    """A number as training saw it: its mean, and where nine in ten of its values were."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How far answers were from the truth on the validation split, which training did not see."""

    slope: float  # of the slots' logits, applied in the file: 1 is untouched
    offset: float
    half_width: dict[str, float]  # nine in ten of the true numbers were within this of the answer
    examples: int


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """One model. Everything in SI units."""

    kind: str  # picture_net or ridge
    preset: str
    size: int  # sides of its picture [pixels]
    layers: int  # slots are PLACES times this
    frictions: dict[str, float]  # level -> coefficient, in the order of the input
    heads: tuple[str, ...]
    view: View
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many episodes of each split
    # What is to be said without looking: `removed_locs` (P,), a Range for each number; if known, also `failure_layer` (P / 3)
    # and `friction_level` (F,).
    prior: dict[str, Any]
    calibration: Calibration
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    preprocessing: str = PREPROCESSING
    format: int = FORMAT

    @property
    def slots(self) -> list[str]:
        return name_slots(self.layers)

    def range_of(self, name: str) -> Range:
        """What training saw of a number."""
        return Range(**self.prior[name])


def write_card(card: ModelCard) -> str:
    """The card as JSON, for the metadata. Levels of friction keep their order: it is that of the input."""
    return json.dumps(asdict(card) | {"slots": card.slots}, allow_nan=False)


def parse_card(text: str) -> ModelCard:
    """The card in a file's metadata; refuses what is not one of ours, or of another format."""
    document = load_card(text)
    if document.get("kind") == ASSIGNMENT:
        raise InvalidInput("it does not read pictures; it assigns surveyed blocks, so give it to `anastylosis assign`")
    with explain_card():
        card = build_card(document)
        check_card(card)
    return card


@contextmanager
def explain_card() -> Iterator[None]:
    """Say of a card that lacks a part, or has one of another kind, that it is not one of ours."""
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(f"its description is not one of ours ({error!s:.200})") from error


def load_card(text: str) -> dict[str, Any]:
    """A card of any kind as a document; refuses what is not one of ours, or of another format."""
    try:
        document = json.loads(text)
        found = document["format"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise InvalidInput("its description is not one of ours") from error
    if found != FORMAT:
        raise InvalidInput(
            f"it has format {found!r:.20}, and this version reads {FORMAT}; train it again, or take another version"
        )
    return dict(document)


def build_card(document: Mapping[str, Any]) -> ModelCard:
    parts = {name: value for name, value in document.items() if name != "slots"}  # for other readers; ours follow from `layers`
    parts["view"] = View(**parts["view"])
    parts["calibration"] = Calibration(**parts["calibration"])
    parts["heads"] = tuple(parts["heads"])
    return ModelCard(**parts)


def check_card(card: ModelCard) -> None:
    """Raise unless every part that is used to predict is of the kind it has to be."""
    check_whole("size", card.size, SIDE_MAX)
    check_whole("layers", card.layers, LAYERS_MAX)
    check_numbers("friction", list(card.frictions.values()))
    if not card.frictions:
        raise ValueError("there is no level of friction")
    if not set(card.heads) <= set(HEADS) or not set(HEADS[:4]) <= set(card.heads) or len(set(card.heads)) != len(card.heads):
        raise ValueError(f"heads are {card.heads!r}")
    check_names(kind=card.kind, preset=card.preset, version=card.version)
    check_prior(card)
    for name in SCALARS:
        found, half_width = card.range_of(name), card.calibration.half_width[name]
        check_numbers(name, [found.mean, found.low, found.high, half_width])
        if found.low > found.high or half_width < 0:
            raise ValueError(f"the range of {name} ends before it begins")
    check_view(card.view)
    episodes = card.dataset["episodes"]
    check_numbers("dataset", [episodes["train"], episodes["val"]])


def check_view(view: View) -> None:
    check_whole("layers of the view", view.layers, LAYERS_MAX)
    check_numbers("view", list(asdict(view).values()))
    if not 0 <= view.elevation <= math.pi / 2 or not 0.01 <= view.field_of_view <= 3 or not 0 < view.reach <= REACH_MAX:
        raise ValueError("the view is none that a camera has")


def check_prior(card: ModelCard) -> None:
    """Raise unless the prior has a probability for each slot; and for each layer and level, if it tells of them."""
    lengths = {"removed_locs": PLACES * card.layers, "failure_layer": card.layers, "friction_level": len(card.frictions)}
    for name, length in lengths.items():
        if name != "removed_locs" and name not in card.prior:
            continue
        values = list(card.prior[name])
        check_numbers("prior", values)
        if len(values) != length or not all(0 <= value <= 1 for value in values):
            raise ValueError(f"the prior of {name} is not {length} probabilities")


def check_names(**names: Any) -> None:
    for what, name in names.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise TypeError(f"{what} is no name")


def check_whole(name: str, value: Any, most: int) -> None:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{name} is {value!r}")


def check_numbers(name: str, values: list[Any]) -> None:
    if not all(type(value) in (int, float) and math.isfinite(value) for value in values):
        raise ValueError(f"{name} is not of finite numbers")
