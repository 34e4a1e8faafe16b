"""Types of arrays and vectors, for annotations."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Integers", "Singles", "Vector"]

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Singles = NDArray[np.float32]  # what nets take and give
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts
Vector = tuple[float, float, float]  # a place or a direction of a camera or a target
