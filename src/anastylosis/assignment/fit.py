"""Fit: which blocks of a survey are of a size that the slots have. The others are left out before the net is asked."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.structure.tower import BLOCK_SIZE

__all__ = ["find_fitting"]

FITS = 0.25  # a block fits a slot when no side differs by a larger share


def find_fitting(size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(B,) blocks that are about of the size of the tower's."""
    fits: NDArray[np.bool_] = (np.abs(size / np.array(BLOCK_SIZE) - 1) <= FITS).all(axis=1)
    return fits
