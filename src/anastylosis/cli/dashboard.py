"""`anastylosis dashboard`: a dataset on one page."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.new_file import check_out_file
from anastylosis.cli.table import print_json
from anastylosis.cli.words import print_missing


def dashboard_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Picture to write: .png or .svg.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Draw twelve panels of a dataset on one page."""
    from anastylosis.dataset import Dataset
    from anastylosis.report import write_dashboard

    check_out_file(out, ".png", ".svg")
    games = Dataset(dataset)
    write_dashboard(games, out)
    print_missing(games)
    if as_json:
        print_json({"files": {"dashboard": str(out)}})
    else:
        print(f"wrote {out}", file=sys.stderr)
