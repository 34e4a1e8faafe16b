"""`anastylosis summary`: the paper's table of results, with real numbers."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.words import print_missing

if TYPE_CHECKING:
    from anastylosis.report import LevelRow, MoveRow

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
        print_rows([show_level(row) for row in summary.levels], headings=HEADINGS)
        print_rows([show_move(row) for row in summary.moves])
        print(NOTES)
    else:
        print_rows(levels)
        print()
        print_rows(moves)


def show_level(row: "LevelRow") -> dict[str, Any]:
    """A level as it fits a terminal of 80 characters: the interval under the number."""
    friction = f"{row.friction:.2f}"
    if row.friction_low < row.friction_high:
        friction = f"{row.friction_low:.2f}-\n{row.friction_high:.2f}"
    torque = (row.torque_moves_percent, row.torque_moves_low_percent, row.torque_moves_high_percent)
    return {
        "level": row.level,
        "μ": friction,
        "fell": f"{row.collapsed}/{row.episodes}\n{show_range(row.collapsed_low_percent, row.collapsed_high_percent, 0)} %",
        "rounds": show_estimate(row.rounds_mean, row.rounds_low, row.rounds_high, 1),
        "F_min": f"{row.force_min_mN:.1f}",
        "F_τ": f"{row.force_torque_mN:.1f}",
        "felt": show_estimate(row.force_felt_mN, row.force_felt_low_mN, row.force_felt_high_mN, 0),
        "torque": show_estimate(*torque, 0),
        "stuck": f"{row.stuck}\n{show_range(row.stuck_low_percent, row.stuck_high_percent, 0)} %",
    }


def show_move(row: "MoveRow") -> dict[str, Any]:
    """A kind of move for the terminal."""
    bounds = show_range(row.collapse_low_percent, row.collapse_high_percent, 1)
    return {
        "level": row.level,
        "kind of move": row.kind,
        "fell": f"{row.collapsed} of {row.rounds} rounds",
        "share [%]": "-" if math.isnan(row.collapse_percent) else f"{row.collapse_percent:.1f} ({bounds})",
        "stuck": row.stuck,
    }


def show_estimate(value: float, low: float, high: float, decimals: int) -> str:
    return "-" if math.isnan(value) else f"{value:.{decimals}f}\n{show_range(low, high, decimals)}"


def show_range(low: float, high: float, decimals: int) -> str:
    return "-" if math.isnan(low) else f"{low:.{decimals}f}-{high:.{decimals}f}"
