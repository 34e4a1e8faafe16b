"""Marks: what panels are made of. Rows of levels, an estimate with its interval, the spread of many values."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import blended_transform_factory
from numpy.typing import NDArray

from anastylosis.report.panels.series import Series
from anastylosis.validation import Interval

INK, GREY, PALE = "#222222", "#6b6b6b", "#dddddd"
SMALL = 8  # [pt] words inside a panel
SPREAD_VALUES_MIN = 5  # values below this are drawn one by one
MANY = 6  # levels; with more there is room for one line each
INTERVAL = "_interval"  # what these lines are called; matplotlib shows no name that begins so
ROOM = 0.22  # share of a panel's width that words beside a mark need
SHORT = 200  # a logarithmic axis whose ends differ by less has more numbers


def set_rows(axes: Axes, labels: Sequence[str], *, head: bool = False, foot: bool = False) -> None:
    """Set one row a label, the first at the top; with room for a line of words above them, or below."""
    axes.set_yticks(range(len(labels)), labels)
    line = 0.08 * len(labels)
    axes.set_ylim(len(labels) - 0.4 + line * foot, -0.6 - line * head)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=PALE, linewidth=0.6)


def percentages(axes: Axes) -> None:
    """Set an x axis from 0 to 100 %, with room for marks at both ends."""
    axes.set_xlim(-3, 103)
    axes.set_xticks(range(0, 101, 25))


def plain_log(axes: Axes, axis: str = "x") -> None:
    """Set a logarithmic axis with its numbers written out: 0.1, 1, 10, 100; over a short way 100, 200, 500, 1000."""
    its = axes.xaxis if axis == "x" else axes.yaxis
    low, high = its.get_view_interval()
    its.set_major_locator(
        LogLocator(base=10, subs=(1, 2, 5) if high < SHORT * low else (1,), numticks=5 if high >= SHORT * low else 7)
    )
    its.set_minor_locator(NullLocator())
    its.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.15g}"))


def mark_interval(axes: Axes, estimate: Interval, y: float, colour: str, label: str = "", size: float = 6) -> None:
    """Draw a dot with its interval; its words stand on the side where there is more room, or above it."""
    value, low, high = estimate
    if np.isnan(value):
        return
    if not np.isnan(low):
        axes.plot([low, high], [y, y], color=colour, linewidth=2.2, solid_capstyle="butt", label=INTERVAL)
    axes.plot([value], [y], "o", color=colour, markersize=size, clip_on=False)
    if label:
        left, right = axes.get_xlim()
        first, last = (value, value) if np.isnan(low) else (low, high)
        before, after = (first - left) / (right - left), (right - last) / (right - left)
        x, step, ha, va = (last, (9, 0), "left", "center") if after > before else (first, (-9, 0), "right", "center")
        if max(before, after) < ROOM:
            if len(axes.get_yticks()) > MANY:
                return
            x, step, ha, va = (value, (0, 5), "center", "bottom")
        axes.annotate(label, (x, y), step, textcoords="offset points", ha=ha, va=va, fontsize=SMALL, color=INK)


def mark_spread(
    axes: Axes, values: NDArray[np.float64], y: float, colour: str, *, filled: bool = True, label: str = "", before: bool = False
) -> None:
    """Mark the spread of many values: 90 % as a thin line, the middle half thick, the median a dot. Few values: a dot each.

    Its words stand after it, or before it.
    """
    if label and len(values):
        end, step, side = (np.quantile(values, 0.05), -6, "right") if before else (np.quantile(values, 0.95), 6, "left")
        axes.annotate(
            label, (end, y), (step, 0), textcoords="offset points", ha=side, va="center", fontsize=SMALL, color=GREY,
            bbox=dict(facecolor="white", edgecolor="none", pad=0.5),
        )  # fmt: skip
    face = colour if filled else "white"
    if len(values) < SPREAD_VALUES_MIN:
        axes.plot(values, np.full(len(values), y), "o", markersize=4, markerfacecolor=face, markeredgecolor=colour)
        return
    p5, p25, p50, p75, p95 = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    axes.plot([p5, p95], [y, y], color=colour, linewidth=1, solid_capstyle="butt")
    axes.plot([p25, p75], [y, y], color=colour, linewidth=5, solid_capstyle="butt", alpha=1 if filled else 0.45)
    axes.plot([p50], [y], "o", markersize=5, markerfacecolor="white", markeredgecolor=colour, markeredgewidth=1.4)


def mark_threshold(axes: Axes, value: float, label: str) -> None:
    """Draw a line across all rows, its words at its foot."""
    axes.axvline(value, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    place = blended_transform_factory(axes.transData, axes.transAxes)
    axes.annotate(
        label, (value, 0), (-3, 3), xycoords=place, textcoords="offset points", ha="right", va="bottom", fontsize=SMALL, color=INK
    )  # fmt: skip


def list_words(axes: Axes, heading: str, lines: Sequence[tuple[str, str]], *, low: bool = False) -> None:
    """List lines under a heading, each after a dot in its colour, at the top right or the lower left."""
    corner, rise, ha, inwards = ((0, 0), len(lines) + 0.6, "left", 1.3) if low else ((1, 0.93), 0.0, "right", -1.3)
    for row, (colour, words) in enumerate([("", heading), *lines]):
        place: dict[str, Any] = dict(
            xycoords="axes fraction", textcoords="offset points", ha=ha, va="bottom" if low else "top", fontsize=SMALL
        )
        y = 1.4 * SMALL * (rise - row)
        if colour:
            axes.annotate("●", corner, (6 * low, y), color=colour, **place)
        axes.annotate(words, corner, (6 * low + inwards * SMALL * bool(colour), y), color=INK if colour else GREY, **place)


def say(axes: Axes, words: str) -> None:
    """Write words in the middle of a panel that has nothing to show."""
    axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", color=GREY)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel("")
    axes.set_ylabel("")
    axes.spines[:].set_visible(False)


def any_pulls(series: Sequence[Series]) -> bool:
    return any(len(each.games.episode) for each in series)
