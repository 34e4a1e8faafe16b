"""Cells: numbers and texts of a survey file, with their places for messages. A file may hold anything."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from anastylosis.errors import InvalidInput
from anastylosis.text_file import clean_text, locate_errors, parse_number


class Table(NamedTuple):
    """A survey as cells: what the head of a file declares, the names of its columns, and a row a stone."""

    head: dict[str, tuple[str, Any]]  # place and value of each declaration
    labels: tuple[str, ...]
    rows: Sequence[tuple[str, Sequence[Any]]]  # where each row is, and its cells; None and "" are empty
    commas: bool = False  # numbers may have decimal commas
    warnings: tuple[str, ...] = ()


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
