"""ONNX model: one trained file, checked and opened, with its card. Each kind of net has a class with its inputs and outputs."""

import hashlib
import json
import math
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from anastylosis.arrays import Shape, Singles
from anastylosis.errors import InvalidInput
from anastylosis.models.card import CARD_KEY, HISTORY_KEY, load_card
from anastylosis.models.foreign_process import open_onnxruntime
from anastylosis.models.foreign_session import ForeignProcess, ForeignSession
from anastylosis.models.graph_check import check_graph
from anastylosis.models.shipped import HASHES
from anastylosis.models.wire import read_fields
from anastylosis.text_file import REASON_MAX

METADATA, KEY, VALUE = 14, 1, 2  # fields of a model, and of an entry of its metadata
GRAPH = 7  # field of a model (onnx.proto)
BYTES_MAX = 300_000_000  # of a model file; a ResNet-18 has 45 MB
DESCRIPTION_MAX = 5_000_000  # bytes of a card, and of a history; those that ship have 54,000
LABEL = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : ")  # begins each of its errors
SOURCE = re.compile(r"(?:[A-Za-z]:)?[/\\]\S+:\d+ (?:[^()]*\(.*?\)(?: const)? )?")  # where in its source, and in which function
SLACK = 1e-3  # by which a probability may be out of 0..1: rounding


@contextmanager
def explain_file(path: Path) -> Iterator[bytes]:
    """Give the bytes of a model file; errors within name the file."""
    data = read_bytes(path)
    try:
        yield data
    except UnicodeDecodeError as error:  # onnxruntime decodes names and descriptions when they are asked for
        raise InvalidInput(f"{path} cannot be used as a model: its names or its description are not text") from error
    except InvalidInput as error:
        raise InvalidInput(f"{path} cannot be used as a model: {error}") from error


def read_bytes(path: Path) -> bytes:
    """Read a model file into memory; raise for what is too large."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; a model is one .onnx file")
    if not path.is_file():
        raise InvalidInput(f"there is no model {path}; `anastylosis train picture`, `assign` or `detector` makes one")
    size = path.stat().st_size
    if size > BYTES_MAX:
        raise InvalidInput(f"{path} has {size / 1e6:,.0f} MB; a model has at most {BYTES_MAX / 1e6:,.0f}")
    return path.read_bytes()


def check_bytes(data: bytes) -> bool:
    """Return whether this model ships; raise unless every other one is whole, and has nothing but what models of ours have."""
    if hashlib.sha256(data).hexdigest() in HASHES:
        return True
    try:
        check_graph(data)
    except InvalidInput:  # is a ValueError, too
        raise
    except ValueError as error:
        raise InvalidInput(f"it is not an ONNX file, or only a part of one ({error})") from error
    return False


def open_session(data: bytes, threads: int, *, ships: bool = False, process: ForeignProcess | None = None) -> Any:
    """Open a session on bytes that were checked: of onnxruntime here for a model that ships, else in a process of its own.

    `process`: one that has opened files of the same origin, to be used again.
    """
    try:
        return open_onnxruntime(data, threads) if ships else ForeignSession(data, threads, process)
    except InvalidInput:
        raise
    except Exception as error:  # onnxruntime's errors have no class in common but this
        raise InvalidInput(f"onnxruntime cannot open it: {shorten_reason(error)}") from error


def read_metadata(data: bytes) -> dict[str, str]:
    """Read the card and the history from the bytes of a model, as text."""
    found = {}
    try:
        for number, entry in read_fields(memoryview(data)):
            if number == METADATA and isinstance(entry, memoryview):
                parts = {name: bytes(part) for name, part in read_fields(entry) if isinstance(part, memoryview)}
                if parts.get(KEY) in (CARD_KEY.encode(), HISTORY_KEY.encode()):
                    if len(parts.get(VALUE, b"")) > DESCRIPTION_MAX:
                        raise InvalidInput(f"its description has more than {DESCRIPTION_MAX:,} bytes")
                    found[parts[KEY].decode()] = parts.get(VALUE, b"").decode()
    except (InvalidInput, UnicodeDecodeError):
        raise
    except ValueError as error:
        raise InvalidInput(f"it is not an ONNX file, or only a part of one ({error})") from error
    return found


def find_card(metadata: Mapping[str, str]) -> str:
    """Return the card in a file's metadata, as text."""
    if CARD_KEY not in metadata:
        raise InvalidInput("it is an ONNX file without a description of ours: `anastylosis train` did not write it")
    return metadata[CARD_KEY]


def read_history(metadata: Mapping[str, str]) -> list[dict[str, float]]:
    """Read the training history, one row an epoch: `epoch`, `train`, `val`, and each term as val_<name>; none if it has none.

    Rows that are not of finite numbers are left out; nothing is computed from them.
    """
    try:
        rows = json.loads(metadata.get(HISTORY_KEY, "[]"))
    except (ValueError, RecursionError):
        return []
    return [row for row in rows if is_epoch(row)] if isinstance(rows, list) else []


