"""Declarations of a file before its stones: units, angles, rotation, and where the ground frame is.

# units: mm                               of lengths whose column does not name one; metres if not declared
# angles: degrees                         the same of angles; radians if not declared
# rotation: euler zyx intrinsic
# origin: 487213.402, 2251876.118, 43.20  the foot of the structure in site coordinates, in the unit of x, y, z or in one named
# heading: 30 deg                         from the site's x to the ground's, counter-clockwise
# source: total station, May 2026
"""

import re
from collections.abc import Sequence
from typing import Any

from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table
from anastylosis.survey.columns import ANGLE, LENGTH, parse_unit, to_si
from anastylosis.survey.rotation import Convention, parse_convention
from anastylosis.survey.survey import Ground
from anastylosis.text_file import SOURCE_MAX, clean_text, locate_errors, parse_number

KEYS = ("units", "angles", "rotation", "origin", "heading", "source")
TAIL = re.compile(r"(.*[\d.])\s*([^\d\s.,;]+)", re.DOTALL)


def declared_unit(table: Table, key: str) -> str | None:
    """Return the unit that `units` or `angles` names; None: not declared."""
    if key not in table.head:
        return None
    where, value = table.head[key]
    with locate_errors(where, key):
        return parse_unit(str(value), LENGTH if key == "units" else ANGLE, "it")


def declared_rotation(table: Table) -> Convention | None:
    """Return the declared convention of rotations; None: not declared."""
    if "rotation" not in table.head:
        return None
    where, value = table.head["rotation"]
    with locate_errors(where, "rotation"):
        return parse_convention(str(value))


def declared_source(table: Table) -> str:
    """Return the declared source: who measured, when, with what."""
    where, value = table.head.get("source", ("", ""))
    with locate_errors(where, "source"):
        return clean_text(value, "it", SOURCE_MAX)


def declared_ground(table: Table, site_unit: str | None, *, origin: Any = None, heading: float | None = None) -> Ground:
    """Return the ground frame: as given here in SI units, else as declared, else the site's own.

    `site_unit` is that of x, y and z; None when they differ.
    """
    if origin is None:
        origin = read_origin(table, site_unit)
    if heading is None:
        heading = read_heading(table)
    return Ground(origin=origin, heading=heading)


def read_origin(table: Table, site_unit: str | None) -> tuple[float, ...]:
    """Read the declared origin [m]."""
    if "origin" not in table.head:
        return (0.0, 0.0, 0.0)
    where, value = table.head["origin"]
    with locate_errors(where, "origin"):
        parts, word = split_origin(value)
        if len(parts) != 3:
            raise InvalidInput(f"it has {len(parts)} numbers; write x, y and z of the foot of the structure: `1.5, 2.5, 0`")
        unit = parse_unit(word, LENGTH, "it") if word else site_unit
        if unit is None:
            raise InvalidInput("x, y and z are in different units; name that of the origin: `1.5, 2.5, 0 m`", kind="survey_units")
        point = tuple(to_si(parse_number(part), unit) for part in parts)
        Ground(origin=point)  # type: ignore[arg-type]  # refused here, where the row is known
        return point


def split_origin(value: Any) -> tuple[Sequence[Any], str]:
    """Split an origin into its numbers and the word behind them; with semicolons between, decimal commas are read."""
    if not isinstance(value, str):
        return (value if isinstance(value, list) else [value]), ""
    tail = TAIL.fullmatch(value.strip())
    numbers, word = (tail[1], tail[2]) if tail else (value, "")
    if ";" in numbers:
        return [part.replace(",", ".") for part in numbers.split(";")], word
    return numbers.split(","), word


def read_heading(table: Table) -> float:
    """Read the declared heading [rad]."""
    if "heading" not in table.head:
        return 0.0
    where, value = table.head["heading"]
    with locate_errors(where, "heading"):
        tail = TAIL.fullmatch(value.strip()) if isinstance(value, str) else None
        number = parse_number(tail[1] if tail else value, commas=table.commas)
        unit = parse_unit(tail[2], ANGLE, "it") if tail else declared_unit(table, "angles")
        if unit is None and number:
            raise InvalidInput(
                f"is {number:g} in degrees or in radians? Write `{number:g} deg` or `{number:g} rad`", kind="survey_units"
            )
        angle = to_si(number, unit or "rad")
        Ground(heading=angle)
        return angle
