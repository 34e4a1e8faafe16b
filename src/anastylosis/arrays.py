"""Types of arrays and vectors, for annotations; a hash of the bits of arrays; a division that allows zero."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Singles = NDArray[np.float32]  # what nets take and give
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts
Vector = tuple[float, float, float]  # a place or a direction of a camera or a target


def hash_arrays(*arrays: NDArray[Any]) -> str:
    """Return a short hash of the bits of arrays, in this order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def divide(tops: ArrayLike, bottoms: ArrayLike) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    top, bottom = np.broadcast_arrays(np.asarray(tops, float), np.asarray(bottoms, float))
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
