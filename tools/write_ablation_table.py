"""Write benchmarks/learn/ablation.json into the table of docs/explanation/what-the-model-learns.md; a test keeps it current."""

import json
from pathlib import Path
from typing import Any

from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "what-the-model-learns.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "ablation.json"
TRIALS = {"val": "as learned", "val-light": "other light", "val-camera-near": "near camera"}
METRICS = {"auc_standing": "AUC standing", "auc_collapsed": "AUC fell", "mae": "blocks gone, error"}


def render_page(page: str) -> str:
    """`page` with the table written anew."""
    if not NUMBERS.exists():
        return replace_between(page, "ablation", "*Not measured yet.*\n")
    return replace_between(page, "ablation", render_ablation(json.loads(NUMBERS.read_text(encoding="utf-8"))))


def render_ablation(numbers: dict[str, list[dict[str, Any]]]) -> str:
    """A line a training; for each test the two areas and the error of the count."""
    head = ["training", *(f"{metric}, {trial}" for trial in TRIALS.values() for metric in METRICS.values())]
    lines = []
    for name, rows in numbers.items():
        found = {(row["split"], row["metric"]): row for row in rows}
        cells = [show(found[trial, metric], 2) for trial in TRIALS for metric in METRICS]
        lines.append([name, *cells])
    return render_table(head, lines)


def show(row: dict[str, Any], decimals: int) -> str:
    return f"{row['value']:.{decimals}f} ({row['low']:.{decimals}f}-{row['high']:.{decimals}f})"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
