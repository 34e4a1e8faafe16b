"""`anastylosis summary`: the paper's table of results, with real numbers."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.words import print_missing

NOTES = """\
Under an estimate: its 95 % interval. A round is a pull that was not stuck.
F_min and F_τ: the paper's 3 and 4 μ m g. felt: largest force of the hand at a
pull, mean over blocks that came out. torque: rounds with a side block pulled
across."""

HEADINGS = {"F_min": "F_min\n[mN]", "F_τ": "F_τ\n[mN]", "felt": "felt\n[mN]", "torque": "torque\n[%]"}


def summary_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print the paper's table of results. Also prints collapses by kind of move; intervals are 95 %."""
    from anastylosis.dataset import Dataset
    from anastylosis.report import summarise

    games = Dataset(dataset)
    summary = summarise(games)
    print_missing(games)
    levels, moves = ([row._asdict() for row in rows] for rows in summary)
    if as_json:
        print_json({"levels": levels, "moves": moves})
    elif sys.stdout.isatty():
        print_rows([row.abridge() for row in summary.levels], headings=HEADINGS)
        print_rows([row.abridge() for row in summary.moves])
        print(NOTES)
    else:
        print_rows(levels)
        print()
        print_rows(moves)
