"""Model: one trained `.onnx` file, opened with care and run on pictures. The only file here that loads onnxruntime."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import InvalidInput
from anastylosis.predict.answers import PLACES, UNKNOWN, Answers
from anastylosis.predict.card import CARD_KEY, HISTORY_KEY, LAYERS_MAX, ModelCard, parse_card
from anastylosis.predict.onnx_bytes import has_external_data

__all__ = ["BYTES_MAX", "UNKNOWN", "Model"]

BYTES_MAX = 300_000_000  # of a model file; a ResNet-18 has 45 MB
BATCH = 64  # pictures at once: more take memory and gain nothing
SILENT = 4  # onnxruntime's own log: only what ends the process
PROBABILITIES = ("removed_locs", "failure_layer", "friction_level")
SLACK = 1e-3  # of a probability, for the rounding of the network

Floats = NDArray[np.float32]
Shape = tuple[int | None, ...]  # without the axis of pictures; None: any length


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A network and its card. One session answers on `threads` cores; give each process its own."""

    card: ModelCard
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> "Model":
        """Open a model that `anastylosis train` has written; refuses every other file."""
        path = Path(path)
        data = read_bytes(path)
        try:
            session = open_session(data, threads)
            text = session.get_modelmeta().custom_metadata_map.get(CARD_KEY)
            if text is None:
                raise InvalidInput("it is an ONNX file without a description of ours: `anastylosis train` did not write it")
            card = parse_card(text)
            check_inputs(session, card)
            check_outputs(session, card)
        except UnicodeDecodeError as error:  # onnxruntime decodes names and descriptions when they are asked for
            raise InvalidInput(f"{path} cannot be used as a model: its names or its description are not text") from error
        except InvalidInput as error:
            raise InvalidInput(f"{path} cannot be used as a model: {error}") from error
        return cls(card=card, session=session)

    @property
    def inputs(self) -> list[str]:
        """What it is told: the picture and, if it has learned to use them, friction and height."""
        return [each.name for each in self.session.get_inputs()]

    @property
    def history(self) -> list[dict[str, float]]:
        """How its training went, one row an epoch: `epoch`, `train`, `val`, and each term as val_<name>; none if it has none.

        What is not a row of finite numbers is left out: it is for looking at.
        """
        try:
            rows = json.loads(self.session.get_modelmeta().custom_metadata_map.get(HISTORY_KEY, "[]"))
        except (ValueError, RecursionError):
            return []
        return [row for row in rows if is_epoch(row)] if isinstance(rows, list) else []

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
        try:
            found = self.session.run(list(self.card.heads), given)
        except Exception as error:  # onnxruntime's errors have no class in common but this
            raise InvalidInput(f"the model cannot be run: {first_line(error)}") from error
        wanted = head_shapes(self.card)
        answers = dict(zip(self.card.heads, found, strict=True))
        return {head: check_answer(head, answer, len(grey), wanted[head]) for head, answer in answers.items()}


def is_epoch(row: Any) -> bool:
    """Whether this is a row of a history: named finite numbers, and the three that every row has."""
    return (
        isinstance(row, dict)
        and {"epoch", "train", "val"} <= set(row)
        and all(type(value) in (int, float) and math.isfinite(value) for value in row.values())
    )


def read_bytes(path: Path) -> bytes:
    """A model file in memory: what is not in it is not loaded."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; a model is one .onnx file")
    if not path.is_file():
        raise InvalidInput(f"there is no model {path}; `anastylosis train DATASET --out {path}` makes one")
    size = path.stat().st_size
    if size > BYTES_MAX:
        raise InvalidInput(f"{path} has {size / 1e6:,.0f} MB; a model has at most {BYTES_MAX / 1e6:,.0f}")
    return path.read_bytes()


def open_session(data: bytes, threads: int) -> Any:
    try:
        external = has_external_data(data)
    except ValueError as error:
        raise InvalidInput(f"it is not an ONNX file, or only a part of one ({error})") from error
    if external:
        raise InvalidInput("it keeps its weights in another file, and none but the model itself is read; save it as one file")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = SILENT
    options.add_session_config_entry("session.load_model_format", "ONNX")  # the one that was looked through
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    try:
        # Without "fallback": else it prints on stdout when it fails, and tries the same again.
        return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"], enable_fallback=0)
    except Exception as error:  # onnxruntime's errors have no class in common but this
        raise InvalidInput(f"it is not an ONNX file, or only a part of one ({first_line(error)})") from error


def check_inputs(session: Any, card: ModelCard) -> None:
    wanted: dict[str, Shape] = {"picture": (1, card.size, card.size), "friction": (len(card.frictions),)}
    found = {each.name: each for each in session.get_inputs()}
    if "layers" in found:  # not every model is told the height
        wanted["layers"] = ()
    check_names("inputs", found, wanted)


def check_outputs(session: Any, card: ModelCard) -> None:
    shapes = head_shapes(card)
    check_names("outputs", {each.name: each for each in session.get_outputs()}, {head: shapes[head] for head in card.heads})


def check_names(what: str, found: Mapping[str, Any], wanted: Mapping[str, Shape]) -> None:
    """Raise unless the file has these tensors and no others, of these shapes after the axis of pictures."""
    if set(found) != set(wanted):
        raise InvalidInput(f"its {what} are {', '.join(sorted(found))}, and its description tells of {', '.join(sorted(wanted))}")
    for name, shape in wanted.items():
        sides = list(found[name].shape or [])
        same = len(sides) == 1 + len(shape) and not isinstance(sides[0], int)
        same = same and all(None in (a, b) or not isinstance(a, int) or a == b for a, b in zip(sides[1:], shape, strict=True))
        if not same or found[name].type != "tensor(float)":
            raise InvalidInput(f"its {name} is {found[name].type} {sides}; float {tell_shape(shape)} is needed")


def head_shapes(card: ModelCard) -> dict[str, Shape]:
    """The shape of each head, without the axis of pictures."""
    slots = PLACES * card.layers
    one: Shape = ()
    return {
        "num_removed": one,
        "removed_locs": (slots,),
        "imbalance": one,
        "torque_risk": one,
        "failure_layer": (card.layers,),
        "friction_level": (len(card.frictions),),
        "block_set": (slots, 6),
        "displacement": (slots, 2),
        "embedding": (None,),
    }


def tell_shape(shape: Shape) -> str:
    return f"({', '.join(['N', *('any' if side is None else str(side) for side in shape)])})"


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


def first_line(error: Exception) -> str:
    """The beginning of what onnxruntime says; the rest is about its own source."""
    return (str(error).splitlines() or ["no reason given"])[0][:200]
