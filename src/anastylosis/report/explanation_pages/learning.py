"""Learning curves: the loss, epoch after epoch."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL, plain_log

TRAIN, VAL = "#E69F00", "#0072B2"
COLUMNS = 4  # of terms
ORDERS = 20  # a loss whose ends differ by more is drawn on a logarithmic axis
NAMES = {
    "num_removed": "blocks gone",
    "removed_locs": "which slots",
    "imbalance": "imbalance",
    "torque_risk": "torque moves",
    "failure_layer": "failure layer",
    "friction_level": "friction",
    "block_set": "block set",
    "displacement": "displacement",
}
FOOT = (
    "Losses as they are weighed in the sum. The dotted line is the epoch with the lowest sum on the validation split: that net "
    "is in the file. A term that rises behind it is learned by heart; one that stays where it began was not learned."
)


@in_style
def draw_learning(history: Sequence[Mapping[str, float]], title: str) -> Figure:
    """Draw the whole loss, and its terms on the validation split."""
    terms = [name for name in history[0] if name.startswith("val_") and all(name in row for row in history)]
    rows = max(1, -(-len(terms) // COLUMNS))
    figure = begin_page(title, FOOT, 6.0)
    grid = figure.add_gridspec(rows, 2 + COLUMNS)
    epoch = [row["epoch"] for row in history]
    best = epoch[int(np.argmin([row["val"] for row in history]))]
    whole = figure.add_subplot(grid[:, :2])
    whole.set_title("The whole loss")
    for name, colour, words in (("train", TRAIN, "training split"), ("val", VAL, "validation split")):
        draw_line(whole, epoch, [row[name] for row in history], colour, words)
    whole.legend(loc="best", fontsize=SMALL, frameon=False)
    finish(whole, epoch, best, [row[name] for row in history for name in ("train", "val")])
    for place, name in enumerate(terms):
        axes = figure.add_subplot(grid[place // COLUMNS, 2 + place % COLUMNS])
        values = [row[name] for row in history]
        axes.set_title(NAMES.get(name[4:], name[4:]))
        draw_line(axes, epoch, values, VAL, "")
        finish(axes, epoch, best, values)
        if place // COLUMNS < rows - 1 and place + COLUMNS < len(terms):
            axes.set_xlabel("")
    return figure


def draw_line(axes: Axes, epoch: Sequence[float], values: Sequence[float], colour: str, words: str) -> None:
    axes.plot(epoch, values, "o-" if len(epoch) < 12 else "-", color=colour, linewidth=1.8, markersize=4, label=words)


def finish(axes: Axes, epoch: Sequence[float], best: float, values: Sequence[float]) -> None:
    axes.axvline(best, color=INK, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    axes.set_xlabel("epoch")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=5))
    axes.set_xlim(min(epoch) - 0.3, max(epoch) + 0.3)
    axes.grid(color=PALE, linewidth=0.6)
    axes.tick_params(axis="y", labelcolor=GREY)
    if min(values) > 0 and max(values) > ORDERS * min(values):
        axes.set_yscale("log")
        plain_log(axes, "y")
    else:
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
