"""`anastylosis export`: a dataset as files that other programs read."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_count
from anastylosis.cli.render import draw_shots, leave_if_failed
from anastylosis.cli.table import print_json
from anastylosis.machine import count_cores

__all__ = ["export_command"]


def export_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to; made if it is not there.")],
    csv: Annotated[
        bool,
        typer.Option("--csv", help="rounds.csv and episodes.csv too; columns that hold lists, and the settings, are left out."),
    ] = False,
    pictures: Annotated[bool, typer.Option("--pictures", help="Final pictures too, in frames/.")] = False,
    videos: Annotated[bool, typer.Option("--videos", help="Films too, in videos/: about 20 s of work each.")] = False,
    size: Annotated[int, typer.Option(min=64, max=2048, metavar="PX", help="Sides of pictures and films.")] = 512,
    look: Annotated[str, typer.Option(metavar="NAME", help="wood, stone or paper.")] = "wood",
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes that draw; one a core if not given.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a dataset in the paper's layout. A JSON document an episode, in experiments/; what is there is not written again."""
    from anastylosis.report import export_csv, export_experiments, list_shots

    shots = list_shots(dataset, out, videos=videos, size=size, look=look) if pictures or videos else []
    shots = [shot for shot in shots if pictures or shot.target.suffix == ".mp4"]
    with show_count("episodes") as tell:
        for exported in export_experiments(dataset, out):
            tell(exported.done, exported.total, f"{exported.written:,} written")
    tables = export_csv(dataset, out) if csv else []
    drawn, _, failed = draw_shots(shots, workers or count_cores()) if shots else (0, 0, [])
    if as_json:
        document = {"episodes": exported.total, "written": exported.written, "tables": [str(path) for path in tables]}
        print_json(document | {"drawn": drawn, "failed": sorted({shot.name for shot in failed})})
    else:
        episodes = "1 episode" if exported.total == 1 else f"{exported.total:,} episodes"
        kept = exported.total - exported.written
        print(f"{episodes} ({kept:,} {'was' if kept == 1 else 'were'} there) in {out}", file=sys.stderr)
    leave_if_failed(failed)
