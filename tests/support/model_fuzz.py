"""Random mutations of one small model, opened and run one after the other: `python model_fuzz.py COUNT SEED`, prints JSON.

In a process of its own, so that the memory of this one and of those that it starts can be measured.
"""

import json
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from anastylosis.errors import InvalidInput
from anastylosis.models.foreign_session import ForeignProcess
from anastylosis.models.graph_check import OPERATORS
from anastylosis.models.picture_model import PictureModel
from support.models import build_model, make_card

PICTURES = np.zeros((2, 32, 32), np.uint8)
LARGE = (0, 1, -1, 2, 7, 2**31 - 1, -(2**31), 2**40, 2**63 - 1)


def flip_bits(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: rng.integers(len(data))]


def insert(data: bytes, rng: np.random.Generator) -> bytes:
    place = rng.integers(len(data))
    return data[:place] + rng.bytes(rng.integers(1, 65)) + data[place:]


def splice_fields(data: bytes, rng: np.random.Generator) -> bytes:
    """Change up to three fields of the messages within: another value, none, twice, or that of another message."""
    model = onnx.ModelProto.FromString(data)
    for _ in range(rng.integers(1, 4)):
        messages = list(list_messages(model.graph))
        change_field(messages[rng.integers(len(messages))], messages, rng)
    return model.SerializeToString()


def list_messages(message: Any) -> Iterator[Any]:
    """List a message and all within."""
    yield message
    for field, value in message.ListFields():
        if field.message_type:
            for each in value if field.is_repeated else [value]:
                yield from list_messages(each)


def change_field(message: Any, messages: list[Any], rng: np.random.Generator) -> None:
    """Change one field of a message."""
    fields = message.DESCRIPTOR.fields
    present = [field for field, _ in message.ListFields()]
    field = (present or fields)[rng.integers(len(present or fields))]
    way = rng.integers(4)
    if way == 0:
        message.ClearField(field.name)
    elif field.message_type:
        others = [each for each in messages if each.DESCRIPTOR is field.message_type]
        if others and field.is_repeated:
            getattr(message, field.name).add().CopyFrom(others[rng.integers(len(others))])
        elif others:
            getattr(message, field.name).CopyFrom(others[rng.integers(len(others))])
    else:
        value = draw_value(field, rng)
        if not field.is_repeated:
            setattr(message, field.name, value)
        elif way == 1 or not len(getattr(message, field.name)):
            getattr(message, field.name).append(value)
        else:
            values = getattr(message, field.name)
            values[rng.integers(len(values))] = value


def draw_value(field: Any, rng: np.random.Generator) -> Any:
    """Draw a value of a field: sizes that are too large, names of operators, bytes of weights."""
    if field.cpp_type == field.CPPTYPE_ENUM:
        return rng.choice([each.number for each in field.enum_type.values])
    if field.cpp_type == field.CPPTYPE_STRING:
        if field.type == field.TYPE_BYTES:
            return np.array(rng.choice(LARGE, rng.integers(1, 5)), np.int64).tobytes()
        return str(rng.choice([*sorted(OPERATORS), "seen", "zero", "picture", "axis", ""]))
    value = int(rng.choice(LARGE))
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return float(value)
    return value if field.cpp_type == field.CPPTYPE_INT64 else value % 2**31


def name_refusal(reason: str, *, died: bool) -> str:
    """Name who refused a mutant, and with how many lines."""
    if "\n" in reason:
        return "many lines"
    return "died" if died else "refused there" if "onnxruntime" in reason or "cannot be run" in reason else "refused here"


WAYS = (flip_bits, cut, insert, splice_fields, splice_fields)


def main(count: int, seed: int) -> None:
    """Try mutants, and print what became of them."""
    rng, path = np.random.default_rng(seed), Path(tempfile.mkdtemp()) / "m.onnx"
    data = build_model(make_card(), kernels=np.ones((8, 1, 3, 3)), history="[]").SerializeToString()
    process, found, slowest = ForeignProcess(), Counter[str](), 0.0
    for number in range(count):
        path.write_bytes(WAYS[number % len(WAYS)](data, rng))
        begin = time.monotonic()
        try:
            PictureModel.from_file(path, process=process).run(PICTURES)
            found["answered"] += 1
        except InvalidInput as error:
            found[name_refusal(str(error), died=bool(process.problem))] += 1
        slowest = max(slowest, time.monotonic() - begin)
        if process.problem:
            process = ForeignProcess()
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    del process
    memory = max(resource.getrusage(kind).ru_maxrss for kind in kinds) * 1024
    print(json.dumps({"found": found, "slowest": slowest, "memory": memory}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
