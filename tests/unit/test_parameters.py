"""The page of parameters says what the code has."""

import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "parameters.md"
ROWS = [
    cells
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if len(cells := [cell.strip() for cell in line.strip("| ").split(" | ")]) == 6 and cells[4].startswith("`")
]


def evaluate(expression: str) -> float:
    """The value of a dotted name of the package, within a small expression."""
    (name,) = re.findall(r"anastylosis(?:\.[a-z_]+)*", expression)
    while True:
        try:
            import_module(name)
            break
        except ModuleNotFoundError:
            name = name.rpartition(".")[0]
    return float(eval(expression, {"anastylosis": import_module("anastylosis")}))


def test_there_are_rows() -> None:
    assert len(ROWS) > 50


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_the_code_has(row: list[str]) -> None:
    _, unit, paper, here, where, source = row
    assert unit
    assert source
    assert evaluate(where.strip("`")) == pytest.approx(float(Fraction(here)), rel=1e-12)
    if paper != "-" and Fraction(paper) != Fraction(here):
        assert len(source) > 15  # where it differs from the paper, it says why
