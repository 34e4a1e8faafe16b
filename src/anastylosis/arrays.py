"""Types of arrays, vectors and colours, for annotations; read-only copies, hashes and a division that allows zero."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.errors import InvalidStructure

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Singles = NDArray[np.float32]  # what nets take and give
Reals = NDArray[np.floating]  # of any precision
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts
Pixels = NDArray[np.uint8]  # (rows, columns, 3) of pictures
Grey = NDArray[np.uint8]  # (rows, columns) of grey pictures
Vector = tuple[float, float, float]  # a place or a direction of a camera or a target
Shape = tuple[int | None, ...]  # of an array, without the axis of examples; None: any length
Colour = tuple[float, float, float]  # sRGB, 0..1
ByteColour = tuple[int, int, int]  # sRGB, 0..255


def hash_arrays(*arrays: NDArray[Any]) -> str:
    """Return a short hash of the bits of arrays, in this order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def freeze(values: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return a read-only float64 copy of `values`, refused unless finite and of `shape` (-1: any)."""
    array = np.array(values, dtype=np.float64, order="C")
    if array.ndim != len(shape) or any(want not in (-1, got) for got, want in zip(array.shape, shape, strict=True)):
        wanted = ", ".join("any" if n == -1 else str(n) for n in shape)
        raise InvalidStructure(f"{name} has shape {array.shape}, expected ({wanted})")
    refuse(~np.isfinite(array), array, name, "must be a finite number")
    array.flags.writeable = False
    return array


def refuse(bad: NDArray[np.bool_], values: NDArray[np.float64], name: str, remedy: str) -> None:
    """Raise `InvalidStructure` naming the first block whose value is bad."""
    if bad.any():
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidStructure(f"{name} of block {first[0]} is {values[first]:g}: it {remedy}")


def divide(tops: ArrayLike, bottoms: ArrayLike) -> Floats:
    """Divide; return NaN where a bottom is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(tops, float), np.asarray(bottoms, float))
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
