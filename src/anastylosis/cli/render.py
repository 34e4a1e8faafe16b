"""`anastylosis render`: pictures and films of episodes."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_bar
from anastylosis.cli.table import print_json
from anastylosis.machine import count_cores

__all__ = ["render_command"]


def render_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    videos: Annotated[bool, typer.Option("--videos", help="Films too: about 20 s of work each.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for frames/ and videos/; DATASET if not given.")
    ] = None,
    size: Annotated[
        int, typer.Option(min=64, max=2048, metavar="PX", help="Sides of pictures and films; even with --videos.")
    ] = 512,
    look: Annotated[str, typer.Option(metavar="NAME", help="wood, stone or paper.")] = "wood",
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes; one a core if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Draw the final picture of every episode. What is there with this size and look is kept; `--videos` makes films too."""
    from anastylosis.report import draw_gallery, find_missing, list_shots

    shots = list_shots(dataset, out or dataset, videos=videos, size=size, look=look)
    there = len(shots) - len(find_missing(shots))
    with show_bar("drawing", len(shots), there) as advance:
        for shot in draw_gallery(shots, workers or count_cores()):
            advance(shot.target.name)
    if as_json:
        print_json({"files": [str(shot.target) for shot in shots], "drawn": len(shots) - there})
    else:
        files = "1 file" if len(shots) == 1 else f"{len(shots)} files"
        print(f"{files} ({there} {'was' if there == 1 else 'were'} there) in {out or dataset}", file=sys.stderr)
