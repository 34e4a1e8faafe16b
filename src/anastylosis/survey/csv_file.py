"""Surveys as CSV: lines `# key: value`, the names of the columns, a row a stone.

Text that a spreadsheet would take for a formula (it begins with = + - @) is written with an apostrophe before it, which is how
spreadsheets themselves mark text, and read without it.
"""

import csv
import io
from itertools import chain

from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table
from anastylosis.survey.columns import COLUMNS, TEXT, split_label
from anastylosis.survey.declaration import KEYS
from anastylosis.text_file import clean_text, guard_formula, locate_errors, unguard

STONES_MAX = 10_000
COLUMNS_MAX = 200
LABEL_MAX, DECLARATION_MAX = 100, 2_000  # characters
SURVEY_COLUMNS = "id, length, width, height, x, y, z, qw, qx, qy, qz"


def parse_csv(text: str, columns: str = SURVEY_COLUMNS, thing: str = "stone") -> Table:
    """Parse a CSV file into cells. Rows are numbered as lines in an editor; messages name `columns` and the `thing` of a row."""
    lines = io.StringIO(text, newline="")
    head: dict[str, tuple[str, str]] = {}
    warnings: list[str] = []
    number = 0
    for line in lines:
        number += 1
        declared = line.strip().lstrip('"').startswith("#")
        if declared:
            read_declaration(line, f"row {number}", head, warnings)
        elif line.strip(" \t\r\n,;"):
            break
    else:
        raise InvalidInput(f"it has no rows; the first names the columns: {columns}", kind="survey_empty")
    with locate_errors(f"row {number}"):
        separator = find_separator(line)
    reader = csv.reader(chain([line], lines), delimiter=separator, strict=True)
    labels, rows = read_rows(reader, number - 1, thing)
    if not rows:
        raise InvalidInput(f"it names columns in row {number}, but no {thing} follows", kind="survey_empty")
    commas = separator != "," and uses_commas(labels, rows)
    return Table(dict(head), labels, rows, commas, tuple(warnings))


def read_declaration(line: str, where: str, head: dict[str, tuple[str, str]], warnings: list[str]) -> None:
    """Read `# key: value` into `head`; remarks without a colon are ignored. Spreadsheets add quotes and separators."""
    with locate_errors(where):
        text = line.strip()
        if len(text) > DECLARATION_MAX:
            raise InvalidInput(f"it has {len(text):,} characters; a declaration has at most {DECLARATION_MAX:,}")
        try:
            text = next(csv.reader([text], strict=True))[0] if text.startswith('"') else text.rstrip(",;\t ")
        except csv.Error as error:
            raise InvalidInput(f"its quotes cannot be read: {error}", kind="survey_rows") from error
        key, colon, value = text.lstrip("# \t").partition(":")
        key = key.strip().lower()
        if key not in KEYS:
            warnings += [f"{where}: {clean_text(key, 'key', 40)!r} is not known here and was passed over"] if colon else []
        elif key in head:
            raise InvalidInput(f"{key} is declared in {head[key][0]} already; keep one of them")
        else:
            head[key] = (where, value.strip())


def find_separator(line: str) -> str:
    """Find the separator of the columns: a comma, a semicolon or a tab."""
    found = [separator for separator in (";", "\t", ",") if separator in line]
    if len(found) > 1:
        raise InvalidInput(
            "names of columns have commas, semicolons or tabs between them, not more than one of these", kind="survey_rows"
        )
    return found[0] if found else ","


def read_rows(reader: "csv._reader", before: int, thing: str) -> tuple[tuple[str, ...], list[tuple[str, list[str]]]]:  # type: ignore[name-defined]
    """Read the labels and every row that is not blank; all have the same length."""
    rows: list[tuple[str, list[str]]] = []
    labels: list[str] = []
    begin = before
    try:
        for cells in reader:
            where, begin = f"row {begin + 1}", before + reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            while cells and not cells[-1].strip() and (not labels or len(cells) > len(labels)):
                cells.pop()
            with locate_errors(where):
                if not labels:
                    labels = read_labels(cells)
                elif len(cells) != len(labels):
                    raise InvalidInput(f"it has {len(cells)} cells, and {len(labels)} columns are named", kind="survey_rows")
                elif len(rows) == STONES_MAX:
                    raise InvalidInput(f"at most {STONES_MAX:,} {thing}s are read", kind="survey_many")
                else:
                    rows.append((where, [unguard(cell) for cell in cells]))
    except csv.Error as error:
        raise InvalidInput(f"row {begin + 1}: it cannot be read: {error}", kind="survey_rows") from error
    return tuple(labels), rows


def read_labels(cells: list[str]) -> list[str]:
    """Read the labels of the columns."""
    if len(cells) > COLUMNS_MAX:
        raise InvalidInput(f"it names {len(cells):,} columns; at most {COLUMNS_MAX} are read", kind="survey_columns")
    return [clean_text(cell, f"the name of column {index}", LABEL_MAX) for index, cell in enumerate(cells, 1)]


def uses_commas(labels: tuple[str, ...], rows: list[tuple[str, list[str]]]) -> bool:
    """Return whether numbers have decimal commas; raise when some have points, too: a comma may then be between thousands."""
    kept: dict[str, tuple[str, str]] = {}
    for index, label in enumerate(labels):
        if COLUMNS.get(split_label(label)[0], TEXT) != TEXT:
            for where, cells in rows:
                for mark in (",", "."):
                    if mark in cells[index]:
                        kept.setdefault(mark, (where, label))
    if len(kept) == 2:
        (comma, first), (point, second) = kept[","], kept["."]
        raise InvalidInput(
            f"{comma}, column {first} has a comma and {point}, column {second} a point; write all numbers in one way",
            kind="survey_number",
        )
    return "," in kept


def format_csv(table: Table) -> str:
    """Format a table as the text of a CSV file."""
    head = {key: value for key, (_, value) in table.head.items()}
    head["origin"] = ", ".join(map(repr, head["origin"]))
    head["heading"] = f"{head['heading']!r} {head['angles'][:3]}"
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for key, value in head.items():
        line = f"# {key}: {value}"
        out.write(f"{quote(line) if line.endswith((',', ';')) else line}\n" if value else "")
    writer.writerow(table.labels)
    for _, cells in table.rows:
        writer.writerow([guard_formula(cell) if isinstance(cell, str) else repr(cell) for cell in cells])
    return out.getvalue()


def quote(line: str) -> str:
    """Quote a line for CSV."""
    return '"' + line.replace('"', '""') + '"'
