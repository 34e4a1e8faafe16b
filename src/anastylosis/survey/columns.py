"""Columns of a survey: their names, their units, and which of them a file has.

    id                                       a name, different for every stone
    length, width, height                    [m] sides of the box
    x, y, z                                  [m] its centre, in site coordinates
    qw, qx, qy, qz                           or roll, pitch, yaw, or azimuth, plunge, roll: its direction
    position_sd, orientation_sd              [m], [rad] standard deviations, if known
    certainty                                probability that it is there and as described, if known
    state                                    `set aside`: somebody has moved it, and its place says nothing; `fallen`, or empty
    notes                                    anything

A unit may be part of a name: `x_mm`, `roll_deg`, `length [cm]`.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from anastylosis.errors import InvalidInput
from anastylosis.survey.rotation import CONVENTIONS, Convention

TEXT, LENGTH, ANGLE, NUMBER = "text", "length", "angle", "number"
COLUMNS = (
    {"id": TEXT}
    | dict.fromkeys(("length", "width", "height", "x", "y", "z"), LENGTH)
    | dict.fromkeys(("qw", "qx", "qy", "qz"), NUMBER)
    | dict.fromkeys(("roll", "pitch", "yaw", "azimuth", "plunge"), ANGLE)
    | {"position_sd": LENGTH, "orientation_sd": ANGLE, "certainty": NUMBER, "state": TEXT, "notes": TEXT}
)
REQUIRED = ("id", "length", "width", "height", "x", "y", "z")
ROTATIONS = "qw, qx, qy, qz, or roll, pitch, yaw, or azimuth, plunge, roll"
PER_METRE = {"m": 1, "cm": 100, "mm": 1000}  # divided by, not multiplied: 81 mm are 0.081 m to the last bit
UNITS = {LENGTH: ("m", "cm", "mm"), ANGLE: ("rad", "deg")}
WORDS = (
    dict.fromkeys(("m", "metre", "metres", "meter", "meters"), "m")
    | dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), "cm")
    | dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), "mm")
    | dict.fromkeys(("rad", "radian", "radians"), "rad")
    | dict.fromkeys(("deg", "degree", "degrees", "°"), "deg")
)
SUFFIX = re.compile(r"(.+)_(m|cm|mm|rad|deg)")
BRACKETS = re.compile(r"(.+?)\s*[\[(]\s*([^\[\]()]*?)\s*[\])]")


class SurveyColumn(NamedTuple):
    """Place and label of a column, and its unit if the label has one."""

    place: int
    label: str
    unit: str | None


def find_columns(labels: Sequence[str]) -> tuple[dict[str, SurveyColumn], list[str]]:
    """Find the known columns, by name, and the labels of unknown ones."""
    found: dict[str, SurveyColumn] = {}
    unknown: list[str] = []
    for index, label in enumerate(labels):
        name, unit = split_label(label)
        if name not in COLUMNS:
            unknown.append(label)
        elif name in found:
            raise InvalidInput(
                f"columns {found[name].label!r} and {label!r} are both {name}; keep one of them", kind="survey_columns"
            )
        else:
            found[name] = SurveyColumn(index, label, unit)
    return found, unknown


def split_label(label: str) -> tuple[str, str | None]:
    """Split a label into name and unit: `x_mm`, `X [mm]` and `x (mm)` are all x in millimetres."""
    text = " ".join(label.lower().split())
    parts = BRACKETS.fullmatch(text) or SUFFIX.fullmatch(text)
    name, word = (parts[1], parts[2]) if parts else (text, "")
    name = name.replace(" ", "_").replace("-", "_")
    kind = COLUMNS.get(name)
    if kind in UNITS and word:
        return name, parse_unit(word, kind, f"column {label!r}")
    return (name, None) if kind in UNITS or not parts else (text, None)


def parse_unit(word: str, kind: str, what: str) -> str:
    """Return the unit that a word names: `mm` for `Millimetres`."""
    unit = WORDS.get(word.strip().lower())
    if unit not in UNITS[kind]:
        raise InvalidInput(
            f"{what} is in {word.strip()[:30]!r}; units of a{'n' * (kind == ANGLE)} {kind} are {', '.join(UNITS[kind])}",
            kind="survey_units",
        )
    return unit


def refuse_missing(found: dict[str, SurveyColumn], unknown: Sequence[str], declared: Convention | None) -> None:
    """Raise when columns are missing, and name all of them, those of the rotation too."""
    missing = [name for name in REQUIRED if name not in found]
    if not missing:
        return
    turned = any(set(convention.columns) <= found.keys() for convention in CONVENTIONS.values())
    if declared:
        missing += [name for name in declared.columns if name not in found]
    rotation = "" if declared or turned else f", and a rotation: {ROTATIONS}"
    raise InvalidInput(f"{describe_missing(missing)}{rotation}{describe_unknown(unknown)}", kind="survey_columns")


def describe_missing(names: Sequence[str]) -> str:
    """Describe the missing columns."""
    return f"column {names[0]} is missing" if len(names) == 1 else f"columns {', '.join(names)} are missing"


def find_rotation(found: dict[str, SurveyColumn], unknown: Sequence[str], declared: Convention | None) -> Convention:
    """Find the convention whose columns are there; Euler angles without a declared order are `euler zyx intrinsic`."""
    there = {name for convention in CONVENTIONS.values() for name in convention.columns if name in found}
    defaults = {convention.columns: convention for convention in reversed(CONVENTIONS.values())}  # the first one is left
    fits = [convention for columns, convention in defaults.items() if there.issuperset(columns)]
    if fits and there != set(fits[0].columns):
        raise InvalidInput(
            f"columns {', '.join(sorted(there))} are more than one rotation; keep one of them", kind="survey_columns"
        )
    wanted = declared.columns if declared else None
    if wanted and not there.issuperset(wanted):
        missing = describe_missing([name for name in wanted if name not in found])
        raise InvalidInput(f"rotation is `{declared.name}`, but {missing}{describe_unknown(unknown)}", kind="survey_columns")  # type: ignore[union-attr]
    if not fits:
        raise InvalidInput(
            f"there is no rotation: columns {ROTATIONS} are needed, "
            f"found {', '.join(sorted(there)) or 'none of them'}{describe_unknown(unknown)}",
            kind="survey_columns",
        )
    return declared or fits[0]


def describe_unknown(unknown: Sequence[str]) -> str:
    """Describe the unknown columns: perhaps a name was mistyped."""
    return f" (not known here: {', '.join(repr(label[:30]) for label in unknown[:10])})" if unknown else ""


def to_si(value: float, unit: str) -> float:
    """Convert a length or an angle to metres or radians."""
    return math.radians(value) if unit == "deg" else value / PER_METRE.get(unit, 1)


def from_si(value: float, unit: str) -> float:
    """Return the shortest number that `to_si` turns back into `value`, or the nearest one if none does."""
    near = math.degrees(value) if unit == "deg" else value * PER_METRE.get(unit, 1)
    short = (float(f"{near:.{digits}g}") for digits in (15, 16))
    return next((number for number in short if to_si(number, unit) == value), near)
