"""Write benchmarks/learn/curve.json into the table of docs/explanation/assignment.md; a test keeps it current."""

import json
from pathlib import Path
from typing import Any

from write_ablation_table import show
from write_claims_table import render_table, replace_between

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "explanation" / "assignment.md"
NUMBERS = PROJECT / "benchmarks" / "learn" / "curve.json"
COLUMNS = {  # split and metric: what it is
    ("val-18", "top1"): "right slot, exact survey",
    ("val-18-field", "top1"): "field survey",
    ("val-18", "auc"): "empty slots, AUC, exact",
    ("val-18-field", "auc"): "field",
    ("test-mujoco", "top1"): "right slot, MuJoCo's debris",
    ("test-mujoco", "said"): "as the net itself expects",
}
HEADS = {"top1": "placed", "said": "placed", "auc": "removed_locs"}


def render_page(page: str) -> str:
    """`page` with the table written anew."""
    if not NUMBERS.exists():
        return replace_between(page, "curve", "*Not measured yet.*\n")
    return replace_between(page, "curve", render_curve(json.loads(NUMBERS.read_text(encoding="utf-8"))))


def render_curve(numbers: dict[str, Any]) -> str:
    """A line a training."""
    head = ["preset", "episodes", "collapses learned from", *COLUMNS.values()]
    found = {(row["preset"], row["episodes"], row["split"], row["head"], row["metric"]): row for row in numbers["rows"]}
    learned = {(row["preset"], row["episodes"]): row["learned_from"] for row in numbers["rows"]}
    lines = []
    for (preset, episodes), count in learned.items():
        rows = [found.get((preset, episodes, split, HEADS[metric], metric)) for split, metric in COLUMNS]
        lines.append([f"`{preset}`", f"{episodes:,}", f"{count:,}", *(show(row, 3) if row else "-" for row in rows)])
    return f"Each trained for {numbers['epochs']} epochs.\n\n{render_table(head, lines)}"


if __name__ == "__main__":
    PAGE.write_text(render_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
