"""Balance panels: margins against tipping, and motion when a block is pulled."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from anastylosis.report.panels.marks import GREY, PALE, SMALL, any_pulls, plain_log, say
from anastylosis.report.panels.series import Series
from anastylosis.units import metres_to_millimetres

MILLIMETRES = metres_to_millimetres(1.0)
BINS = 30
DOTS_MOST = 600  # a level; more only cover each other
RARE = 0.005  # share of margins that may lie left of the axis: a tower that is coming apart would stretch it
SMALLEST = 1e-3  # [mm] below it a block has not moved


def draw_margins(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the margin against tipping before each pull, at the weakest interface."""
    axes.set_title("Balance margin before each pull")
    axes.set_xlabel("mm, at the weakest interface")
    axes.set_ylabel("% of pulls")
    margins = [MILLIMETRES * each.games.interface_margin[np.isfinite(each.games.interface_margin)] for each in series]
    ground = np.concatenate([MILLIMETRES * each.games.margin[np.isfinite(each.games.margin)] for each in series])
    every = np.concatenate([*margins, ground])
    if not len(every):
        return say(axes, "no pulls")
    edges = np.linspace(find_left(every), max(1.0, every.max()), BINS + 1)
    if len(ground):
        shares = 100 * np.histogram(ground.clip(edges[0]), edges)[0] / len(ground)
        axes.stairs(shares, edges, fill=True, color=PALE)
        words = "grey: the whole\ntower on the floor"
        axes.text(0.92, 0.98, words, transform=axes.transAxes, ha="right", va="top", fontsize=SMALL, color=GREY)
    for each, values in zip(series, margins, strict=True):
        if len(values):
            axes.stairs(
                100 * np.histogram(values.clip(edges[0]), edges)[0] / len(values), edges, color=each.colour, linewidth=1.8
            )
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(bottom=0)
    mark_lower(axes, sum(int((values < edges[0]).sum()) for values in margins))


def draw_movements(axes: Axes, series: Sequence[Series]) -> None:
    """Draw the margin before a pull, and how far a block then moved that was not pulled."""
    axes.set_title("Margin and movement")
    axes.set_xlabel("margin before the pull, mm")
    axes.set_ylabel("largest displacement, mm")
    if not any_pulls(series):
        return say(axes, "no pulls")
    axes.set_yscale("log")
    every = MILLIMETRES * np.concatenate([each.games.interface_margin for each in series])
    left = find_left(every[np.isfinite(every)])
    for each in series:
        games = each.games
        for fatal, style in ((False, dict(alpha=0.35, s=7)), (True, dict(alpha=0.8, s=13, edgecolor="white", linewidth=0.3))):
            rows = np.flatnonzero((games.fatal == fatal) & np.isfinite(games.interface_margin))
            rows = rows[:: max(1, -(-len(rows) // DOTS_MOST))]
            moved = np.maximum(MILLIMETRES * games.displacement[rows], SMALLEST)
            axes.scatter(
                (MILLIMETRES * games.interface_margin[rows]).clip(left),
                moved,
                color=each.colour,
                rasterized=True,
                zorder=3 if fatal else 2,
                **style,
            )
    axes.set_xlim(left=left)
    mark_lower(axes, int((every < left).sum()))
    plain_log(axes, "y")
    for fatal, words in ((True, "fell"), (False, "stood")):
        moved = MILLIMETRES * np.concatenate([each.games.displacement[each.games.fatal == fatal] for each in series])
        if len(moved):
            axes.annotate(
                words, (1, max(float(np.median(moved)), SMALLEST)), (4, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", ha="left", va="center", fontsize=SMALL, color=GREY,
            )  # fmt: skip


def find_left(margins: NDArray[np.float64]) -> float:
    """Find the left end of the margin axis [mm]: 0, or less if more than a few margins are below."""
    return min(0.0, float(np.quantile(margins, RARE))) if len(margins) else 0.0


def mark_lower(axes: Axes, count: int) -> None:
    """Mark how many values lie left of the axis; they are drawn at its end."""
    if count:
        axes.annotate(
            f"◂ {count}", (0, 0), (2, 3), xycoords="axes fraction", textcoords="offset points", fontsize=SMALL, color=GREY
        )
