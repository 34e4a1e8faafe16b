"""Session: a trained `.onnx` file, opened with care. The only file here that loads onnxruntime."""

import json
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnxruntime

from anastylosis.errors import InvalidInput
from anastylosis.models.card import CARD_KEY, HISTORY_KEY, load_card
from anastylosis.models.onnx_bytes import has_external_data, has_graph

__all__ = [
    "BYTES_MAX", "Shape", "check_tensors", "describe_shape", "explain_file", "find_card", "open_session", "read_bytes",
    "read_history", "read_kind", "run_session",
]  # fmt: skip

BYTES_MAX = 300_000_000  # of a model file; a ResNet-18 has 45 MB
SILENT = 4  # onnxruntime's own log: only what ends the process
REASON_MAX = 200  # characters of an error of onnxruntime
LABEL = re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : ")  # begins each of its errors
SOURCE = re.compile(r"(?:[A-Za-z]:)?[/\\]\S+:\d+ (?:[^()]*\(.*?\)(?: const)? )?")  # where in its source, and in which function

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
        raise InvalidInput(f"there is no model {path}; `anastylosis train DATASET --out {path}` makes one")
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


def read_kind(path: Path) -> str:
    """Read the kind of a model file from its card."""
    with explain_file(path) as data:
        return str(load_card(find_card(open_session(data, threads=1))).get("kind"))


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
