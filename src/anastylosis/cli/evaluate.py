"""`anastylosis evaluate`: every head of a model against every baseline."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_bar, show_count
from anastylosis.cli.table import print_json, print_rows
from anastylosis.cli.words import tell_missing

__all__ = ["evaluate_command"]


def evaluate_command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="File that `anastylosis train` has written.")],
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    beside: Annotated[
        list[Path] | None, typer.Option("--with", metavar="MODEL", help="Another model to stand beside it; may be given again.")
    ] = None,
    debris: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Parquet file of other debris to try them on, such as that of another engine."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="The test split as it is, and nothing out of the range of training.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="PAGE.md", help="Write the tables as a page, too.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Processes that draw; one a core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Judge models on the test splits of a dataset. Beside them stand the prior, nearest neighbours and ridge regression.

    No training has seen these splits. The test split whole and by friction level, then out of the range of training: other
    heights, frictions and players, other cameras, other light, debris of other engines. Intervals are 95 %, over episodes.
    The baselines learn from the training split of DATASET.
    """
    from anastylosis.dataset import Dataset
    from anastylosis.learn.evaluation import Row, evaluate, list_trials, open_contest

    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
    source = Dataset(dataset)
    tell_missing(source)
    trials = list_trials(source, debris or [])
    trials = trials[:1] if quick else trials
    with show_count("pictures") as tell:
        contest = open_contest(
            [model, *(beside or [])], source, workers=workers, tell=lambda which, done, total: tell(done, total, which)
        )
    for name, opened in contest.models.items():
        if opened.card.dataset.get("fingerprint") != source.manifest.fingerprint:
            print(f"{name} has learned from another dataset than the baselines, or from this one before it grew", file=sys.stderr)
    rows: list[Row] = []
    with show_bar("scored", len(trials) * (len(contest.models) + 3)) as advance:
        for part in evaluate(contest, trials):
            rows += part
            advance(f"{part[0].model} on {part[0].split}" if part else "nothing")
    if out:
        from anastylosis.report.evaluation import write_page

        write_page(out, rows, [model, *(beside or [])], contest)
        print(f"{out} is written", file=sys.stderr)
    if as_json:
        print_json({"rows": [row._asdict() for row in rows]})
    else:
        print_rows([row._asdict() for row in rows], decimals={"value": 3, "low": 3, "high": 3})
