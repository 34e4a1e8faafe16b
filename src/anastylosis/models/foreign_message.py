"""Messages between a process for models from elsewhere and its owner: a few words as JSON, and arrays. No pickles."""

import json
import math
from collections.abc import Mapping, Sequence
from io import FileIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS_MAX = 1_000_000  # bytes of the JSON
TYPES: dict[str, np.dtype[Any]] = {"f": np.dtype("<f4"), "b": np.dtype("u1")}  # of arrays
LENGTH = 8  # bytes in which the length of the JSON is told


def write_message(file: FileIO, words: Mapping[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> None:
    """Write one message; arrays are floats or bytes."""
    names = {kind: name for name, kind in TYPES.items()}
    shapes = [[names[each.dtype], list(each.shape)] for each in arrays]
    text = json.dumps({"words": words, "arrays": shapes}).encode()
    write_all(file, len(text).to_bytes(LENGTH, "little") + text)
    for each in arrays:
        write_all(file, np.ascontiguousarray(each).reshape(-1).view(np.uint8).data)


def read_message(file: FileIO, most: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Read one message, with arrays of at most so many bytes.

    Raise `EOFError` when the other end is gone, and `ValueError` for what is not a message or is too large.
    """
    length = int.from_bytes(read_all(file, LENGTH), "little")
    if length > WORDS_MAX:
        raise ValueError("its answer is too long")
    document = json.loads(read_all(file, length))
    try:
        words = dict(document["words"])
        forms = [(TYPES[name], tuple(check_side(side) for side in shape)) for name, shape in document["arrays"]]
    except (KeyError, TypeError) as error:
        raise ValueError("its answer is not a message") from error
    sizes = [kind.itemsize * math.prod(shape) for kind, shape in forms]
    if sum(sizes) > most:
        raise ValueError(f"its answer has {sum(sizes) / 1e6:,.0f} MB; {most / 1e6:,.0f} are the most")
    arrays = [np.frombuffer(read_all(file, size), kind).reshape(shape) for size, (kind, shape) in zip(sizes, forms, strict=True)]
    return words, arrays


def check_side(side: Any) -> int:
    if type(side) is not int or side < 0:
        raise ValueError("its answer is not a message")
    return side


def write_all(file: FileIO, data: bytes | memoryview) -> None:
    """Write all of it: a pipe takes less than it is given."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def read_all(file: FileIO, size: int) -> bytearray:
    """Read so many bytes; raise `EOFError` when there are fewer."""
    data = bytearray(size)
    left = memoryview(data)
    while left:
        count = file.readinto(left)
        if not count:
            raise EOFError
        left = left[count:]
    return data
