"""Number columns: CSV files that are no surveys, with named columns of numbers and perhaps an id."""

from collections.abc import Sequence
from typing import NamedTuple

from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table, read_numbers, read_texts
from anastylosis.survey.columns import describe_missing, split_label, to_si
from anastylosis.survey.csv_file import parse_csv
from anastylosis.survey.survey import ID_MAX

ID = "id"


class NumberColumns(NamedTuple):
    """Columns of numbers, SI units where they are lengths, and a name for each row."""

    numbers: dict[str, list[float]]
    names: tuple[str, ...]  # `row 3 (A7)`; for messages


def read_number_columns(
    text: str, *, required: Sequence[str], optional: Sequence[str], thing: str, example: str, extra: str
) -> NumberColumns:
    """Read columns of numbers; a unit may be part of a label, as in a survey (`x_mm`, `x [cm]`), else lengths are in metres.

    A column `id` may be there, too. Messages name the `thing` of a row, an `example` of the labels, and `extra` columns.
    """
    table = parse_csv(text, columns=example, thing=thing)
    found = find_places(table, (*required, *optional, ID), f"the columns are {example}{extra}")
    missing = [name for name in required if name not in found]
    if missing:
        raise InvalidInput(f"{describe_missing(missing)}; the columns are {example}, and it has {', '.join(table.labels)}")
    numbers = {
        name: [to_si(value, unit or "m") for value in read_numbers(table, place)]
        for name, (place, unit) in found.items()
        if name != ID
    }
    ids = read_texts(table, found[ID][0], ID_MAX) if ID in found else [""] * len(table.rows)
    names = tuple(f"{where} ({name})" if name else where for (where, _), name in zip(table.rows, ids, strict=True))
    return NumberColumns(numbers, names)


def find_places(table: Table, known: Sequence[str], hint: str) -> dict[str, tuple[int, str | None]]:
    """Find the place and the unit of each column; raise for unknown and repeated ones."""
    found: dict[str, tuple[int, str | None]] = {}
    for place, label in enumerate(table.labels):
        name, unit = split_label(label)
        if name in found:
            raise InvalidInput(f"column {name} is there twice; keep one of them")
        if name not in known:
            raise InvalidInput(f"column {label!r} is not known here; {hint}")
        found[name] = (place, unit)
    return found
