"""Survey files, `.csv` or `.json`: checked when read, written whole or not at all."""

from collections.abc import Callable
from pathlib import Path

from numpy.typing import ArrayLike

from anastylosis.errors import InvalidInput
from anastylosis.survey.cells import Table
from anastylosis.survey.columns import ANGLE, LENGTH, parse_unit
from anastylosis.survey.csv_file import format_csv, parse_csv
from anastylosis.survey.json_file import format_json, parse_json
from anastylosis.survey.rotation import parse_convention
from anastylosis.survey.survey import Survey
from anastylosis.survey.table import SurveyOptions, build_survey, make_table
from anastylosis.text_file import locate_errors, read_text
from anastylosis.whole_file import write_whole

SURVEY_ENDINGS = (".csv", ".json")
BYTES_MAX = 50_000_000
PARSERS: dict[str, Callable[[str], Table]] = {".csv": parse_csv, ".json": parse_json}
FORMATTERS: dict[str, Callable[[Table], str]] = {".csv": format_csv, ".json": format_json}


def read_survey(
    path: Path | str,
    *,
    units: str | None = None,
    origin: ArrayLike | None = None,
    heading: float | None = None,
    position_sd: float = 0.0,
    orientation_sd: float = 0.0,
) -> Survey:
    """Read the survey in a file; docs/reference/survey-format.md describes the format.

    `units` (m, cm or mm) of lengths, `origin` (3,) [m] and `heading` [rad] of the ground frame override what the file declares,
    but not a unit in the name of a column. Deviations [m] and [rad] are for stones that have none in the file.
    """
    path = Path(path)
    parse = PARSERS[check_ending(path)]
    unit = None if units is None else parse_unit(units, LENGTH, "the survey")
    given = SurveyOptions(unit, origin, heading, position_sd, orientation_sd)
    with locate_errors(str(path)):
        return build_survey(parse(read_text(path, BYTES_MAX, "survey")), given)


def write_survey(
    path: Path | str, survey: Survey, *, units: str = "m", rotation: str = "quaternion", angles: str = "radians"
) -> None:
    """Write a survey, in site coordinates; the file declares its units and its rotation."""
    path = Path(path)
    write = FORMATTERS[check_ending(path)]
    table = make_table(
        survey, parse_unit(units, LENGTH, "the survey"), parse_convention(rotation), parse_unit(angles, ANGLE, "the survey")
    )
    with write_whole(path) as part:
        part.write_text(write(table), encoding="utf-8", newline="\n")


def check_ending(path: Path) -> str:
    """Return the ending of a file; raise when it is no survey's."""
    ending = path.suffix.lower()
    if ending not in PARSERS:
        raise InvalidInput(f"{path} is no survey by its name; it has to end in .csv or .json")
    return ending
