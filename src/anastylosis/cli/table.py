"""Rows on stdout: a table on a terminal, plain lines elsewhere, or one JSON document."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from anastylosis.text_file import show_text

Row = Mapping[str, Any]


def print_rows(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    headings: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    decimals: Mapping[str, int] | None = None,
) -> None:
    """Print flat dicts with the same keys, one a line: a rich table on a terminal, all of it tab-separated elsewhere.

    For the terminal: `headings` are shorter names, `columns` the ones that fit 80 characters (none: all).
    `decimals`: how many a column always has.
    """
    if not rows:
        return
    header, fixed = list(rows[0]), decimals or {}
    if not sys.stdout.isatty():
        for line in (header, *([format_cell(row[name], decimals=fixed.get(name)) for name in header] for row in rows)):
            print("\t".join(line))
        return
    header = list(columns or header)
    cells = [[format_cell(row[name], digits=4, decimals=fixed.get(name)) for name in header] for row in rows]
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in header:
        heading = (headings or {}).get(name, name.replace("_", " "))
        table.add_column(heading, justify="right" if is_numeric(rows, name) else "left", no_wrap=bool(columns))
    for line in cells:
        table.add_row(*line)
    Console(markup=False).print(table)


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document, alone on stdout. What JSON cannot say (NaN, infinity) becomes null."""
    print(json.dumps(to_plain(document), indent=2, allow_nan=False))


def is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return True when a column holds only numbers or nothing."""
    values = [to_plain(row[name]) for row in rows]
    return all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values)


def format_cell(value: Any, digits: int = 6, decimals: int | None = None) -> str:
    """Format a value as people read it: to so many digits, or with so many decimals."""
    value = to_plain(value)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return show_text(str(value))
    return f"{value:.{digits}g}" if decimals is None else f"{value:.{decimals}f}"


def to_plain(value: Any) -> Any:
    """Return `value` in the types that JSON has; numpy scalars become Python's."""
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
