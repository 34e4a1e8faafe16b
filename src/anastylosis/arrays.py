"""Types of arrays, for annotations."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Integers", "Singles"]

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Singles = NDArray[np.float32]  # what nets take and give
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts
