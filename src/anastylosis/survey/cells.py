"""Cells: numbers and texts of a survey file, with their places for messages. A file may hold anything."""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from anastylosis.errors import InvalidInput
from anastylosis.survey.survey import clean_text

NUMBER_MAX = 64  # characters
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Table(NamedTuple):
    """A survey as cells: what the head of a file declares, the names of its columns, and a row a stone."""

    head: dict[str, tuple[str, Any]]  # place and value of each declaration
    labels: tuple[str, ...]
    rows: Sequence[tuple[str, Sequence[Any]]]  # where each row is, and its cells; None and "" are empty
    commas: bool = False  # numbers may have decimal commas
    warnings: tuple[str, ...] = ()


@contextmanager
def locate_errors(*where: str) -> Iterator[None]:
    """Begin the messages of errors within with a place: `row 7, column x: ...`."""
    try:
        yield
    except InvalidInput as error:
        raise error.reword(f"{', '.join(where)}: {error.what}") from error


def read_numbers(table: Table, place: int, *, optional: bool = False) -> list[float]:
    """Read the numbers of a column; NaN where a cell is empty, which raises unless the column is `optional`."""
    numbers = []
    for where, cells in table.rows:
        with locate_errors(where, f"column {table.labels[place]}"):
            empty = cells[place] is None or cells[place] == ""
            if empty and not optional:
                raise InvalidInput("it is empty; fill it in, or take the row out", kind="survey_number")
            numbers.append(math.nan if empty else parse_number(cells[place], commas=table.commas))
    return numbers


def read_texts(table: Table, place: int, longest: int) -> list[str]:
    """Read the texts of a column, fit for tables and terminals."""
    texts = []
    for where, cells in table.rows:
        with locate_errors(where, f"column {table.labels[place]}"):
            texts.append(clean_text("" if cells[place] is None else cells[place], "it", longest))
    return texts


def parse_number(cell: Any, *, commas: bool = False) -> float:
    """Parse a finite number; with `commas`, 1,5 is one and a half."""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        raise InvalidInput(f"{str(cell)[:40]!r} is not a number", kind="survey_number")
    if isinstance(cell, str):
        text = cell.strip().replace("\u2212", "-")
        if commas and "." not in text:
            text = text.replace(",", ".", 1)
        if len(text) > NUMBER_MAX or not NUMBER.fullmatch(text):
            hint = "; write it with a decimal point and nothing between thousands" if "," in cell else ""
            raise InvalidInput(f"{cell[:40]!r} is not a number{hint}", kind="survey_number")
        cell = text
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(f"{str(cell)[:40]} is not a finite number", kind="survey_number")
    return number
