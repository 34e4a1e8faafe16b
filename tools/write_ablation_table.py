"""Write benchmarks/learn/ablation.json into the table of docs/explanation/what-the-model-learns.md; a test keeps it current."""

import json
from pathlib import Path
from typing import Any

from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "what-the-model-learns.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "ablation.json"
TRIALS = {
    "val": "Pictures as those it learned from",
    "val-light": "Other light, blocks, floor and sensor",
    "val-camera-near": "A camera a few degrees beside",
}
METRICS = {"auc_standing": "AUC standing", "auc_collapsed": "AUC fell", "mae": "blocks gone, error"}


def render_page(page: str) -> str:
    """`page` with the table written anew."""
    if not NUMBERS.exists():
        return replace_between(page, "ablation", "*Not measured yet.*\n")
    return replace_between(page, "ablation", render_ablation(json.loads(NUMBERS.read_text(encoding="utf-8"))))


def render_ablation(numbers: dict[str, list[dict[str, Any]]]) -> str:
    """A table a test, a line a training: the two areas and the error of the count."""
    tables = []
    for trial, meaning in TRIALS.items():
        found = {(name, row["metric"]): row for name, rows in numbers.items() for row in rows if row["split"] == trial}
        lines = [[name, *(show(found[name, metric], 2) for metric in METRICS)] for name in numbers]
        tables.append(f"**{meaning}**\n\n{render_table(['training', *METRICS.values()], lines)}")
    return "\n".join(tables)


def show(row: dict[str, Any], decimals: int) -> str:
    return f"{row['value']:.{decimals}f} ({row['low']:.{decimals}f}-{row['high']:.{decimals}f})"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
