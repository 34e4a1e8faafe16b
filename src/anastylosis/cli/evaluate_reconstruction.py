"""`anastylosis evaluate-reconstruction`: how well falls are reconstructed whose truth is known."""

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.new_file import check_out_file
from anastylosis.cli.progress import show_bar
from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.words import count, print_missing
from anastylosis.machine import count_cores

KEPT = "reconstruction"  # folder of finished falls, in the dataset
FIELD = (0.005, math.radians(5), 0.06)  # errors [m] and [rad] of a field survey, and the share of blocks that it does not find


def evaluate_reconstruction_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    split: Annotated[str, typer.Option(metavar="NAME", help="Split of the dataset to evaluate on.")] = "test",
    episodes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of falls of each split, counted from the first.")
    ] = 100,
    debris: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Parquet file of more debris to evaluate on, such as debris from another engine."),
    ] = None,
    hypotheses: Annotated[
        int,
        typer.Option(
            min=0, max=10_000, metavar="N", help="Proposals to re-simulate for each fall; 0: no physics, about a second a fall."
        ),
    ] = 32,
    field: Annotated[
        bool,
        typer.Option(
            "--field",
            help="Use surveys as in the field: errors of 5 mm and 5 degrees, 6 % of the blocks missing, not declared complete.",
        ),
    ] = False,
    pictures: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="Number of falls, counted from the first, to reconstruct from one picture, too."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, metavar="S", help="Random seed; the same seed gives the same numbers.")] = 0,
    out: Annotated[Path | None, typer.Option(metavar="PAGE.md", help="Also write the tables to this page.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Worker processes (default: one per core).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Evaluate reconstructions of known towers. Compares them with retrieval and the prior.

    Surveys are exact and declared complete, unless --field is given. The height is given, friction is not. With --pictures, falls
    are also reconstructed from one picture, 512 pixels wide. Intervals are 95 %, over falls.

    A fall takes about half a minute of one core. Finished falls are kept in DATASET/reconstruction: after a stop, the same call
    goes on.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.executors import open_pool
    from anastylosis.reconstruction import (
        MethodComparison,
        ReconstructionConfig,
        run_comparison,
        score_records,
    )
    from anastylosis.report import write_comparison
    from anastylosis.survey import Noise

    if out:
        check_out_file(out, ".md")
        out.parent.mkdir(parents=True, exist_ok=True)
    source = Dataset(dataset)
    print_missing(source)
    position, angle, hidden = FIELD if field else (0.0, 0.0, 0.0)
    comparison = MethodComparison(
        noise=Noise(position=position, angle=angle, hidden=hidden), complete=not field,
        config=ReconstructionConfig(hypotheses=hypotheses, seed=seed, assembly=False, picture_net=False),
    )  # fmt: skip
    entries = comparison.gather(source, split, episodes, debris or ())
    if pictures:
        seen = replace(comparison, pictures=True, complete=False)
        entries += [replace(entry, split=f"{split}-picture") for entry in seen.gather(source, split, pictures)]
    records = []
    try:
        with open_pool(workers or count_cores()) as execute, show_bar("reconstructed", len(entries)) as advance:
            for record in run_comparison(entries, dataset / KEPT, execute):
                records.append(record)
                advance(record["episode"])
    except KeyboardInterrupt:
        print(f"{len(records)} of {count(len(entries), 'fall')} are kept; the same command goes on", file=sys.stderr)
        raise
    order = {(entry.split, entry.fall.name): number for number, entry in enumerate(entries)}
    rows = score_records(sorted(records, key=lambda record: order[record["split"], record["episode"]]))
    if out:
        words = ["anastylosis", "evaluate-reconstruction", dataset.name, "--split", split, "--episodes", str(episodes)]
        words += [word for other in debris or [] for word in ("--debris", other.name)]
        words += (
            ["--field"] * field
            + (["--pictures", str(pictures)] if pictures else [])
            + ["--hypotheses", str(hypotheses), "--out", out.name]
        )
        write_comparison(out, rows, words)
        print(f"{out} is written", file=sys.stderr)
    if as_json:
        print_json({"rows": [row._asdict() for row in rows]})
    else:
        print_rows([row._asdict() for row in rows], decimals={"value": 3, "low": 3, "high": 3})
