"""Display units: each conversion against a known value, and back."""

import math

import pytest

from anastylosis import units

PAIRS = [
    (units.metres_to_millimetres, units.millimetres_to_metres, 0.081, 81.0),
    (units.metres_to_micrometres, units.micrometres_to_metres, 5e-6, 5.0),
    (units.newtons_to_millinewtons, units.millinewtons_to_newtons, 0.2307, 230.7),
    (units.radians_to_degrees, units.degrees_to_radians, math.pi / 6, 30.0),
]


@pytest.mark.parametrize(("to_display", "to_si", "si", "display"), PAIRS)
def test_conversion_and_back(to_display, to_si, si: float, display: float) -> None:
    assert to_display(si) == pytest.approx(display, rel=1e-12)
    assert to_si(display) == pytest.approx(si, rel=1e-12)


def test_all_is_sorted_and_complete() -> None:
    assert units.__all__ == sorted(name for name in vars(units) if "_to_" in name)
