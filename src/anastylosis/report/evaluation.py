"""The page of an evaluation: every head of every model beside its baselines, in Markdown."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from anastylosis.learn.evaluation import BASELINES, Contest, Row
from anastylosis.predict.model import Model
from anastylosis.whole_file import write_whole

__all__ = ["render_page", "write_page"]

# What is shown of each head: metric, what it says, decimals; `up`: more is better.
SHOWN: Mapping[str, Sequence[tuple[str, str, int, bool]]] = {
    "num_removed": (("mae", "blocks removed, mean error", 2, False), ("coverage", "in the range of nine in ten, share", 3, True)),
    "removed_locs": (
        ("auc", "empty slots, AUC", 3, True),
        ("auc_standing", "AUC, layers that stand", 3, True),
        ("auc_collapsed", "AUC, layers that fell", 3, True),
        ("auc_within", "AUC within an episode", 3, True),
        ("auc_within_collapsed", "the same, layers that fell", 3, True),
        ("ap", "average precision", 3, True),
        ("brier", "Brier score", 3, False),
        ("ece", "calibration error", 3, False),
    ),
    "imbalance": (
        ("mae_mm", "imbalance, mean error [mm]", 2, False),
        ("coverage", "in the range of nine in ten, share", 3, True),
    ),
    "torque_risk": (("mae", "torque moves, mean error", 2, False), ("spearman", "torque moves, rank correlation", 2, True)),
    "failure_layer": (
        ("top1", "failure layer, share right", 3, True),
        ("mae", "failure layer, mean error", 2, False),
    ),
    "friction_level": (("accuracy", "friction level, share right", 3, True),),
    "block_set": (
        ("presence_f1", "block set, F1 of presence", 3, True),
        ("absence_f1", "block set, F1 of absence", 3, True),
        ("centroid", "block set, centre [share of side]", 4, False),
        ("centroid_assigned", "the same, best assignment", 4, False),
        ("angle_degrees", "block set, angle [degrees]", 2, False),
    ),
    "displacement": (
        ("error", "displacement [share of side]", 4, False),
        ("error_collapsed", "the same, layers that fell", 4, False),
    ),
}
ALWAYS_GOOD = ("ece", "coverage")  # of the prior, which says how often things are: that it is calibrated is no merit
TRIALS = {
    "test": "The test split",
    "test-low": "Friction level low",
    "test-nominal": "Friction level nominal",
    "test-high": "Friction level high",
    "test-untold": "Friction and height not told",
    "test-tall": "Taller towers: 30 layers",
    "test-slippery": "Friction 0.15",
    "test-rough": "Friction 0.80",
    "test-greedy": "Another player: greedy",
    "test-mujoco": "Debris made by MuJoCo",
    "test-light": "Other light, blocks, floor and sensor",
    "test-camera-near": "A camera a few degrees beside",
    "test-camera-any": "A camera anywhere, other light",
}


def write_page(path: Path, rows: Sequence[Row], models: Sequence[Path], contest: Contest) -> None:
    """Write the page; there whole or not at all."""
    command = f"anastylosis evaluate {models[0].name} DATASET" + "".join(f" --with {other.name}" for other in models[1:])
    with write_whole(path) as part:
        part.write_text(render_page(rows, contest.models, f"{command} --out {path.name}"), encoding="utf-8")


def render_page(rows: Sequence[Row], models: Mapping[str, Model], command: str) -> str:
    """All tables. Bold: the best, where its interval is apart from that of the best baseline."""
    lines = [
        "# How good the picture models are", "",
        f"Written by `{command}`; do not edit. Brackets are 95 % intervals over episodes. **Bold**: better than every baseline "
        "(prior, neighbour, ridge) with intervals apart. *Italic*: no better than the prior, which knows friction and "
        "height and no picture, or not with intervals apart; where no model does better, the picture does not tell. What the "
        "numbers mean is told in "
        "[what the models learn](what-the-model-learns.md).", "",
        "| model | kind | learned from | chosen and calibrated on |", "|---|---|---|---|",
    ]  # fmt: skip
    for name, model in models.items():
        card = model.card
        counts = card.dataset["episodes"]
        lines.append(f"| {name} | {card.kind}, {card.size} px | {counts['train']:,} collapses | {counts['val']:,} |")
    for split in dict.fromkeys(row.split for row in rows):
        found = [row for row in rows if row.split == split]
        lines += ["", f"## {TRIALS.get(split, split)}", "", *render_trial(found)]
    return "\n".join(lines) + "\n"


def render_trial(rows: Sequence[Row]) -> list[str]:
    """One table: a line a metric, a column a model."""
    names = list(dict.fromkeys(row.model for row in rows))
    found = {(row.head, row.metric, row.model): row for row in rows}
    episodes = next((row.count for row in rows if row.head == "num_removed"), 0)
    lines = [f"`{rows[0].split}`, {episodes:,} episodes.", ""]
    lines += [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for head, metrics in SHOWN.items():
        for metric, meaning, decimals, up in metrics:
            cells = [found.get((head, metric, name)) for name in names]
            if any(cell is not None and math.isfinite(cell.value) for cell in cells):
                lines.append(f"| {meaning} | {' | '.join(render_cell(cell, cells, decimals, up) for cell in cells)} |")
    return lines


def render_cell(cell: Row | None, all_cells: Sequence[Row | None], decimals: int, up: bool) -> str:
    if cell is None or not math.isfinite(cell.value):
        return "-"
    text = f"{cell.value:.{decimals}f} ({cell.low:.{decimals}f}-{cell.high:.{decimals}f})"
    known = {each.model: each for each in all_cells if each is not None and math.isfinite(each.value)}
    baselines = [known[name] for name in BASELINES if name in known]
    if cell.model not in BASELINES and baselines and all(beats(cell, other, up) for other in baselines):
        return f"**{text}**"
    judged = cell.metric not in ALWAYS_GOOD and cell.model != "prior" and "prior" in known
    if judged and not beats(cell, known["prior"], up):
        return f"*{text}*"
    return text


def beats(one: Row, other: Row, up: bool) -> bool:
    """True when the intervals are apart, and this one is on the better side."""
    return one.low > other.high if up else one.high < other.low
