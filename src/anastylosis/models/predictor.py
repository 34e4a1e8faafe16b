"""Predictor: a picture of debris in, a prediction of how the tower stood out, with ranges."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import UNKNOWN, Answers, to_coefficient
from anastylosis.models.picture import read_picture, warn_of_camera
from anastylosis.models.picture_model import SCALARS, PictureCard, PictureModel
from anastylosis.models.shipped import SHIPPED
from anastylosis.models.unlikeness import UNTOLD
from anastylosis.structure import BLOCKS_PER_COURSE, FRICTION_MAX, LAYERS_MAX
from anastylosis.units import metres_to_millimetres

LAYERS_MIN = 3  # of a game: from the two top layers no block is taken
BLANK = "it is all of one shade: there is nothing to see, and the answer is what training saw on average"


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number, and the range that holds the true one nine times in ten."""

    value: float
    low: float
    high: float
    counted: bool = False  # it was counted, so it is exact

    def words(self, decimals: int = 1) -> str:
        """Return it as text: `3.2 (1.7 to 4.7)`, or `3, counted`."""
        value, low, high = (f"{number:.{decimals}f}" for number in (self.value, self.low, self.high))
        return f"{self.value:g}, counted" if self.counted else f"{value} ({low} to {high})"

    def clip(self, least: float, most: float = math.inf) -> "Estimate":
        """Return the estimate with its numbers clipped to a range."""
        value, low, high = (min(max(number, least), most) for number in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """State of the tower before the fatal pull, predicted from one picture. SI units; slots and layers from the floor up."""

    num_removed: Estimate  # slots that were empty
    removed_locs: Mapping[str, float]  # slot -> probability that it was
    imbalance: Estimate  # minus the balance margin [m]
    torque_risk: Estimate  # moves of the kind side_xaxis, the fatal one included
    failure_layer: int | None  # that most probably gave way, 0 at the bottom; None: the model has no such head
    failure_layer_probability: float | None
    friction: Mapping[str, float]  # level -> probability, from the picture alone; empty: the model has no such head
    friction_given: str  # level given to the model, or "unknown"
    layers: int  # whose slots are listed: those given, else all that the model knows
    layers_given: int | None  # height given to the model
    preset: str  # of the model
    answered_by: str  # "model", or "prior" when there was nothing to look at
    warnings: tuple[str, ...] = ()
    unlikeness: float | None = None  # score of the picture; above 1 is unlike what the model knows. None: not measured

    @property
    def unlike(self) -> bool:
        """True if the picture is unlike any that the model has learned from: its answer is worth nothing."""
        return self.unlikeness is not None and self.unlikeness > 1

    def __repr__(self) -> str:
        """Say the answer in a line."""
        layer = "" if self.failure_layer is None else f", layer {self.failure_layer} gave way"
        doubts = f"; {len(self.warnings)} warnings, the first: {self.warnings[0]}" if self.warnings else ""
        return f"<Prediction: {self.num_removed.words()} slots empty{layer}{doubts}>"

    def as_document(self) -> dict[str, Any]:
        """Return the document of `anastylosis predict --json`, in its units."""
        count, imbalance, torque = self.num_removed, self.imbalance, self.torque_risk
        return {
            "num_removed": count.value,
            "num_removed_low": count.low,
            "num_removed_high": count.high,
            "removed_locs": dict(self.removed_locs),
            "imbalance_mm": metres_to_millimetres(imbalance.value),
            "imbalance_low_mm": metres_to_millimetres(imbalance.low),
            "imbalance_high_mm": metres_to_millimetres(imbalance.high),
            "torque_risk": torque.value,
            "torque_risk_low": torque.low,
            "torque_risk_high": torque.high,
            "failure_layer": self.failure_layer,
            "failure_layer_probability": self.failure_layer_probability,
            "friction": dict(self.friction),
            "friction_given": self.friction_given,
            "layers": self.layers,
            "layers_given": self.layers_given,
            "model": self.preset,
            "answered_by": self.answered_by,
            "unlikeness": self.unlikeness,
            "unlike": None if self.unlikeness is None else self.unlike,
            "warnings": list(self.warnings),
        }


def predict_from_answers(
    card: PictureCard, answers: Answers, *, given: str, layers: int | None, warnings: tuple[str, ...]
) -> Prediction:
    """Return the prediction from the first row of a model's answers; ranges are those of the validation split."""
    widths = card.calibration.half_width
    values = {name: float(getattr(answers, name)[0]) for name in SCALARS}
    estimates = {name: Estimate(value=v, low=v - widths[name], high=v + widths[name]) for name, v in values.items()}
    shares = {
        "removed_locs": answers.removed_locs[0],
        "failure_layer": None if answers.failure_layer is None else answers.failure_layer[0],
        "friction_level": None if answers.friction_level is None else answers.friction_level[0],
    }
    return assemble(card, estimates, shares, "model", given=given, layers=layers, warnings=warnings)


def predict_from_prior(card: PictureCard, *, given: str, layers: int | None, warnings: tuple[str, ...]) -> Prediction:
    """Return the prediction from the means and ranges of the training data, whatever the picture shows."""
    ranges = {name: card.range_of(name) for name in SCALARS}
    estimates = {name: Estimate(value=seen.mean, low=seen.low, high=seen.high) for name, seen in ranges.items()}
    shares = {name: card.prior.get(name) for name in ("removed_locs", "failure_layer", "friction_level")}
    return assemble(card, estimates, shares, "prior", given=given, layers=layers, warnings=warnings)


def assemble(
    card: PictureCard,
    estimates: Mapping[str, Estimate],
    shares: Mapping[str, Any],
    answered_by: str,
    *,
    given: str,
    layers: int | None,
    warnings: tuple[str, ...],
) -> Prediction:
    """Name the numbers; slots and layers above the height of the tower are left out."""
    height = min(layers or card.layers, card.layers)
    slots = BLOCKS_PER_COURSE * height
    layer, probability = find_layer(shares["failure_layer"], height)
    levels = shares["friction_level"]
    return Prediction(
        num_removed=estimates["num_removed"].clip(0.0, math.inf if layers is None else BLOCKS_PER_COURSE * layers),
        removed_locs={slot: float(share) for slot, share in zip(card.slots[:slots], shares["removed_locs"][:slots], strict=True)},
        imbalance=estimates["imbalance"],
        torque_risk=estimates["torque_risk"].clip(0.0),
        failure_layer=layer,
        failure_layer_probability=probability,
        friction={} if levels is None else {name: float(p) for name, p in zip(card.frictions, levels, strict=True)},
        friction_given=given,
        layers=height,
        layers_given=layers,
        preset=card.preset,
        answered_by=answered_by,
        warnings=warnings,
    )


def find_layer(shares: Any, height: int) -> tuple[int | None, float | None]:
    """Return the most probable of the lowest `height` layers, and its share among them."""
    if shares is None:
        return None, None
    among = np.asarray(shares, np.float64)[:height]
    if among.sum() <= 0:
        return None, None
    layer = int(among.argmax())
    return layer, float(among[layer] / among.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictor:
    """Predicts with a trained picture net, one picture at a time."""

    model: PictureModel

    @classmethod
    def from_file(cls, path: str | Path | None = None, threads: int = 1) -> "Predictor":
        """Open a model that `anastylosis train` has written, or the one that ships."""
        return cls(model=PictureModel.from_file(path or SHIPPED, threads))

    @property
    def card(self) -> PictureCard:
        """Card of the model: the camera it knows, its levels of friction, its errors."""
        return self.model.card

    def predict(self, image: Any, friction: str | float | None = None, layers: int | None = None) -> Prediction:
        """Predict how the tower stood whose debris `image` shows.

        `image`: a path, a Pillow image or an array (H, W), (H, W, 3) or (H, W, 4). `friction`: a level of the card, a
        coefficient (the nearest level is taken), or None or "unknown". `layers`: height of the tower, if known; it is
        given to the model, and slots above are left out. A picture of one shade is answered without the net. The first warning
        says when the picture is unlike those that the net knows.
        """
        level, given, notes = find_level(self.card, friction)
        notes += check_layers(self.card, layers)
        picture = read_picture(image, self.card.size)
        warnings = (*picture.warnings, *warn_of_camera(picture.camera, self.card.view), *notes)
        if picture.is_blank:
            return predict_from_prior(self.card, given=given, layers=layers, warnings=(*warnings, BLANK))
        score, doubts = self.doubt(picture.grey)
        answers = self.model.run(picture.grey[None], level, layers or 0)
        found = predict_from_answers(self.card, answers, given=given, layers=layers, warnings=(*doubts, *warnings))
        return replace(found, unlikeness=score)

    def doubt(self, grey: NDArray[np.uint8]) -> tuple[float | None, list[str]]:
        """Return the unlikeness of a picture (S, S), and a warning if it is unlike those that the net knows, or none can tell."""
        scores, about = self.model.measure_unlikeness(grey[None]), self.card.unlikeness
        if scores is None or about is None:
            return None, [UNTOLD]
        score = float(scores[0])
        return score, [about.describe(score)] if score > 1 else []


def find_level(card: PictureCard, friction: str | float | None) -> tuple[int, str, list[str]]:
    """Return the row of a level in the model's input, its name, and warnings."""
    names = list(card.frictions)
    if friction is None or friction == "unknown":
        return UNKNOWN, "unknown", []
    if friction in names:
        return names.index(str(friction)), str(friction), []
    value = to_coefficient(friction)
    if value is None:
        choices = ", ".join([*names, "unknown"])
        raise InvalidInput(f"friction is {friction!r}; choose one of {choices}, or a coefficient above 0, up to {FRICTION_MAX:g}")
    nearest = min(names, key=lambda name: abs(card.frictions[name] - value))
    known = card.frictions.values()
    if min(known) <= value <= max(known):
        return names.index(nearest), nearest, []
    note = f"friction {value:g} is outside what the model knows, {min(known):g} to {max(known):g}; it was told {nearest}"
    return names.index(nearest), nearest, [note]


def check_layers(card: PictureCard, layers: int | None) -> list[str]:
    """Return warnings about a tower of so many layers; raise when no tower has so many."""
    if layers is None:
        return []
    if isinstance(layers, bool) or not isinstance(layers, int | np.integer) or not LAYERS_MIN <= layers <= LAYERS_MAX:
        raise InvalidInput(f"layers is {layers!r}; a tower has a whole number of them, {LAYERS_MIN} to {LAYERS_MAX}")
    if layers > card.layers:
        return [f"the model knows towers of up to {card.layers} layers; of {layers}, slots above are left out"]
    return []
