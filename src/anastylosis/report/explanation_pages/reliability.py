"""Reliability: whether 30 in 100 of the slots with probability 30 % are empty."""

import numpy as np
from matplotlib.figure import Figure

from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL, plain_log, say
from anastylosis.validation import PaperFindings

TITLES = {"all": "All slots", "standing": "In layers that still stand", "collapsed": "In layers that fell"}
COLOUR = "#0072B2"
SLOTS_MIN = 10  # slots
FOOT = (
    "A dot: the slots whose probability is in one of fifteen bins, with a 95 % interval over towers. On the line, what was said "
    "is what happened; above it, more slots were empty than was said. Below: how many slots are in each bin;\n"
    "hollow dots are of fewer than ten. Calibration error: mean distance of the dots from the line, each weighed by its slots."
)


@in_style
def draw_reliability(findings: PaperFindings, title: str) -> Figure:
    """Draw three curves, and the number of slots behind each dot."""
    figure = begin_page(title, FOOT, 7.2)
    grid = figure.add_gridspec(2, 3, height_ratios=[3, 1])
    for column, (name, words) in enumerate(TITLES.items()):
        curve = findings.curves[name]
        edges = np.linspace(0, 100, len(curve.items) + 1)
        axes, below = figure.add_subplot(grid[0, column]), figure.add_subplot(grid[1, column])
        axes.set_title(f"{words}: {curve.items.sum():,}", pad=21)
        if not curve.items.sum():
            say(axes, "none")
            say(below, "")
            continue
        axes.plot([0, 100], [0, 100], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        x, y = 100 * curve.probability, 100 * curve.rate
        axes.vlines(x, 100 * curve.low, 100 * curve.high, color=COLOUR, linewidth=2.2)
        for chosen, face in ((curve.items >= SLOTS_MIN, COLOUR), ((curve.items > 0) & (curve.items < SLOTS_MIN), "white")):
            if chosen.any():  # a line without points has no place, and the layout would fail
                axes.plot(x[chosen], y[chosen], "o", color=COLOUR, markerfacecolor=face, markersize=6, clip_on=False)
        axes.set(xlim=(-2, 102), ylim=(-2, 102), xticks=range(0, 101, 20), yticks=range(0, 101, 20), ylabel="truly empty, %")
        axes.grid(color=PALE, linewidth=0.6)
        value, low, high = (100 * part for part in curve.error)
        bounds = "" if np.isnan(low) else f" ({low:.1f} to {high:.1f})"
        axes.text(
            0, 1.025, f"calibration error {value:.1f}{bounds} percentage points", transform=axes.transAxes, ha="left",
            va="bottom", fontsize=SMALL + 1, color=INK,
        )  # fmt: skip
        below.stairs(np.maximum(curve.items, 0.5), edges, baseline=0.5, fill=True, color=PALE)
        below.set_yscale("log")
        below.set(xlim=(-2, 102), xticks=range(0, 101, 20), ylim=(0.5, 3 * curve.items.max()))
        below.set(xlabel="said to be empty with, %", ylabel="slots")
        plain_log(below, "y")
    return figure
