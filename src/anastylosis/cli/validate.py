"""`anastylosis validate`: physics against closed forms and a peer."""

from typing import Annotated

import typer

from anastylosis.cli.progress import show_progress
from anastylosis.cli.table import print_json, print_rows

__all__ = ["validate_command"]


def validate_command(
    quick: Annotated[bool, typer.Option("--quick", help="The same rows with fewer repeats: under a minute.")] = False,
    only: Annotated[str | None, typer.Option("--only", metavar="NAME", help="Run the checks whose name contains this.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check the physics against closed forms and a peer; exit code 1 when a check fails."""
    from anastylosis.proof.validate import run_checks

    with show_progress() as progress:
        checks = run_checks(quick=quick, only=only, progress=progress)
    rows = [check._asdict() for check in checks]
    passed = all(check.passed for check in checks)
    if as_json:
        print_json({"passed": passed, "checks": rows})
    else:
        lines = [row | {"passed": "pass" if row["passed"] else "FAIL"} for row in rows]
        print_rows(lines, title=f"{sum(check.passed for check in checks)} of {len(checks)} checks passed")
    if not passed:
        raise typer.Exit(1)