def is_epoch(row: Any) -> bool:
    """Return whether this is a row of a history: named finite numbers, and the three that every row has."""
    return (
        isinstance(row, dict)
        and {"epoch", "train", "val"} <= set(row)
        and all(type(value) in (int, float) and math.isfinite(value) for value in row.values())
    )


def run_session(session: Any, outputs: Sequence[str], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named outputs of a net."""
    try:
        found = session.run(list(outputs), dict(inputs))
    except InvalidInput as error:  # of its process
        raise InvalidInput(f"the model cannot be run: {error}") from error
    except Exception as error:  # onnxruntime's errors have no class in common but this
        raise InvalidInput(f"the model cannot be run: {shorten_reason(error)}") from error
    return dict(zip(outputs, found, strict=True))


def check_tensors(what: str, found: Mapping[str, Any], wanted: Mapping[str, Shape]) -> None:
    """Raise unless the file has these tensors and no others, of these shapes after the axis of examples."""
    if set(found) != set(wanted):
        raise InvalidInput(f"its {what} are {', '.join(sorted(found))}, and its description tells of {', '.join(sorted(wanted))}")
    for name, shape in wanted.items():
        sides = list(found[name].shape or [])
        same = len(sides) == 1 + len(shape) and not isinstance(sides[0], int)
        same = same and all(None in (a, b) or not isinstance(a, int) or a == b for a, b in zip(sides[1:], shape, strict=True))
        if not same or found[name].type != "tensor(float)":
            raise InvalidInput(f"its {name} is {found[name].type} {sides}; float {describe_shape(shape)} is needed")


def describe_shape(shape: Shape) -> str:
    """Describe a shape after the axis of examples: `(N, any, 3)`."""
    return f"({', '.join(['N', *('any' if side is None else str(side) for side in shape)])})"


def shorten_reason(error: Exception) -> str:
    """Shorten an error of onnxruntime, without the places in its own source."""
    line = (str(error).splitlines() or [""])[0][:4000]  # a name in a file has any length
    return textwrap.shorten(SOURCE.sub("", LABEL.sub("", line)), REASON_MAX, placeholder=" ...") or "no reason given"


@dataclass(frozen=True, kw_only=True, eq=False)
class OnnxModel:
    """A net and its card. One session answers on `threads` cores; give each process its own."""

    card: Any
    session: Any  # onnxruntime.InferenceSession, or a ForeignSession
    metadata: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the file: card and history

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1, process: ForeignProcess | None = None) -> Self:
        """Open a file that `anastylosis train` has written; raise for every other file, and for one of another kind.

        `process`: one that has opened files of the same origin, to be used again.
        """
        with explain_file(Path(path)) as data:
            ships, metadata = check_bytes(data), read_metadata(data)
            card = cls.parse_card(find_card(metadata))
            session = open_session(data, threads, ships=ships, process=process)
            inputs, outputs = ({each.name: each for each in ends} for ends in (session.get_inputs(), session.get_outputs()))
            check_tensors("inputs", inputs, cls.input_shapes(card, inputs))
            check_tensors("outputs", outputs, cls.output_shapes(card))
        return cls(card=card, session=session, metadata=metadata)

    @staticmethod
    def read_kind(path: Path) -> str:
        """Read the kind of a model file from its card."""
        with explain_file(path) as data:
            check_bytes(data)
            return str(load_card(find_card(read_metadata(data))).get("kind"))

    @classmethod
    def parse_card(cls, text: str) -> Any:
        """Parse the card; raise for one of another kind."""
        raise NotImplementedError

    @classmethod
    def input_shapes(cls, card: Any, names: Collection[str]) -> dict[str, Shape]:
        """Return the shape of each input, without the axis of examples; `names` are those of the file."""
        raise NotImplementedError

    @classmethod
    def output_shapes(cls, card: Any) -> dict[str, Shape]:
        """Return the shape of each output, without the axis of examples."""
        raise NotImplementedError

    @property
    def history(self) -> list[dict[str, float]]:
        """Training history, one row an epoch."""
        return read_history(self.metadata)

    def run_session(self, outputs: Sequence[str], inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named outputs for these inputs."""
        return run_session(self.session, outputs, inputs)

    @staticmethod
    def check_output(name: str, output: Any, shape: Shape, *, probability: bool) -> Singles:
        """Return an output as floats; raise when it has another shape, is not finite, or not the probability it should be."""
        values = np.asarray(output, np.float32)
        if len(values.shape) != len(shape) or any(want not in (None, got) for want, got in zip(shape, values.shape, strict=True)):
            raise InvalidInput(f"the model answers {name} in the shape {values.shape}; {describe_shape(shape[1:])} is needed")
        if not np.isfinite(values).all():
            raise InvalidInput(f"the model answers {name} with what is not a finite number; train it again")
        if not probability:
            return values
        if values.min() < -SLACK or values.max() > 1 + SLACK:
            raise InvalidInput(f"the model answers {name} with {values.min():g}..{values.max():g}; a probability is 0..1")
        return values.clip(0, 1)
