"""Picture model: a trained picture net, run on pictures, and its card."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Shape, Singles
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, PROBABILITIES, UNKNOWN, Answers, head_shapes, name_slots
from anastylosis.models.card import ModelCard
from anastylosis.models.onnx_model import OnnxModel
from anastylosis.models.unlikeness import OUTPUT, Unlikeness, build_unlikeness
from anastylosis.structure import BLOCKS_PER_COURSE, LAYERS_MAX

PREPROCESSING = (
    "grey (ITU-R BT.601) / 255, each pixel the mean of the area it covers; bands in the rim's median grey if not square"
)
SIDE_MAX = 2048  # [pixels] of a model's picture
REACH_MAX = 100.0  # [m] of the floor in a model's picture
SCALARS = ("num_removed", "imbalance", "torque_risk")  # the heads that are one number
BATCH = 64  # pictures at once: more take memory and gain nothing


@dataclass(frozen=True, kw_only=True)
class PictureView:
    """Camera of the pictures that a model was trained on. Angles in radians, lengths in metres."""

    elevation: float
    azimuth: float
    field_of_view: float
    reach: float  # how far along x and y the picture shows the floor
    layers: int  # of the tallest tower that it shows whole


@dataclass(frozen=True, kw_only=True)
class Range:
    """Mean of a number in the training data, and the range of nine in ten of its values."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class PictureCalibration:
    """Calibration of the answers, and their errors on the validation split."""

    slope: float  # of the slots' logits, applied in the file: 1 is untouched
    offset: float
    half_width: dict[str, float]  # nine in ten of the true numbers were within this of the answer
    examples: int


@dataclass(frozen=True, kw_only=True)
class PictureCard(ModelCard):
    """Card of one picture net. SI units."""

    kind: str  # picture_net or ridge
    preset: str
    size: int  # sides of its picture [pixels]
    layers: int  # of the tallest tower that it knows
    frictions: dict[str, float]  # level -> coefficient, in the order of the input
    heads: tuple[str, ...]
    view: PictureView
    config: dict[str, Any]  # the whole configuration of the training
    dataset: dict[str, Any]  # fingerprint, and how many episodes of each split
    # Means over the training data: `removed_locs` (P,), a Range for each number; if known, also `failure_layer` (P / 3) and
    # `friction_level` (F,).
    prior: dict[str, Any]
    calibration: PictureCalibration
    metrics: dict[str, float]  # on the validation split
    version: str  # of Anastylosis
    preprocessing: str = PREPROCESSING
    unlikeness: Unlikeness | None = None  # None: it cannot tell whether it knows a picture
    format: int = ModelCard.FORMAT

    @property
    def slots(self) -> list[str]:
        """Names of the slots, in the order of the outputs."""
        return name_slots(self.layers)

    def range_of(self, name: str) -> Range:
        """Return the mean and range of a number in the training data."""
        return Range(**self.prior[name])


def write_picture_card(card: PictureCard) -> str:
    """Return the card as JSON for the metadata. Levels of friction keep their order: it is that of the input."""
    return json.dumps(asdict(card) | {"slots": card.slots}, allow_nan=False)


def parse_picture_card(text: str) -> PictureCard:
    """Parse the card in a file's metadata; raise for what is not the card of a picture net."""
    return ModelCard.read(text, check_kind, build_card)


def check_kind(kind: Any) -> None:
    """Raise for an assignment model."""
    if kind == ModelCard.ASSIGNMENT:
        raise InvalidInput("it does not read pictures; it assigns surveyed blocks, so give it to `anastylosis assign`")


def build_card(document: Mapping[str, Any]) -> PictureCard:
    """Build the card; raise for parts that cannot be right."""
    parts = {name: value for name, value in document.items() if name != "slots"}  # for other readers; ours follow from `layers`
    parts["view"] = PictureView(**parts["view"])
    parts["calibration"] = PictureCalibration(**parts["calibration"])
    parts["heads"] = tuple(parts["heads"])
    parts["unlikeness"] = build_unlikeness(parts.get("unlikeness"))
    card = PictureCard(**parts)
    check_card(card)
    return card


def check_card(card: PictureCard) -> None:
    """Raise unless every part that predictions use is in its range."""
    ModelCard.check_whole("size", card.size, SIDE_MAX)
    ModelCard.check_whole("layers", card.layers, LAYERS_MAX)
    ModelCard.check_numbers("friction", list(card.frictions.values()))
    if not card.frictions:
        raise ValueError("there is no level of friction")
    if not set(card.heads) <= set(HEADS) or not set(HEADS[:4]) <= set(card.heads) or len(set(card.heads)) != len(card.heads):
        raise ValueError(f"heads are {card.heads!r}")
    ModelCard.check_names(kind=card.kind, preset=card.preset, version=card.version)
    check_prior(card)
    for name in SCALARS:
        found, half_width = card.range_of(name), card.calibration.half_width[name]
        ModelCard.check_numbers(name, [found.mean, found.low, found.high, half_width])
        if found.low > found.high or half_width < 0:
            raise ValueError(f"the range of {name} ends before it begins")
    check_view(card.view)
    episodes = card.dataset["episodes"]
    ModelCard.check_numbers("dataset", [episodes["train"], episodes["val"]])


def check_view(view: PictureView) -> None:
    """Raise unless a camera can have this view."""
    ModelCard.check_whole("layers of the view", view.layers, LAYERS_MAX)
    ModelCard.check_numbers("view", list(asdict(view).values()))
    if not 0 <= view.elevation <= math.pi / 2 or not 0.01 <= view.field_of_view <= 3 or not 0 < view.reach <= REACH_MAX:
        raise ValueError("the view is none that a camera has")


