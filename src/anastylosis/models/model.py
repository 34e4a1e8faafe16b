"""Model: one trained `.onnx` file, run on pictures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import PROBABILITIES, UNKNOWN, Answers, head_shapes
from anastylosis.models.card import LAYERS_MAX, ModelCard, parse_card
from anastylosis.models.session import (
    Shape,
    check_names,
    explain_file,
    find_card,
    open_session,
    read_history,
    run_session,
    tell_shape,
)

__all__ = ["UNKNOWN", "Model"]

BATCH = 64  # pictures at once: more take memory and gain nothing
SLACK = 1e-3  # of a probability, for the rounding of the network

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A network and its card. One session answers on `threads` cores; give each process its own."""

    card: ModelCard
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "Model":
        """Open a model that `anastylosis train` has written; refuses every other file."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = parse_card(find_card(session))
            check_inputs(session, card)
            check_outputs(session, card)
        return cls(card=card, session=session)

    @property
    def inputs(self) -> list[str]:
        """What it is told: the picture and, if it has learned to use them, friction and height."""
        return [each.name for each in self.session.get_inputs()]

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch."""
        return read_history(self.session)

    def run(self, pictures: NDArray[np.uint8], friction: ArrayLike = UNKNOWN, layers: ArrayLike = 0) -> Answers:
        """What the network says about `pictures` (N, S, S), grey bytes, with `friction` (N,): rows of the card's levels, or -1,
        and `layers` (N,): the height of the tower that fell, or 0 where it is not known.

        One number is for all pictures. Answers are calibrated and in SI units; NaN raises.
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
        grey = pictures[:, None].astype(np.float32) / 255
        all_given = {"picture": grey, "friction": levels, "layers": heights}
        given = {name: all_given[name] for name in self.inputs}
        wanted = head_shapes(self.card.layers, len(self.card.frictions))
        answers = run_session(self.session, self.card.heads, given)
        return {head: check_answer(head, answer, len(grey), wanted[head]) for head, answer in answers.items()}


def check_inputs(session: Any, card: ModelCard) -> None:
    wanted: dict[str, Shape] = {"picture": (1, card.size, card.size), "friction": (len(card.frictions),)}
    found = {each.name: each for each in session.get_inputs()}
    if "layers" in found:  # not every model is told the height
        wanted["layers"] = ()
    check_names("inputs", found, wanted)


def check_outputs(session: Any, card: ModelCard) -> None:
    shapes = head_shapes(card.layers, len(card.frictions))
    check_names("outputs", {each.name: each for each in session.get_outputs()}, {head: shapes[head] for head in card.heads})


def one_hot(friction: ArrayLike, pictures: int, levels: int) -> Floats:
    """(N, F) with a 1 at the level of each picture; all zeros where it is unknown."""
    rows = np.asarray(friction)
    if rows.dtype.kind not in "iu" or rows.shape not in ((), (pictures,)) or not ((rows >= UNKNOWN) & (rows < levels)).all():
        raise InvalidInput(f"friction is {friction!r}; it is one of {UNKNOWN}..{levels - 1} for each of {pictures} pictures")
    return (np.broadcast_to(rows, pictures)[:, None] == np.arange(levels)).astype(np.float32)


def check_heights(layers: ArrayLike, pictures: int) -> Floats:
    """(N,) heights of towers as the network wants them; 0 is unknown."""
    heights = np.asarray(layers)
    if (
        heights.dtype.kind not in "iu"
        or heights.shape not in ((), (pictures,))
        or not ((heights >= 0) & (heights <= LAYERS_MAX)).all()
    ):
        raise InvalidInput(f"layers is {layers!r}; it is a height, 0..{LAYERS_MAX}, for each of {pictures} pictures")
    return np.broadcast_to(heights, pictures).astype(np.float32)


def check_answer(head: str, answer: Any, pictures: int, shape: Shape) -> Floats:
    """The answer of one head; raises when it has another shape than the card says, is not finite, or no probability."""
    values = np.asarray(answer, np.float32)
    if values.shape[:1] != (pictures,) or len(values.shape) != 1 + len(shape):
        raise InvalidInput(f"the model answers {head} in the shape {values.shape}; {tell_shape(shape)} is needed")
    if any(side not in (None, there) for side, there in zip(shape, values.shape[1:], strict=True)):
        raise InvalidInput(f"the model answers {head} in the shape {values.shape}; {tell_shape(shape)} is needed")
    if not np.isfinite(values).all():
        raise InvalidInput(f"the model answers {head} with what is not a finite number; train it again")
    if head in PROBABILITIES:
        if values.min() < -SLACK or values.max() > 1 + SLACK:
            raise InvalidInput(f"the model answers {head} with {values.min():g}..{values.max():g}; a probability is 0..1")
        values = values.clip(0, 1)
    return values
