"""Picture model: a trained picture net, run on pictures."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import PROBABILITIES, UNKNOWN, Answers, head_shapes
from anastylosis.models.onnx_model import OnnxModel, check_output
from anastylosis.models.picture_card import PictureCard, parse_picture_card
from anastylosis.models.session import Shape
from anastylosis.structure.tower import LAYERS_MAX

__all__ = ["PictureModel"]

BATCH = 64  # pictures at once: more take memory and gain nothing

Floats = NDArray[np.float32]


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
        """Return the shape of each head of the model, without the axis of pictures."""
        shapes = head_shapes(card.layers, len(card.frictions))
        return {head: shapes[head] for head in card.heads}

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs: the picture and, if it was trained with them, friction and height."""
        return [each.name for each in self.session.get_inputs()]

    def run(self, pictures: NDArray[np.uint8], friction: ArrayLike = UNKNOWN, layers: ArrayLike = 0) -> Answers:
        """Return the answers for `pictures` (N, S, S), grey bytes. They are calibrated and in SI units; NaN raises.

        `friction` (N,): rows of the card's levels, or -1. `layers` (N,): the height of the tower that fell, or 0 where it is not
        known. One number is for all pictures.
        """
        side = self.card.size
        if pictures.dtype != np.uint8 or pictures.ndim != 3 or pictures.shape[1:] != (side, side) or len(pictures) == 0:
            raise InvalidInput(f"pictures are uint8 (N, {side}, {side}), got {pictures.dtype} {pictures.shape}")
        levels = one_hot(friction, len(pictures), len(self.card.frictions))
        heights = check_heights(layers, len(pictures))
        batches = [slice(first, first + BATCH) for first in range(0, len(pictures), BATCH)]
        parts = [self.run_batch(pictures[rows], levels[rows], heights[rows]) for rows in batches]
        return Answers(**{head: np.concatenate([part[head] for part in parts]) for head in self.card.heads})

    def run_batch(self, pictures: NDArray[np.uint8], levels: Floats, heights: Floats) -> dict[str, Floats]:
        """Return the answers for one batch, by head."""
        grey = pictures[:, None].astype(np.float32) / 255
        all_given = {"picture": grey, "friction": levels, "layers": heights}
        given = {name: all_given[name] for name in self.inputs}
        wanted = self.output_shapes(self.card)
        answers = self.run_session(self.card.heads, given)
        return {
            head: check_output(head, answer, (len(grey), *wanted[head]), probability=head in PROBABILITIES)
            for head, answer in answers.items()
        }


def one_hot(friction: ArrayLike, pictures: int, levels: int) -> Floats:
    """Encode the levels of friction as (N, F): a 1 at the level of each picture; zeros where it is unknown."""
    rows = np.asarray(friction)
    if rows.dtype.kind not in "iu" or rows.shape not in ((), (pictures,)) or not ((rows >= UNKNOWN) & (rows < levels)).all():
        raise InvalidInput(f"friction is {friction!r}; it is one of {UNKNOWN}..{levels - 1} for each of {pictures} pictures")
    return (np.broadcast_to(rows, pictures)[:, None] == np.arange(levels)).astype(np.float32)


def check_heights(layers: ArrayLike, pictures: int) -> Floats:
    """Return the heights (N,) of the towers as floats; 0 is unknown."""
    heights = np.asarray(layers)
    if (
        heights.dtype.kind not in "iu"
        or heights.shape not in ((), (pictures,))
        or not ((heights >= 0) & (heights <= LAYERS_MAX)).all()
    ):
        raise InvalidInput(f"layers is {layers!r}; it is a height, 0..{LAYERS_MAX}, for each of {pictures} pictures")
    return np.broadcast_to(heights, pictures).astype(np.float32)
