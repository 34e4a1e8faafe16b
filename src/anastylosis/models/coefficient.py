"""Coefficients of friction as people give them: a number, its text, or the name of a level."""

import math
from collections.abc import Mapping
from typing import Any

from anastylosis.errors import InvalidInput

__all__ = ["FRICTION_MAX", "find_coefficient", "to_coefficient"]

FRICTION_MAX = 10.0  # as of `Blocks`


def find_coefficient(friction: str | float | None, levels: Mapping[str, float]) -> float | None:
    """The coefficient that was told; None when it is not known."""
    if friction is None or friction == "unknown":
        return None
    value = levels[friction] if isinstance(friction, str) and friction in levels else to_coefficient(friction)
    if value is None:
        choices = ", ".join([*levels, "unknown"])
        raise InvalidInput(f"friction is {friction!r}; choose one of {choices}, or a coefficient above 0, up to {FRICTION_MAX:g}")
    return value


def to_coefficient(friction: Any) -> float | None:
    """A coefficient of friction as a number or as text; None when it cannot be one."""
    if isinstance(friction, bool):
        return None
    try:
        value = float(friction)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and 0 < value <= FRICTION_MAX else None
