"""Pages of scores: every number of every model beside its baselines, in Markdown."""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anastylosis.validation import ScoreRow
from anastylosis.whole_file import write_whole

# What is shown of each head: metric, what it says, decimals; whether more is better.
Shown = Mapping[str, Sequence[tuple[str, str, int, bool]]]
ALWAYS_GOOD = ("ece", "coverage")  # of the prior, which says how often things are: that it is calibrated is no merit


@dataclass(frozen=True, kw_only=True)
class ScorePage:
    """Contents and layout of a page of results."""

    title: str
    about: str  # what a reader has to know, in Markdown
    shown: Shown
    trials: Mapping[str, str]  # name of a split -> heading
    baselines: tuple[str, ...]
    counted: str = "num_removed"  # head whose count is the number of episodes


def write_page(path: Path, page: ScorePage, rows: Sequence[ScoreRow], cards: Mapping[str, Any], command: Sequence[str]) -> None:
    """Write the page, whole or not at all. `cards`: of the models by name; `command`: the words that made it."""
    with write_whole(path) as part:
        part.write_text(render_page(page, rows, cards, shlex.join(command)), encoding="utf-8")


def render_page(page: ScorePage, rows: Sequence[ScoreRow], cards: Mapping[str, Any], command: str) -> str:
    """Render all tables. Bold: the best, where its interval is apart from that of the best baseline."""
    lines = [f"# {page.title}", ""]
    lines += [f"Written by `{command}`; do not edit. Brackets are 95 % intervals over episodes. {page.about}", ""]
    lines += ["| model | kind | learned from | chosen and calibrated on |", "|---|---|---|---|"] if cards else []
    for name, card in cards.items():
        counts = card.dataset["episodes"]
        kind = f"{card.kind}, {card.size} px" if isinstance(getattr(card, "size", None), int) else card.kind
        lines.append(f"| {name} | {kind} | {counts['train']:,} collapses | {counts['val']:,} |")
    for split in dict.fromkeys(row.split for row in rows):
        found = [row for row in rows if row.split == split]
        lines += ["", f"## {name_trial(page, split)}", "", *render_trial(page, found)]
    return "\n".join(lines) + "\n"


def name_trial(page: ScorePage, split: str) -> str:
    """Return the heading of a split; `-field` is the same debris, surveyed as in the field."""
    if split in page.trials:
        return page.trials[split]
    plain = split.removesuffix("-field")
    return f"{page.trials[plain]}, field survey" if plain != split and plain in page.trials else split


def render_trial(page: ScorePage, rows: Sequence[ScoreRow]) -> list[str]:
    """Render one table: a line a metric, a column a model."""
    names = list(dict.fromkeys(row.model for row in rows))
    found = {(row.head, row.metric, row.model): row for row in rows}
    episodes = next((row.count for row in rows if row.head == page.counted), None)
    counted = f"up to {max(row.count for row in rows):,} pictures a row" if episodes is None else f"{episodes:,} episodes"
    lines = [f"`{rows[0].split}`, {counted}.", ""]
    lines += [f"| | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for head, metrics in page.shown.items():
        for metric, meaning, decimals, up in metrics:
            cells = [found.get((head, metric, name)) for name in names]
            if any(cell is not None and math.isfinite(cell.value) for cell in cells):
                marked = [render_cell(cell, cells, decimals, up, page.baselines) for cell in cells]
                lines.append(f"| {meaning} | {' | '.join(marked)} |")
    return lines


def render_cell(
    cell: ScoreRow | None, all_cells: Sequence[ScoreRow | None], decimals: int, up: bool, baselines: Sequence[str]
) -> str:
    if cell is None or not math.isfinite(cell.value):
        return "-"
    to = " to " if cell.low < 0 else "-"
    text = f"{cell.value:.{decimals}f} ({cell.low:.{decimals}f}{to}{cell.high:.{decimals}f})"
    known = {each.model: each for each in all_cells if each is not None and math.isfinite(each.value)}
    beside = [known[name] for name in baselines if name in known]
    if cell.model not in baselines and beside and all(beats(cell, other, up) for other in beside):
        return f"**{text}**"
    judged = cell.metric not in ALWAYS_GOOD and cell.model != "prior" and "prior" in known
    if judged and not beats(cell, known["prior"], up):
        return f"*{text}*"
    return text


def beats(one: ScoreRow, other: ScoreRow, up: bool) -> bool:
    """Return whether the intervals are apart, and this one is on the better side."""
    return one.low > other.high if up else one.high < other.low
