"""Write benchmarks/learn/curve.json into the table of docs/explanation/assignment.md; a test keeps it current."""

import json
from pathlib import Path
from typing import Any

from write_ablation_table import show
from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "assignment.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "curve.json"
SURVEYS = {"val-18": "exact", "val-18-field": "field"}
METRICS = {"top1": ("right slot", 3), "layer_error": ("layers off", 2), "auc": ("empty slots, AUC", 3)}


def render_page(page: str) -> str:
    """`page` with the table written anew."""
    if not NUMBERS.exists():
        return replace_between(page, "curve", "*Not measured yet.*\n")
    return replace_between(page, "curve", render_curve(json.loads(NUMBERS.read_text(encoding="utf-8"))))


def render_curve(numbers: dict[str, Any]) -> str:
    """A line a training."""
    head = ["episodes", "collapses learned from"]
    head += [f"{meaning}, {survey}" for survey in SURVEYS.values() for meaning, _ in METRICS.values()]
    found = {(row["episodes"], row["split"], row["metric"]): row for row in numbers["rows"]}
    learned = {row["episodes"]: row["learned_from"] for row in numbers["rows"]}
    lines = []
    for episodes, count in learned.items():
        cells = [show(found[episodes, split, metric], METRICS[metric][1]) for split in SURVEYS for metric in METRICS]
        lines.append([f"{episodes:,}", f"{count:,}", *cells])
    return f"Each trained for {numbers['epochs']} epochs.\n\n{render_table(head, lines)}"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
