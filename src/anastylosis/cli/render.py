"""`anastylosis render`: pictures and films of episodes."""

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anastylosis.cli.new_file import check_out_folder
from anastylosis.cli.progress import show_bar
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count
from anastylosis.machine import count_cores

if TYPE_CHECKING:
    from anastylosis.report import GalleryFile


def render_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    videos: Annotated[bool, typer.Option("--videos", help="Also make films; each takes about 20 s.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder for frames/ and videos/ (default: DATASET).")
    ] = None,
    size: Annotated[
        int,
        typer.Option(
            min=64, max=2048, metavar="PX", help="Side length of pictures and films; with --videos an even number, 240 or more."
        ),
    ] = 512,
    look: Annotated[str, typer.Option(metavar="NAME", help="Material of the blocks: wood, stone or paper.")] = "wood",
    view: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Camera of the pictures. debris: as near as the debris allows; model: the camera that `predict` expects.",
        ),
    ] = "debris",
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document; `files` lists the files that this call asks for.")
    ] = False,
) -> None:
    """Draw the final picture of every episode. Existing files of this size, look and view are kept; `--videos` also makes films.

    If an episode cannot be drawn, the others still are. It is named at the end, and the exit code is 1.
    """
    from anastylosis.report import GalleryFile

    if out is not None:
        check_out_folder(out)
    shots = GalleryFile.plan(dataset, out or dataset, videos=videos, size=size, look=look, view=view)
    drawn, kept, failed = draw_shots(shots, workers or count_cores())
    if as_json:
        lost = {shot.target for shot in failed}
        files = [str(shot.target) for shot in shots if shot.target not in lost]
        print_json({"files": files, "drawn": drawn, "kept": kept, "failed": sorted({shot.name for shot in failed})})
    else:
        also = f", {len(failed)} failed" if failed else ""
        print(f"{drawn} drawn, {kept} kept{also}, in {out or dataset}", file=sys.stderr)
    leave_if_failed(failed)


def draw_shots(shots: "list[GalleryFile]", workers: int) -> "tuple[int, int, list[GalleryFile]]":
    """Draw what is missing, with a bar; return how many were drawn, how many were there, and the failed ones."""
    from anastylosis.report import GalleryFile

    kept = len(shots) - len(GalleryFile.find_missing(shots))
    failed: list[GalleryFile] = []
    try:
        with show_bar("drawing", len(shots), kept) as advance, closing(GalleryFile.draw_all(shots, workers)) as done:
            for shot in done:
                advance(f"{shot.target.name} failed" if shot.trouble else shot.target.name)
                failed += [shot] if shot.trouble else []
    except KeyboardInterrupt:
        there = len(shots) - len(GalleryFile.find_missing(shots))
        print(f"{there} of {count(len(shots), 'file')} are there; the same command goes on", file=sys.stderr)
        raise
    return len(shots) - kept - len(failed), kept, failed


def leave_if_failed(failed: "list[GalleryFile]") -> None:
    """Name the episodes that could not be drawn, if any, and leave with 1."""
    for trouble in dict.fromkeys(shot.trouble for shot in failed):
        print(f"anastylosis: {describe_names(failed, trouble)} cannot be drawn: {trouble}", file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def describe_names(failed: "list[GalleryFile]", trouble: str) -> str:
    """Name the episodes that have this trouble: `low_exp_0003 and 7 more`."""
    first, *others = dict.fromkeys(shot.name for shot in failed if shot.trouble == trouble)
    return f"{first} and {len(others)} more" if others else first
