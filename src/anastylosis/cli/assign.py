"""`anastylosis assign`: which block stood where."""

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anastylosis.cli.surveys import (
    Block,
    Complete,
    Deviations,
    FitFrame,
    Heading,
    Layers,
    Origin,
    Units,
    parse_block,
    parse_reading,
    print_survey_warnings,
)
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count
from anastylosis.errors import InvalidInput
from anastylosis.units import metres_to_millimetres

if TYPE_CHECKING:
    from anastylosis.assignment import Assignment
    from anastylosis.mechanics import Balance

PLACE_COLUMNS = ("layer", "place", "x", "y", "z", "qw", "qx", "qy", "qz")  # of the slot, on the site
SHOWN = 8  # slots that were most probably empty; --json has all
LEFT_SHOWN = 8  # blocks that are left out, and why
UNSURE = 0.5  # blocks whose slot is less probable are counted


def assign_command(
    survey: Annotated[
        Path, typer.Argument(metavar="SURVEY", help="Surveyed blocks, .csv or .json (docs/reference/survey-format.md).")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="A.csv", help="Table to write, one line a block: its slot, the position, and the next best slots."
        ),
    ] = None,
    slots: Annotated[
        Path | None,
        typer.Option(
            "--slots", metavar="S.csv", help="Table to write, one line a slot: the probability that it was empty before the fall."
        ),
    ] = None,
    layers: Layers = None,
    friction: Annotated[
        str, typer.Option(metavar="MU", help="Friction: low, nominal, high or a coefficient (unknown: it is inferred).")
    ] = "unknown",
    complete: Complete = False,
    units: Units = None,
    origin: Origin = None,
    heading: Heading = None,
    error: Deviations = None,
    block: Block = None,
    fit_frame: FitFrame = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", metavar="M.onnx", help="Model of `train assign` (default: the one that ships)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find where each block of a survey stood. Ranks slots with probabilities, and tells what was missing.

    A block is left out, with the reason, if it fits no slot or probably stood in none.
    """
    from anastylosis.assignment import Assigner
    from anastylosis.models import find_assigner
    from anastylosis.survey import read_survey

    check_paths(survey, out, slots)
    found = read_survey(survey, **parse_reading(units, origin, heading, error))
    assignment = Assigner.from_file(model or find_assigner(seen=found.seen)).assign(
        found, layers, friction, complete=complete, block=parse_block(block), fit_frame=fit_frame
    )
    print_survey_warnings(survey, found, assignment.warnings)
    files = []
    for path, save in ((out, assignment.save), (slots, assignment.save_slots)):
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
            save(path)
            files.append(str(path))
    if as_json:
        document = assignment.as_document()
        places = [{name: row[name] if row["slot"] else None for name in PLACE_COLUMNS} for row in assignment.list_blocks()]
        document["blocks"] = [block | place for block, place in zip(document["blocks"], places, strict=True)]
        print_json({"survey": str(survey), "files": files} | document)
    else:
        show(survey, assignment)
        for file in files:
            print(f"{file} is written", file=sys.stderr)


def check_paths(*paths: Path | None) -> None:
    """Raise when a file would be written over another one of this call, or in the place of a folder."""
    given = [Path(os.path.realpath(path)) for path in paths if path]
    if len(set(given)) < len(given):
        raise InvalidInput("the survey, --out and --slots have to be different files")
    for path in given:
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder; name a file")


def describe_weakest(balance: "Balance") -> str:
    """Describe the interface that is nearest to tipping, or past it."""
    if not math.isfinite(balance.weakest_margin):
        return f"nothing is under layer {balance.weakest}, so it cannot have stood just so"
    margin = metres_to_millimetres(balance.weakest_margin)
    stood = "" if margin > 0 else ", so it cannot have stood just so"
    return f"weakest under layer {balance.weakest}, with a margin of {margin:.1f} mm{stood}"


def show(survey: Path, assignment: "Assignment") -> None:
    """Print the assignment for people to read."""
    placed = assignment.slot >= 0
    best = [assignment.placed[block, slot] for block, slot in enumerate(assignment.slot) if slot >= 0]
    unsure = sum(chance < UNSURE for chance in best)
    gone, friction, balance = assignment.num_removed, assignment.friction, assignment.balance
    ranked = ", ".join(f"{courses} {chance:.0%}" for courses, chance in assignment.courses_ranked[:3])
    height = f"told; by the blocks alone {ranked}" if assignment.courses_given else f"not told: {ranked}"
    likely = sorted(zip(assignment.removed, assignment.structure.ids, strict=True), key=lambda pair: -pair[0])[:SHOWN]
    print(survey)
    print(f"  blocks        {len(placed)}, of which {int(placed.sum())} are put back, {unsure} with less than {UNSURE:.0%}")
    print(f"  tower         {count(assignment.courses, 'layer')} ({height})")
    print(f"  slots empty   {gone.words()}")
    print(f"  most likely   {', '.join(f'{name} {chance:.0%}' for chance, name in likely)}")
    print(f"  gave way      layer {assignment.failure_course} ({assignment.failure[assignment.failure_course]:.0%})")
    way = math.degrees(assignment.direction + assignment.survey.ground.heading) % 360
    print(f"  fell towards  {way:.0f} degrees from the site's x, counter-clockwise")
    known = "" if assignment.friction_given is None else f"; told {assignment.friction_given:g}"
    print(f"  friction      {friction.words(2)}{known}")
    if balance is not None and math.isfinite(balance.imbalance):
        print(f"  imbalance     {metres_to_millimetres(balance.imbalance):.1f} mm; {describe_weakest(balance)}")
    left = [f"{name}: {reason}" for name, reason in zip(assignment.survey.ids, assignment.reasons, strict=True) if reason]
    for line in left[:LEFT_SHOWN]:
        print(f"  left out      {line}")
    if len(left) > LEFT_SHOWN:
        print(f"  left out      and {len(left) - LEFT_SHOWN:,} more, in --json and --out")
