"""Coefficients of friction as people give them: a number, its text, or the name of a level."""

import math
from collections.abc import Mapping
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.structure.blocks import FRICTION_MAX

__all__ = ["find_coefficient", "to_coefficient"]


def find_coefficient(friction: str | float | None, levels: Mapping[str, float]) -> float | None:
    """Return the coefficient of a level or a number; None when friction is not known."""
    if friction is None or friction == "unknown":
        return None
    value = levels[friction] if isinstance(friction, str) and friction in levels else to_coefficient(friction)
    if value is None:
        choices = ", ".join([*levels, "unknown"])
        raise InvalidInput(f"friction is {friction!r}; choose one of {choices}, or a coefficient above 0, up to {FRICTION_MAX:g}")
    return value


def to_coefficient(friction: Any) -> float | None:
    """Return a number or its text as a coefficient of friction; None when it cannot be one."""
    if isinstance(friction, bool):
        return None
    try:
        value = float(friction)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) and 0 < value <= FRICTION_MAX else None
