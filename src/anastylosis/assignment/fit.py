"""Fit: blocks of a survey that have about the size of the tower's. The others are left out before the net runs."""

import numpy as np
from numpy.typing import NDArray

from anastylosis.structure.tower import BLOCK_SIZE

__all__ = ["find_fitting"]

FITS = 0.25  # a block fits a slot when no side differs by a larger share


def find_fitting(size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask (B,) of the blocks that fit a slot."""
    fits: NDArray[np.bool_] = (np.abs(size / np.array(BLOCK_SIZE) - 1) <= FITS).all(axis=1)
    return fits
