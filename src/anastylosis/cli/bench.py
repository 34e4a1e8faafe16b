"""`anastylosis bench`: speed, beside peers where they are installed."""

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from anastylosis.cli.progress import show_progress
from anastylosis.cli.table import print_json, print_rows
from anastylosis.errors import InvalidInput

__all__ = ["bench_command"]

HEADINGS = {
    "work_per_simulated_second": "s/s",
    "penetration_um": "pen. um",
    "collide_share": "collide",
    "solve_share": "solve",
    "other_share": "other",
}


def bench_command(
    scene: Annotated[list[str] | None, typer.Option("--scene", metavar="NAME", help="Only this scene; may be repeated.")] = None,
    peers: Annotated[bool, typer.Option(help="Run the installed peers beside this engine.")] = True,
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="Take the best of this many runs.")] = 3,
    out: Annotated[Path | None, typer.Option("--out", metavar="CSV", help="Also write the rows to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure seconds of work per simulated second on one core with sleeping off, and the state hash."""
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidInput(f"--out {out}: there is no directory {out.parent}; make it first")
    from anastylosis.proof.bench import run_bench

    with show_progress() as progress:
        rows = [row._asdict() for row in run_bench(scenes=scene, peers=peers, repeats=repeats, progress=progress)]
    if out is not None:
        write_csv(rows, out)
    if as_json:
        print_json({"rows": rows})
    else:
        print_rows(rows, title="s/s: seconds of work per simulated second, one core, sleeping off", headings=HEADINGS)


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)
