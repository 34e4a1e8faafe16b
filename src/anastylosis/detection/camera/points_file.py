"""Points files: CSV with places on the floor and the pixels where they are seen, x_mm, y_mm, column, row."""

from pathlib import Path

import numpy as np

from anastylosis.detection.camera.points import Points
from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table, at, read_numbers, read_texts
from anastylosis.survey.columns import describe_missing, split_label, to_si
from anastylosis.survey.csv_file import parse_csv
from anastylosis.survey.survey import ID_MAX
from anastylosis.survey.survey_file import read_text

__all__ = ["read_points"]

BYTES_MAX = 2_000_000
REQUIRED = ("x", "y", "column", "row")
KNOWN = ("id", "x", "y", "z", "column", "row")  # z: of points that are not on the floor
EXAMPLE = "x_mm, y_mm, column, row"


def read_points(path: Path | str) -> Points:
    """Read the points in a file. A unit may be part of a name, as in a survey (`x_mm`, `x [cm]`); without one, metres."""
    path = Path(path)
    with at(str(path)):
        if path.suffix.lower() != ".csv":
            raise InvalidInput("points are in a file that ends in .csv")
        table = parse_csv(read_text(path, BYTES_MAX, "list of points"), columns=EXAMPLE, thing="point")
        found = find_places(table)
        missing = [name for name in REQUIRED if name not in found]
        if missing:
            raise InvalidInput(f"{describe_missing(missing)}; the columns are {EXAMPLE}, and it has {', '.join(table.labels)}")
        numbers = {name: read_numbers(table, place) for name, (place, _) in found.items() if name != "id"}
        units = {name: unit or "m" for name, (_, unit) in found.items()}
        nothing = [0.0] * len(table.rows)
        places = [[to_si(value, units.get(name, "m")) for value in numbers.get(name, nothing)] for name in ("x", "y", "z")]
        names = read_texts(table, found["id"][0], ID_MAX) if "id" in found else [""] * len(table.rows)
        called = tuple(f"{where} ({name})" if name else where for (where, _), name in zip(table.rows, names, strict=True))
        return Points(np.array(places).T, np.array([numbers["column"], numbers["row"]]).T, called)


def find_places(table: Table) -> dict[str, tuple[int, str | None]]:
    """Find the place and the unit of each known column."""
    found: dict[str, tuple[int, str | None]] = {}
    for place, label in enumerate(table.labels):
        name, unit = split_label(label)
        if name in found:
            raise InvalidInput(f"column {name} is there twice; keep one of them")
        if name not in KNOWN:
            raise InvalidInput(f"column {label!r} is not known here; the columns are {EXAMPLE}, and id and z_mm if you want")
        found[name] = (place, unit)
    return found