def check_prior(card: PictureCard) -> None:
    """Raise unless the prior has a probability for each slot, and for each layer and level if it has any."""
    lengths = {
        "removed_locs": BLOCKS_PER_COURSE * card.layers,
        "failure_layer": card.layers,
        "friction_level": len(card.frictions),
    }
    for name, length in lengths.items():
        if name != "removed_locs" and name not in card.prior:
            continue
        values = list(card.prior[name])
        ModelCard.check_numbers("prior", values)
        if len(values) != length or not all(0 <= value <= 1 for value in values):
            raise ValueError(f"the prior of {name} is not {length} probabilities")


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureModel(OnnxModel):
    """A picture net and its card."""

    card: PictureCard

    @classmethod
    def parse_card(cls, text: str) -> PictureCard:
        """Parse the card; raise for one of another kind."""
        return parse_picture_card(text)

    @classmethod
    def input_shapes(cls, card: PictureCard, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of pictures; not every model takes the height."""
        shapes: dict[str, Shape] = {"picture": (1, card.size, card.size), "friction": (len(card.frictions),)}
        return shapes | ({"layers": ()} if "layers" in names else {})

    @classmethod
    def output_shapes(cls, card: PictureCard) -> dict[str, Shape]:
        """Return the shape of each head and of the unlikeness, without the axis of pictures."""
        shapes = head_shapes(card.layers, len(card.frictions))
        heads = {head: shapes[head] for head in card.heads}
        return heads if card.unlikeness is None else heads | {OUTPUT: (len(card.unlikeness.parts),)}

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs: the picture and, if it was trained with them, friction and height."""
        return [each.name for each in self.session.get_inputs()]

    def run(self, pictures: NDArray[np.uint8], friction: ArrayLike = UNKNOWN, layers: ArrayLike = 0) -> Answers:
        """Return the answers for `pictures` (N, S, S), grey bytes. They are calibrated and in SI units; NaN raises.

        `friction` (N,): rows of the card's levels, or -1. `layers` (N,): the height of the tower that fell, or 0 where it is not
        known. One number is for all pictures.
        """
        check_pictures(pictures, self.card.size)
        levels = one_hot(friction, len(pictures), len(self.card.frictions))
        heights = check_heights(layers, len(pictures))
        batches = [slice(first, first + BATCH) for first in range(0, len(pictures), BATCH)]
        parts = [self.run_batch(pictures[rows], levels[rows], heights[rows]) for rows in batches]
        return Answers(**{head: np.concatenate([part[head] for part in parts]) for head in self.card.heads})

    def measure_unlikeness(self, pictures: NDArray[np.uint8]) -> Singles | None:
        """Return the score (N,) of `pictures` (N, S, S): above 1 is unlike what the net knows. None: it cannot tell."""
        about = self.card.unlikeness
        if about is None:
            return None
        check_pictures(pictures, self.card.size)
        scores = []
        for first in range(0, len(pictures), BATCH):
            part = pictures[first : first + BATCH]
            untold = np.zeros((len(part), len(self.card.frictions)), np.float32), np.zeros(len(part), np.float32)
            scores.append(about.score(self.run_batch(part, *untold, outputs=(OUTPUT,))[OUTPUT]))
        return np.concatenate(scores)

    def run_batch(
        self, pictures: NDArray[np.uint8], levels: Singles, heights: Singles, outputs: tuple[str, ...] | None = None
    ) -> dict[str, Singles]:
        """Return the answers for one batch, by head, or the named outputs."""
        grey = pictures[:, None].astype(np.float32) / 255
        all_given = {"picture": grey, "friction": levels, "layers": heights}
        given = {name: all_given[name] for name in self.inputs}
        wanted = self.output_shapes(self.card)
        answers = self.run_session(outputs or self.card.heads, given)
        return {
            head: self.check_output(head, answer, (len(grey), *wanted[head]), probability=head in PROBABILITIES)
            for head, answer in answers.items()
        }


def check_pictures(pictures: NDArray[np.uint8], side: int) -> None:
    """Raise unless these are grey bytes (N, side, side), one picture or more."""
    if pictures.dtype != np.uint8 or pictures.ndim != 3 or pictures.shape[1:] != (side, side) or len(pictures) == 0:
        raise InvalidInput(f"pictures are uint8 (N, {side}, {side}), got {pictures.dtype} {pictures.shape}")


def one_hot(friction: ArrayLike, pictures: int, levels: int) -> Singles:
    """Encode the levels of friction as (N, F): a 1 at the level of each picture; zeros where it is unknown."""
    rows = np.asarray(friction)
    if rows.dtype.kind not in "iu" or rows.shape not in ((), (pictures,)) or not ((rows >= UNKNOWN) & (rows < levels)).all():
        raise InvalidInput(f"friction is {friction!r}; it is one of {UNKNOWN}..{levels - 1} for each of {pictures} pictures")
    return (np.broadcast_to(rows, pictures)[:, None] == np.arange(levels)).astype(np.float32)


def check_heights(layers: ArrayLike, pictures: int) -> Singles:
    """Return the heights (N,) of the towers as floats; 0 is unknown."""
    heights = np.asarray(layers)
    if (
        heights.dtype.kind not in "iu"
        or heights.shape not in ((), (pictures,))
        or not ((heights >= 0) & (heights <= LAYERS_MAX)).all()
    ):
        raise InvalidInput(f"layers is {layers!r}; it is a height, 0..{LAYERS_MAX}, for each of {pictures} pictures")
    return np.broadcast_to(heights, pictures).astype(np.float32)
