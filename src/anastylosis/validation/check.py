"""Check: one row of the validation table, and the experiment that fills rows."""

import math
from collections.abc import Callable
from typing import NamedTuple, SupportsFloat

from anastylosis.units import metres_to_micrometres, metres_to_millimetres, newtons_to_millinewtons, radians_to_degrees

# SI to what a row shows. Units that are not here are shown as they are.
SHOW: dict[str, Callable[[float], float]] = {
    "mm": metres_to_millimetres,
    "um": metres_to_micrometres,
    "deg": radians_to_degrees,
    "mN": newtons_to_millinewtons,
    "mJ": lambda joules: joules * 1e3,
    "%": lambda share: share * 100.0,
}


class Check(NamedTuple):
    """Expected value, measured value, and whether they are near enough. Numbers are in `unit`, the one people use for them."""

    name: str
    expected: float
    measured: float
    error: float  # |measured - expected|
    tolerance: float  # largest error that passes; infinite: reported as found
    unit: str
    passed: bool
    note: str = ""


class Experiment(NamedTuple):
    """One simulation, or a few, and the names of the rows it fills."""

    names: tuple[str, ...]
    run: Callable[[bool], list[Check]]  # quick -> one check a name, in the same order


def compare(
    name: str, expected: SupportsFloat, measured: SupportsFloat, tolerance: SupportsFloat, unit: str, note: str = ""
) -> Check:
    """Make a row with a closed form, all numbers in SI, shown in `unit`. A measurement that is not a number fails."""
    show = SHOW.get(unit, float)
    wanted, found, most = show(float(expected)), show(float(measured)), show(float(tolerance))
    error = abs(found - wanted)
    return Check(name, wanted, found, error, most, unit, error <= most, note)


def bound(name: str, measured: SupportsFloat, most: SupportsFloat, unit: str, note: str = "") -> Check:
    """Make a row for a number that should be 0 and may be `most`, both in SI."""
    return compare(name, 0.0, measured, most, unit, note)


def report(name: str, measured: SupportsFloat, unit: str, note: str = "reported as found") -> Check:
    """Make a row that cannot fail: a number without a target. NaN: it was not measured, the note says why."""
    return Check(name, math.nan, SHOW.get(unit, float)(float(measured)), math.nan, math.inf, unit, True, note)


def fail(name: str, why: str) -> Check:
    """Make a row whose experiment came to no result."""
    return Check(name, math.nan, math.nan, math.nan, math.nan, "", False, why)
