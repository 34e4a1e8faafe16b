"""`anastylosis explain`: figures and numbers of what a picture model has learned."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.new_file import check_out_folder
from anastylosis.cli.progress import show_bar, show_count
from anastylosis.cli.table import print_json
from anastylosis.cli.words import print_missing


def explain_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that `anastylosis train` has written.")],
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the figures and the numbers; created if missing.")
    ],
    episode: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Episode of the test split to show (default: the one with the median loss).",
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes that draw pictures (default: one per core).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Draw figures of what a picture model learned.

    The figures show its answers to the test split; no training has seen it. Figures: empty slots, a map of the embedding, torque
    against count (the paper's figure), calibration of probabilities, saliency, loss curves and the first filters. The numbers
    are in findings.json. Figures that do not apply to the model are left out and named.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.models import PictureModel
    from anastylosis.validation import Insight

    check_out_folder(out)
    opened = PictureModel.from_file(model, threads=2)
    source = Dataset(dataset)
    print_missing(source)
    with show_count("pictures") as progress:
        insight = Insight.open(
            opened, source, episode=episode, workers=workers, progress=lambda done, total: progress(done, total, "test")
        )
    from anastylosis.report import Explanation

    with show_bar("drawing", len(Explanation.STEPS)) as advance:
        done = Explanation.write(insight, model, Path(os.path.realpath(source.folder)).name, out, advance)
    for name, why in done.left_out.items():
        print(f"left out: {name}, {why}", file=sys.stderr)
    files = {name: str(path) for name, path in done.files.items()}
    if as_json:
        print_json({"files": files, "findings": done.findings})
    else:
        for path in files.values():
            print(path)
