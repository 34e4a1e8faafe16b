"""`anastylosis export`: a dataset as files that other programs read. The formats are in `report/exports`."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.new_file import check_out_folder
from anastylosis.cli.progress import show_count
from anastylosis.cli.render import draw_shots, leave_if_failed
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count, parse_numbers
from anastylosis.errors import InvalidInput
from anastylosis.machine import count_cores

if TYPE_CHECKING:
    from anastylosis.survey import Noise


def export_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to; made if it is not there.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="paper: a JSON document an episode; huggingface: a folder that `datasets.load_dataset` opens, with pictures.",
        ),
    ] = "paper",
    csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Also write rounds.csv and episodes.csv, without columns that hold lists, and without the settings."
        ),
    ] = False,
    pictures: Annotated[bool, typer.Option("--pictures", help="Also draw final pictures, in frames/.")] = False,
    videos: Annotated[bool, typer.Option("--videos", help="Also make films, in videos/; each takes about 20 s.")] = False,
    surveys: Annotated[
        bool,
        typer.Option("--surveys", help="Also write a survey of every tower that fell, in surveys/; truth.csv has the slots."),
    ] = False,
    noise: Annotated[
        str | None,
        typer.Option(metavar="MM,DEG", help="Standard deviations of the errors of surveys, such as 5,5 (default: exact)."),
    ] = None,
    hidden: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the stones that are missing in the surveys, such as 0.1.")
    ] = 0.0,
    foreign: Annotated[int, typer.Option(metavar="N", help="Stones in each survey that never belonged to the tower.")] = 0,
    size: Annotated[int, typer.Option(min=64, max=2048, metavar="PX", help="Side length of pictures and films.")] = 512,
    look: Annotated[str, typer.Option(metavar="NAME", help="Material of the blocks: wood, stone or paper.")] = "wood",
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a dataset as files for other programs. Files that exist are not written again.

    The format paper has one JSON document per episode, in experiments/; options add tables, pictures, films and surveys. The
    format huggingface has Parquet files by split, in data/, with the picture, the block ids and the depth of every episode, and
    a README.md.
    """
    from anastylosis.report import FORMATS, ExportSettings, GalleryFile, export_csv, export_surveys

    check_out_folder(out)
    if form not in FORMATS:
        raise InvalidInput(f"--format is {form!r}; choose one of {', '.join(FORMATS)}")
    settings = ExportSettings(size=size, look=look, workers=workers or count_cores())
    if form != "paper":
        parts = {"--csv": csv, "--pictures": pictures, "--videos": videos, "--surveys": surveys, "--noise": noise is not None}
        parts |= {"--hidden": bool(hidden), "--foreign": bool(foreign)}
        if any(parts.values()):
            named = ", ".join(name for name, given in parts.items() if given)
            raise InvalidInput(f"{named} is for --format paper; leave it out, or leave out --format {form}")
        with show_count("episodes") as progress:
            for exported in FORMATS[form](dataset, out, settings):
                progress(exported.done, exported.total, f"{exported.written:,} written")
        print_exported(exported.written, exported.total, out, {"format": form}, as_json)
        return

    if not surveys and (noise is not None or hidden or foreign):
        raise InvalidInput("--noise, --hidden and --foreign are about surveys; add --surveys")
    errors = read_noise(noise, hidden, foreign)
    shots = GalleryFile.plan(dataset, out, videos=videos, size=size, look=look) if pictures or videos else []
    shots = [shot for shot in shots if pictures or shot.target.suffix == ".mp4"]
    with show_count("episodes") as progress:
        for exported in FORMATS[form](dataset, out, settings):
            progress(exported.done, exported.total, f"{exported.written:,} written")
    tables = export_csv(dataset, out) if csv else []
    surveyed = 0
    if surveys:
        with show_count("surveys") as progress:
            for exported_surveys in export_surveys(dataset, out, errors):
                progress(exported_surveys.done, exported_surveys.total, f"{exported_surveys.written:,} written")
        surveyed = exported_surveys.written
    drawn, _, failed = draw_shots(shots, workers or count_cores()) if shots else (0, 0, [])
    document: dict[str, Any] = {"tables": [str(path) for path in tables]} | ({"surveys": surveyed} if surveys else {})
    document |= {"drawn": drawn, "failed": sorted({shot.name for shot in failed})}
    print_exported(exported.written, exported.total, out, document, as_json, f", {count(surveyed, 'survey')}" if surveys else "")
    leave_if_failed(failed)


def print_exported(written: int, total: int, out: Path, document: dict[str, Any], as_json: bool, also: str = "") -> None:
    """Print how many episodes were exported: one JSON document on stdout, or a line on stderr."""
    if as_json:
        print_json({"episodes": total, "written": written} | document)
        return
    kept = total - written
    there = f"({kept:,} {'was' if kept == 1 else 'were'} there)"
    print(f"{count(total, 'episode')} {there}{also} in {out}", file=sys.stderr)


def read_noise(noise: str | None, hidden: float, foreign: int) -> "Noise":
    """Return how surveys err, in SI units: `5,5` are 5 mm and 5 degrees."""
    from anastylosis.survey import Noise

    millimetres, degrees = parse_numbers("--noise", noise or "0,0", ("millimetres", "degrees"))
    return Noise(position=millimetres / 1e3, angle=math.radians(degrees), hidden=hidden, foreign=foreign)
