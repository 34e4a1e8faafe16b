"""ONNX model: one trained file, checked and opened, with its card. Each kind of net has a class with its inputs and outputs."""

import json
import math
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import onnxruntime

from anastylosis.arrays import Singles
from anastylosis.errors import InvalidInput
from anastylosis.models.card import CARD_KEY, HISTORY_KEY, load_card
from anastylosis.text_file import REASON_MAX

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5  # kinds of fields
VARINT_MAX = 10  # bytes

# Message -> number of a field -> the message in it; every way from a model to a tensor (onnx.proto).
PARTS: dict[str, dict[int, str]] = {
    "ModelProto": {7: "GraphProto", 20: "TrainingInfoProto", 25: "FunctionProto"},
    "TrainingInfoProto": {1: "GraphProto", 2: "GraphProto"},
    "FunctionProto": {7: "NodeProto", 11: "AttributeProto"},
    "GraphProto": {1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto"},
    "SparseTensorProto": {1: "TensorProto", 2: "TensorProto"},
    "NodeProto": {5: "AttributeProto"},
    "AttributeProto": {
        5: "TensorProto",
        6: "GraphProto",
        10: "TensorProto",
        11: "GraphProto",
        22: "SparseTensorProto",
        23: "SparseTensorProto",
    },
    "TensorProto": {},
}
EXTERNAL_DATA, DATA_LOCATION = 13, 14  # fields of a tensor: where in which file; 0 is "here"
GRAPH = 7  # field of a model (onnx.proto)
BYTES_MAX = 300_000_000  # of a model file; a ResNet-18 has 45 MB
SILENT = 4  # onnxruntime's own log: only what ends the process
LABEL = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : ")  # begins each of its errors
SOURCE = re.compile(r"(?:[A-Za-z]:)?[/\\]\S+:\d+ (?:[^()]*\(.*?\)(?: const)? )?")  # where in its source, and in which function
SLACK = 1e-3  # by which a probability may be out of 0..1: rounding


def has_external_data(data: bytes) -> bool:
    """Return whether a tensor of this model is in another file; raise ValueError when the bytes are no whole message."""
    found = False
    waiting = [("ModelProto", memoryview(data))]
    while waiting:
        message, part = waiting.pop()
        inside = PARTS[message]
        for number, value in read_fields(part):
            if message == "TensorProto":
                found |= number == EXTERNAL_DATA or (number == DATA_LOCATION and value != 0)
            elif number in inside:
                if not isinstance(value, memoryview):
                    raise ValueError(f"field {number} of a {message} is not a message")
                waiting.append((inside[number], value))
    return found


def has_graph(data: bytes) -> bool:
    """Return whether these are the bytes of a model with a net in it; no bytes are none."""
    return any(number == GRAPH for number, _ in read_fields(memoryview(data)))


def read_fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Give the fields of one message: number and value."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if tag >= 1 << 32:  # readers of protobuf drop the bits above, and would see another field
            raise ValueError("a tag is too long")
        if number == 0 or kind not in (VARINT, EIGHT, BYTES, FOUR):
            raise ValueError(f"no field begins with {tag}")
        if kind == VARINT:
            value, at = read_varint(data, at)
            yield number, value
            continue
        size, at = read_varint(data, at) if kind == BYTES else (8 if kind == EIGHT else 4, at)
        if at + size > len(data):
            raise ValueError("the last field is cut short")
        yield number, data[at : at + size]
        at += size


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read a whole number, seven bits a byte; return it and where it ends."""
    value = 0
    for k, byte in enumerate(data[at : at + VARINT_MAX]):
        value |= (byte & 0x7F) << (7 * k)
        if byte < 0x80:
            return value, at + k + 1
    raise ValueError("a number is cut short")


Shape = tuple[int | None, ...]  # without the axis of examples; None: any length


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


def open_session(data: bytes, threads: int) -> Any:
    """Open a session of onnxruntime; raise for bytes that are no whole model in one file."""
    try:
        external, whole = has_external_data(data), has_graph(data)
    except ValueError as error:
        raise InvalidInput(f"it is not an ONNX file, or only a part of one ({error})") from error
    if not whole:
        raise InvalidInput("it is not an ONNX file, or only a part of one (there is no network in it)")
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
        raise InvalidInput(f"onnxruntime cannot open it: {shorten_reason(error)}") from error


def find_card(session: Any) -> str:
    """Return the card in a file's metadata, as text."""
    text = session.get_modelmeta().custom_metadata_map.get(CARD_KEY)
    if text is None:
        raise InvalidInput("it is an ONNX file without a description of ours: `anastylosis train` did not write it")
    return str(text)


def read_history(session: Any) -> list[dict[str, float]]:
    """Read the training history, one row an epoch: `epoch`, `train`, `val`, and each term as val_<name>; none if it has none.

    Rows that are not of finite numbers are left out; nothing is computed from them.
    """
    try:
        rows = json.loads(session.get_modelmeta().custom_metadata_map.get(HISTORY_KEY, "[]"))
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


def run_session(session: Any, outputs: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named outputs of a net."""
    try:
        found = session.run(list(outputs), dict(given))
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
    session: Any  # onnxruntime.InferenceSession

    @classmethod
    def from_file(cls, path: str | Path, threads: int = 1) -> Self:
        """Open a file that `anastylosis train` has written; raise for every other file, and for one of another kind."""
        with explain_file(Path(path)) as data:
            session = open_session(data, threads)
            card = cls.parse_card(find_card(session))
            inputs, outputs = ({each.name: each for each in ends} for ends in (session.get_inputs(), session.get_outputs()))
            check_tensors("inputs", inputs, cls.input_shapes(card, inputs))
            check_tensors("outputs", outputs, cls.output_shapes(card))
        return cls(card=card, session=session)

    @staticmethod
    def read_kind(path: Path) -> str:
        """Read the kind of a model file from its card."""
        with explain_file(path) as data:
            return str(load_card(find_card(open_session(data, threads=1))).get("kind"))

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
        return read_history(self.session)

    def run_session(self, outputs: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named outputs for these inputs."""
        return run_session(self.session, outputs, given)

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
