"""Tables: surveys from the cells of a file, and back."""

import math
from typing import Any, NamedTuple

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput, Kind
from anastylosis.survey.cells import Table, read_numbers, read_texts
from anastylosis.survey.columns import (
    ANGLE,
    COLUMNS,
    LENGTH,
    NUMBER,
    REQUIRED,
    TEXT,
    SurveyColumn,
    find_columns,
    find_rotation,
    from_si,
    refuse_missing,
    to_si,
)
from anastylosis.survey.declaration import declared_ground, declared_rotation, declared_source, declared_unit
from anastylosis.survey.rotation import QUATERNION, Convention, read_rotations, write_rotations
from anastylosis.survey.survey import ID_MAX, NOTES_MAX, REACH, Survey, sort_axes

UNIT_TOLERANCE = 0.01  # how far a quaternion's length may be from 1: three decimals are enough
TURN = 2 * math.pi * (1 + 1e-9)  # [rad] undeclared angles above this are degrees
LIMITS = {"position_sd": REACH, "orientation_sd": math.pi, "certainty": 1.0}  # [m], [rad]; a stone may be without
STATE_MAX = 40  # characters
SET_ASIDE = "set aside"
STATES = (SET_ASIDE, "fallen", "")
NANOMETRE = 9  # decimals of site coordinates [m]; float64 tells no more apart in those of a country


class SurveyOptions(NamedTuple):
    """Options of the caller for reading a file, SI units; None: as the file says.

    They override what the file declares, but not units in the names of columns.
    """

    units: str | None = None  # of lengths
    origin: Any = None  # (3,) [m]
    heading: float | None = None  # [rad]
    position_sd: float = 0.0  # [m] where the file has none
    orientation_sd: float = 0.0  # [rad] the same


def build_survey(table: Table, given: SurveyOptions) -> Survey:
    """Build the survey in a table. Site coordinates become ground coordinates, boxes have their longest side first."""
    found, unknown = find_columns(table.labels)
    refuse_missing(found, unknown, declared_rotation(table))
    rotation = find_rotation(found, unknown, declared_rotation(table))
    units, angles = given.units or declared_unit(table, "units") or "m", declared_unit(table, "angles")

    ids = read_texts(table, found["id"].place, ID_MAX)
    check_ids(table, ids)
    notes = read_texts(table, found["notes"].place, NOTES_MAX) if "notes" in found else [""] * len(ids)
    states = read_texts(table, found["state"].place, STATE_MAX) if "state" in found else [""] * len(ids)
    if "state" in found:
        unknown_states = np.array([state.strip().lower() not in STATES for state in states])
        refuse_rows(table, found["state"], unknown_states, "{!r} is no state; write `set aside`, `fallen`, or nothing")
    si = {name: read_si(table, name, column, units, angles) for name, column in found.items() if COLUMNS[name] != TEXT}
    size, site = (np.stack([si[name] for name in names], axis=1) for names in (("length", "width", "height"), ("x", "y", "z")))
    turns = np.stack([si[name] for name in rotation.columns], axis=1)
    check_sizes(table, found, size)
    if rotation.name == QUATERNION.name:
        check_quaternions(table, turns)

    site_units = {found[name].unit or units for name in ("x", "y", "z")}
    site_unit = site_units.pop() if len(site_units) == 1 else None
    ground = declared_ground(table, site_unit, origin=given.origin, heading=given.heading)
    position, orientation = ground.from_site(site, read_rotations(rotation, turns))
    check_reach(table, found, site, position)
    size, orientation = sort_axes(size, orientation)
    return Survey(
        ids=tuple(ids),
        size=size,
        position=position,
        orientation=orientation,
        position_sd=fill_missing(si.get("position_sd"), len(ids), given.position_sd),
        orientation_sd=fill_missing(si.get("orientation_sd"), len(ids), given.orientation_sd),
        certainty=fill_missing(si.get("certainty"), len(ids), 1.0),
        notes=tuple(notes),
        set_aside=np.array([state.strip().lower() == SET_ASIDE for state in states]),
        ground=ground,
        source=declared_source(table),
        warnings=(*table.warnings, *warn(found, unknown, angles)),
    )


def warn(found: dict[str, SurveyColumn], unknown: list[str], angles: str | None) -> list[str]:
    """Warn about what was ignored, and what was assumed."""
    bare = [column.label for name, column in found.items() if COLUMNS[name] == ANGLE and not (column.unit or angles)]
    taken = [f"no unit of {', '.join(bare)} is declared, so radians were taken"] if bare else []
    return [*(f"column {label!r} is not known here and was passed over" for label in unknown), *taken]


def read_si(table: Table, name: str, column: SurveyColumn, units: str, angles: str | None) -> Floats:
    """Read a column of numbers (B,) in SI units; NaN where a deviation or a certainty is not given."""
    unit = {LENGTH: column.unit or units, ANGLE: column.unit or angles or "rad"}.get(COLUMNS[name], "")
    numbers = np.array(read_numbers(table, column.place, optional=name in LIMITS))
    if COLUMNS[name] == ANGLE and not (column.unit or angles):
        most = 1.0 if name in LIMITS else TURN
        problem = f"{{}} is more than {most:.3g} radians; if it is in degrees, declare `angles: degrees`"
        refuse_rows(table, column, np.abs(numbers) > most, problem, "survey_units")
    values = np.array([to_si(number, unit) for number in numbers.tolist()])
    if name == "certainty":
        problem = "{} cannot be; a certainty is a probability above 0 and at most 1"
        refuse_rows(table, column, (values <= 0) | (values > LIMITS[name]), problem)
    elif name in LIMITS:
        problem = f"{{}} cannot be; a standard deviation is in 0..{LIMITS[name]:.3g}, in metres or radians"
        refuse_rows(table, column, (values < 0) | (values > LIMITS[name]), problem)
    return values


