"""Types of arrays, for annotations; a hash of their bits."""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Singles = NDArray[np.float32]  # what nets take and give
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts


def hash_arrays(*arrays: NDArray[Any]) -> str:
    """Return a short hash of the bits of arrays, in this order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
