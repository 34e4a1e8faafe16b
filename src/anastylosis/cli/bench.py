"""`anastylosis bench`: speed, beside peers where they are installed."""

import csv
import io
import os
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer

from anastylosis import __version__
from anastylosis.cli.new_file import check_out_file
from anastylosis.cli.progress import show_progress
from anastylosis.cli.table import print_json, print_rows
from anastylosis.errors import InvalidInput
from anastylosis.machine import install_line

# Columns of the table on the screen; JSON and CSV have all of them.
HEADINGS = {
    "scene": "scene",
    "engine": "engine",
    "solver": "solver",
    "steps_per_second": "Hz",
    "threads": "threads",
    "work_per_simulated_second": "s/s",
    "drift_mm": "drift mm",
    "penetration_um": "pen. um",
    "contacts": "contacts",
    "collide_share": "collide",
    "solve_share": "solve",
    "other_share": "other",
    "seed_seconds": "1st step s",
    "hash": "hash",
}
STATIC_HEADINGS = {"task": "task", "blocks": "blocks", "seconds": "s", "cpu_seconds": "processor s", "hash": "hash"}
BUSY = 1.1  # wall clock over processor time, above which something else kept the core


def bench_command(
    scene: Annotated[
        list[str] | None,
        typer.Option(
            "--scene",
            metavar="NAME",
            help="Run only this scene, or `statics`; may be repeated.",
        ),
    ] = None,
    peers: Annotated[bool, typer.Option(help="Also run the other engines that are installed.")] = True,
    repeats: Annotated[int, typer.Option(min=1, metavar="N", help="Run every scene so often, and take the median.")] = 3,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="CSV",
            help="Also write the rows to this file; the rows of statics go to a file beside it, NAME-statics.csv.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Measure how fast the physics is here.

    Other engines are measured beside it if they are installed.

    Every row is one scene in one engine, on one core: seconds of work for each simulated second (less is faster), how far blocks
    drifted and sank into each other, and a hash of the final state (equal hashes: the same motion, to the last bit). Then
    calculations without time steps are timed.
    """
    if out is not None and not out.absolute().parent.is_dir():
        raise InvalidInput(f"--out {out}: there is no directory {out.parent}; make it first")
    if out is not None:
        check_out_file(out, ".csv")
    from anastylosis.validation import Benchmark

    benchmark = Benchmark(scene or (), peers=peers, repeats=repeats)
    if missing := benchmark.list_missing():
        print(f"without {', '.join(missing)}; to run them too: {install_line('bench')}", file=sys.stderr)
    with show_progress() as progress:
        found = benchmark.run_scenes(progress)
        statics = [row._asdict() for row in benchmark.time_statics(progress)]
    rows = [row._asdict() for row in found]
    warn_if_busy(rows, statics)
    if out is not None and rows:
        write_csv(rows, out)
    if out is not None and statics:
        write_csv(statics, out.with_name(f"{out.stem}-statics{out.suffix}") if rows else out)
    if as_json:
        print_json({"rows": rows, "statics": statics})
        return
    if rows:
        print_scenes(rows, [comparison._asdict() for comparison in benchmark.compare(found)])
    if statics:
        shown = [{name: row[name] for name in STATIC_HEADINGS} for row in statics]
        print_rows(shown, title="without time steps: s is seconds of one call, the median", headings=STATIC_HEADINGS)


def print_scenes(rows: list[dict[str, Any]], comparisons: list[dict[str, Any]]) -> None:
    """Print the table of the scenes, and what is asked of it."""
    shown = [{name: row[name] for name in HEADINGS} for row in rows]
    fits = ("scene", "engine", "solver", "threads", "work_per_simulated_second", "drift_mm", "penetration_um")
    title = "s/s: seconds of work per simulated second, one core, sleeping off; --json and --out have all columns"
    print_rows(shown, title=title, headings=HEADINGS, columns=fits)
    print_rows(comparisons)


def warn_if_busy(rows: list[dict[str, Any]], statics: list[dict[str, Any]]) -> None:
    """Say so when other work took part of the core: the timings are then too long."""
    pairs = [(row["work_per_simulated_second"], row["cpu_per_simulated_second"]) for row in rows if row["threads"] == 1]
    pairs += [(row["seconds"], row["cpu_seconds"]) for row in statics]
    ratio = max((wall / cpu for wall, cpu in pairs), default=1.0)
    if ratio > BUSY:
        print(
            f"the machine was busy: a run took {ratio:.2f} times its processor time; run again when it is quiet", file=sys.stderr
        )


def write_csv(rows: list[dict[str, Any]], path: Path) -> None:
    """Write all fields of all rows and the versions they were measured with; the file is there whole or not at all."""
    versions = {"anastylosis": __version__, "numba": metadata.version("numba"), "python": platform.python_version()}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=[*rows[0], *versions])
    writer.writeheader()
    writer.writerows(row | versions for row in rows)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_text(text.getvalue(), encoding="utf-8", newline="")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