def fill_missing(values: Floats | None, count: int, missing: float) -> Floats:
    """Return numbers (B,), with `missing` where a cell is empty."""
    return np.full(count, missing) if values is None else np.where(np.isnan(values), missing, values)


def refuse_rows(table: Table, column: SurveyColumn, bad: Any, problem: str, kind: Kind = "survey_value") -> None:
    """Raise for the first row that is bad, with its cell in place of the braces."""
    rows = np.flatnonzero(bad)
    if len(rows):
        where, cells = table.rows[rows[0]]
        raise InvalidInput(f"{where}, column {column.label}: {problem.format(str(cells[column.place])[:40])}", kind=kind)


def check_ids(table: Table, ids: list[str]) -> None:
    """Raise unless every stone has a name of its own."""
    first: dict[str, str] = {}
    for (where, _), name in zip(table.rows, ids, strict=True):
        if not name:
            raise InvalidInput(f"{where}, column id: it is empty; give every stone a name", kind="survey_ids")
        if name in first:
            raise InvalidInput(
                f"{where}, column id: {name!r} is the name of {first[name]}, too; every stone needs one of its own",
                kind="survey_ids",
            )
        first[name] = where


def check_sizes(table: Table, found: dict[str, SurveyColumn], size: Floats) -> None:
    """Raise unless all sides are in their range."""
    for axis, name in enumerate(("length", "width", "height")):
        bad = ~((size[:, axis] > 0) & (size[:, axis] <= REACH))
        refuse_rows(table, found[name], bad, f"{{}} cannot be; a side is above 0 and at most {REACH:,.0f} m")


def check_quaternions(table: Table, turns: Floats) -> None:
    """Raise unless quaternions have about unit length."""
    with np.errstate(over="ignore"):  # of numbers such as 1e308: then it is infinite
        length = np.linalg.norm(turns, axis=1)
    rows = np.flatnonzero(~(np.abs(length - 1) <= UNIT_TOLERANCE))
    if len(rows):
        raise InvalidInput(
            f"{table.rows[rows[0]][0]}, columns qw, qx, qy, qz: they have length {length[rows[0]]:.4g}; a rotation is a unit "
            "quaternion, so divide them by their length",
            kind="survey_rotation",
        )


def check_reach(table: Table, found: dict[str, SurveyColumn], site: Floats, position: Floats) -> None:
    """Raise when a stone is too far from the foot of the structure."""
    rows = np.flatnonzero((np.abs(position) > REACH).any(axis=1))
    if len(rows):
        row = rows[0]
        axis = int(np.abs(position[row]).argmax())
        column = found["xyz"[int(np.abs(site[row]).argmax())]]
        raise InvalidInput(
            f"{table.rows[row][0]}, column {column.label}: the stone lies {abs(position[row, axis]):,.0f} m from the foot of the "
            f"structure, and at most {REACH:,.0f} m are read; declare where that is, `origin: x, y, z`, or look at the units",
            kind="survey_far",
        )


def make_table(survey: Survey, units: str, rotation: Convention, angles: str) -> Table:
    """Make the cells of a survey, in site coordinates."""
    site, orientation = survey.ground.to_site(survey.position, survey.orientation)
    coordinates = (
        site.tolist() if survey.ground.is_site else [[round(value, NANOMETRE) for value in place] for place in site.tolist()]
    )
    labels = (*REQUIRED, *rotation.columns, "position_sd", "orientation_sd", "certainty")
    labels += ("state", "notes") if survey.set_aside.any() else ("notes",)
    unit_of = [{LENGTH: units, TEXT: "", NUMBER: NUMBER}.get(COLUMNS[label], angles) for label in labels]
    rows: list[tuple[str, list[Any]]] = []
    turns = write_rotations(rotation, orientation).tolist()
    for row, name in enumerate(survey.ids):
        numbers = [*survey.size[row].tolist(), *coordinates[row], *turns[row]]
        numbers += [float(each[row]) for each in (survey.position_sd, survey.orientation_sd, survey.certainty)]
        cells = [from_si(number, unit) for number, unit in zip(numbers, unit_of[1 : len(numbers) + 1], strict=True)]
        state = [SET_ASIDE if survey.set_aside[row] else ""] if survey.set_aside.any() else []
        rows.append(("", [name, *cells, *state, survey.notes[row]]))
    head = {
        "units": units,
        "angles": {"rad": "radians", "deg": "degrees"}[angles],
        "rotation": rotation.name,
        "origin": [from_si(value, units) for value in survey.ground.origin.tolist()],
        "heading": from_si(survey.ground.heading, angles),
        "source": survey.source,
    }
    return Table({key: ("", value) for key, value in head.items()}, labels, rows)
