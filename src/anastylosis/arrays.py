"""Types of arrays, for annotations."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flags", "Floats", "Integers"]

Floats = NDArray[np.float64]  # lengths, forces, poses: all that is computed
Flags = NDArray[np.bool_]  # masks
Integers = NDArray[np.int64]  # row numbers, counts
