"""Measures are read as people write them, or refused with the way to write them."""

import pytest

from anastylosis.errors import InvalidInput
from anastylosis.web.typed import read_measures, write_measures
from anastylosis.web.words import Translator


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("-0.5", (-0.5,)),
        ("-.5", (-0.5,)),
        ("−0,5", (-0.5,)),
        (" +12. ", (12.0,)),
        ("120.5 -40", (120.5, -40.0)),
        ("120,5 -0,25", (120.5, -0.25)),
        ("-0,125", (-0.125,)),  # no thousands begin with 0
        ("120, -40", (120.0, -40.0)),
        ("120,-40", (120.0, -40.0)),
        ("120;40", (120.0, 40.0)),
        ("1200\t40", (1200.0, 40.0)),
    ],
)
def test_measures_are_read(text: str, numbers: tuple[float, ...]) -> None:
    assert read_measures(text, len(numbers), "Foot", Translator("en")) == numbers


@pytest.mark.parametrize(
    ("text", "count", "said"),
    [
        ("", 1, "write one number"),
        ("-", 1, "write one number"),
        ("1e3", 1, "write one number"),
        ("nan", 1, "write one number"),
        ("9" * 400, 1, "write one number"),
        ("1 2", 1, "write one number"),
        ("120,40", 2, "write two numbers"),  # one number with decimals
        ("1 2 3", 2, "write two numbers"),
        ("1,200 40", 2, "read in two ways"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_way_to_write_it(text: str, count: int, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        read_measures(text, count, "Foot", Translator("en"))
    assert "“Foot”" in str(refused.value)
    assert len(str(refused.value)) < 200


def test_what_is_written_is_read_again() -> None:
    assert read_measures(write_measures(-0.25, 1234.5), 2, "Foot", Translator("es")) == (-0.25, 1234.5)
