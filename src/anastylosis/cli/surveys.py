"""Surveys on the command line: the options that say how one is read, and what is told about one."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.words import parse_numbers
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.survey import Survey

WARNINGS_SHOWN = 8

Layers = Annotated[
    int | None, typer.Option(metavar="N", help="Height of the tower in layers before the fall (default: inferred).")
]
Complete = Annotated[
    bool, typer.Option("--complete", help="Declare that every block was found: slots without one were empty before the fall.")
]
Units = Annotated[str | None, typer.Option(metavar="UNIT", help="Unit of lengths: m, cm or mm (default: as the file declares).")]
Origin = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,Z", help="Middle of the tower's foot in site coordinates [m] (default: as the file declares, or 0,0,0)."
    ),
]
Heading = Annotated[
    float | None,
    typer.Option(metavar="DEGREES", help="Angle from the site's x axis to the length of the bottom blocks, counter-clockwise."),
]
Block = Annotated[
    str | None,
    typer.Option(
        metavar="LxWxH",
        help="Size of the blocks: jenga (75x25x15mm), paper (81x26x18mm), or three sides with a unit (default: of a survey, "
        "their usual size; of pictures, paper).",
    ),
]
FitFrame = Annotated[
    bool | None,
    typer.Option(
        "--fit-frame/--keep-frame",
        help="If the blocks contradict --origin or --heading, take both from the blocks, or keep those given (default: refuse).",
    ),
]
Deviations = Annotated[
    str | None,
    typer.Option(metavar="MM,DEGREES", help="Standard deviations for blocks that have none in the file; 0,0: exact."),
]


def parse_reading(units: str | None, origin: str | None, heading: float | None, error: str | None) -> dict[str, Any]:
    """Parse the options of reading a survey into the arguments of `read_survey`, in SI units."""
    millimetres, degrees = parse_numbers("--error", error or "0,0", ("millimetres", "degrees"))
    if min(millimetres, degrees) < 0:
        raise InvalidInput(f"--error is {error!r}; a standard deviation is 0 or more")
    return {
        "units": units,
        "origin": parse_numbers("--origin", origin, "xyz") if origin else None,
        "heading": None if heading is None else math.radians(heading),
        "position_sd": millimetres / 1e3,
        "orientation_sd": math.radians(degrees),
    }


def parse_block(block: str | None) -> tuple[float, float, float] | None:
    """Parse the size of a block into metres; the longest side first."""
    from anastylosis.structure import read_block_size

    try:
        return None if block is None else read_block_size(block)
    except InvalidInput as error:
        raise InvalidInput(f"--block: {error}") from None


def print_survey_warnings(path: Path, survey: "Survey", warnings: Sequence[str]) -> None:
    """Print the first warnings on stderr, and how many more there are."""
    for warning in warnings[:WARNINGS_SHOWN]:
        print(f"{path}: {warning}", file=sys.stderr)
    if len(warnings) > WARNINGS_SHOWN:
        more = len(warnings) - WARNINGS_SHOWN
        hint = "" if survey.position_sd.any() else "; if the survey is not exact, say how good it is (--error)"
        print(f"{path}: and {more:,} more like these, in --json{hint}", file=sys.stderr)
