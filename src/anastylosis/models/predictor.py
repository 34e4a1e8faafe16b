"""Predictor: a picture of debris in, a prediction of how the tower stood out. `from anastylosis import Predictor`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import UNKNOWN, to_coefficient
from anastylosis.models.picture import read_picture, warn_of_camera
from anastylosis.models.picture_model import PictureCard, PictureModel
from anastylosis.models.prediction import Prediction, predict_from_answers, predict_from_prior
from anastylosis.models.shipped import SHIPPED
from anastylosis.structure import FRICTION_MAX, LAYERS_MAX

LAYERS_MIN = 3  # of a game: from the two top layers no block is taken
BLANK = "it is all of one shade: there is nothing to see, and the answer is what training saw on average"


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
        given to the model, and slots above are left out. A picture of one shade is answered without the net.
        """
        level, given, notes = find_level(self.card, friction)
        notes += check_layers(self.card, layers)
        picture = read_picture(image, self.card.size)
        warnings = (*picture.warnings, *warn_of_camera(picture.camera, self.card.view), *notes)
        if picture.is_blank:
            return predict_from_prior(self.card, given=given, layers=layers, warnings=(*warnings, BLANK))
        answers = self.model.run(picture.grey[None], level, layers or 0)
        return predict_from_answers(self.card, answers, given=given, layers=layers, warnings=warnings)


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
