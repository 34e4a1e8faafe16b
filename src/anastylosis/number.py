"""Numbers in settings and files. Text that looks like a number is none, nor are True and False."""

import math
from numbers import Integral, Real

SEED_MAX = 2**32 - 1  # one word of a SeedSequence: beyond it the pairs (seed, index) are not all different


def is_whole(value: object) -> bool:
    """Return True for a whole number, NumPy's too (True and False are none)."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Return True for a real number, NumPy's too (True and False are none)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def finite_or_none(value: float) -> float | None:
    """Return the number, or None for what JSON does not have: infinity and NaN."""
    return float(value) if math.isfinite(value) else None


def round_chance(probability: float) -> float:
    """Round a probability to six decimals."""
    return round(float(probability), 6)
