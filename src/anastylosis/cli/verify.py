"""`anastylosis verify`: is a dataset whole and unharmed?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.cli.progress import show_count
from anastylosis.cli.table import print_json
from anastylosis.cli.words import count


def verify_command(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder that `anastylosis simulate` has written.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check that a dataset is complete and undamaged. Checks files and hashes; each episode must be stored once and unchanged."""
    from anastylosis.dataset import verify

    findings = []
    with show_count("episodes") as progress:
        for checked in verify(dataset):
            findings.extend(checked.findings)
            progress(checked.episodes, checked.total, count(len(findings), "finding"))
    if as_json:
        document = {"passed": not findings, "episodes": checked.episodes}
        print_json(document | {"findings": [finding._asdict() for finding in findings]})
    else:
        for finding in findings:
            print(finding)
        result = count(len(findings), "finding") if findings else "all well"
        print(f"{count(checked.episodes, 'episode')} in {dataset}: {result}", file=sys.stderr)
    if findings:
        raise typer.Exit(1)
