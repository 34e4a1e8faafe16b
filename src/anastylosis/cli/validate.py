"""`anastylosis validate`: physics against closed forms and a peer."""

import math
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from anastylosis.cli.progress import show_progress
from anastylosis.cli.table import print_json, print_rows

if TYPE_CHECKING:
    from anastylosis.validation import Check


def validate_command(
    quick: Annotated[bool, typer.Option("--quick", help="Repeat every check fewer times: about half a minute in all.")] = False,
    only: Annotated[
        str | None, typer.Option("--only", metavar="NAME", help="Run only the checks whose name contains this word.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check that the physics is right. Compares simulations with exact formulas, and with the engine MuJoCo if it is installed.

    Every row is one check: what was expected, what was measured, and how far the two may be apart. The exit code is 1 if a check
    fails. All checks take some minutes.
    """
    from anastylosis.validation import run_checks

    with show_progress() as progress:
        checks = run_checks(quick=quick, only=only, progress=progress)
    rows = [check._asdict() for check in checks]
    passed = all(check.passed for check in checks)
    if as_json:
        print_json({"passed": passed, "checks": rows})
    else:
        results = [result_of(check) for check in checks]
        lines = [row | {"passed": result} for row, result in zip(rows, results, strict=True)]
        print_rows(lines, headings={"passed": "result"}, columns=("name", "expected", "measured", "tolerance", "unit", "passed"))
        if sys.stdout.isatty():
            for check in checks:
                if check.note:
                    print(f"{check.name}: {check.note}")
            print(", ".join(f"{results.count(result)} {result}" for result in ("pass", "as found", "skipped", "FAIL")))
    if not passed:
        raise typer.Exit(1)


def result_of(check: "Check") -> str:
    """Return the text of a row's last column; a row without a target neither passes nor fails."""
    if not check.passed:
        return "FAIL"
    if math.isnan(check.measured):
        return "skipped"
    return "pass" if math.isfinite(check.tolerance) else "as found"
