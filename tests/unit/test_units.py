"""Display units: each conversion against a known value."""

import math

import pytest

from anastylosis import units

KNOWN = [
    (units.metres_to_millimetres, 0.081, 81.0),
    (units.metres_to_micrometres, 5e-6, 5.0),
    (units.newtons_to_millinewtons, 0.2307, 230.7),
    (units.radians_to_degrees, math.pi / 6, 30.0),
]


@pytest.mark.parametrize(("to_display", "si", "display"), KNOWN)
def test_conversion(to_display, si: float, display: float) -> None:
    assert to_display(si) == pytest.approx(display, rel=1e-12)


def test_all_is_sorted_and_complete() -> None:
    assert units.__all__ == sorted(name for name in vars(units) if "_to_" in name)
    assert units.__all__ == sorted(function.__name__ for function, *_ in KNOWN)
