"""Maps of empty slots, by layer and place: predicted and true. Paper, figure (a)."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL, mark_interval, set_rows
from anastylosis.report.panels.slots import draw_map, draw_stars
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.validation import Insight, Interval, PaperFindings

OUTLINE = "#D55E00"
FOOT = (
    "Numbers in the cells: percent. ☆ the model's likeliest slots, as many as it says are gone; orange outline: the slot was "
    "truly empty; hatched bar: layers that fell, the others still stand.\n"
    "Place 0 to 2 across a layer, layer 0 on the floor. Means are over the towers of the test split that had the slot; from the "
    "two top layers of a tower no block is taken."
)


@in_style
def draw_heat_page(insight: Insight, findings: PaperFindings, title: str) -> Figure:
    """Draw the episode, its map, and the mean maps of the test split."""
    figure = begin_page(title, FOOT, 8.8)
    grid = figure.add_gridspec(2, 5, width_ratios=[1.75, 1.15, 1, 1, 1], height_ratios=[1, 0.8])
    draw_picture(figure.add_subplot(grid[0, 0]), insight)
    draw_contrasts(figure.add_subplot(grid[1, 0]), findings)
    panels = [figure.add_subplot(grid[:, column]) for column in range(1, 5)]
    draw_episode_map(panels[0], insight)
    predicted, true = findings.predicted_map, findings.true_map
    most = float(np.nanmax([predicted, true]))
    draw_map(panels[1], predicted, most, "Said, mean, %")
    draw_map(panels[2], true, most, "True, mean, %")
    apart = predicted - true
    draw_map(panels[3], apart, float(np.nanmax(np.abs(apart))), "Said less true", signed=True)
    agreement = findings.map_agreement
    panels[3].set_xlabel("place" if np.isnan(agreement) else f"place\nrank correlation {agreement:.2f}")
    return figure


def draw_picture(axes: Axes, insight: Insight) -> None:
    """Draw the picture that the model saw, and its answers."""
    row, truth, answers = insight.row, insight.truth, insight.answers
    axes.set_title(f"{insight.examples.name[row]}, as the model saw it")
    axes.imshow(insight.grey[row], cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_xlabel(
        f"μ {insight.examples.friction[row]:.2f}; gone: {answers.num_removed[row]:.1f} said, {truth.num_removed[row]:.0f} true; "
        f"torque moves: {answers.torque_risk[row]:.1f} said, {truth.torque_risk[row]:.0f} true",
        fontsize=SMALL,
    )


def draw_episode_map(axes: Axes, insight: Insight) -> None:
    """Draw the probability of every slot of the episode, the model's choice, and the truth."""
    row, truth, answers = insight.row, insight.truth, insight.answers
    layers = int(truth.slots[row].sum()) // BLOCKS_PER_COURSE
    slots = BLOCKS_PER_COURSE * layers
    predicted = answers.removed_locs[row, :slots].astype(float)
    top = insight.choose_top()
    draw_map(axes, predicted, float(predicted.max()), "Said of each slot, %", shift=0.16)
    draw_stars(axes, top, layers)
    for slot in np.flatnonzero(truth.removed_locs[row, :slots]):
        layer, place = divmod(int(slot), BLOCKS_PER_COURSE)
        axes.add_patch(
            Rectangle((place - 0.46, layer - 0.44), 0.92, 0.88, fill=False, edgecolor=OUTLINE, linewidth=2.2, zorder=4)
        )
    first = min(int(truth.failure_layer[row]), layers)
    bar = Rectangle(
        (BLOCKS_PER_COURSE - 0.42, first - 0.5), 0.16, layers - first, facecolor="white", edgecolor=GREY, hatch="//////",
        linewidth=0.8, clip_on=False, zorder=5,
    )  # fmt: skip
    axes.add_patch(bar)
    axes.set_xlim(-0.5, BLOCKS_PER_COURSE - 0.22)
    words: dict[str, Any] = dict(rotation=90, ha="left", va="center", fontsize=SMALL, color=GREY)
    if first < layers:
        axes.text(BLOCKS_PER_COURSE - 0.2, (first + layers - 1) / 2, "fell", **words)
    if first > 1:
        axes.text(BLOCKS_PER_COURSE - 0.2, (first - 1) / 2, "stands", **words)


def draw_contrasts(axes: Axes, findings: PaperFindings) -> None:
    """Draw how much more often lower and side blocks are gone, in truth and as predicted."""
    axes.set_title("Lower and side blocks first?")
    axes.set_xlabel("percentage points more often gone, 95 % interval")
    lines = {
        "lower half\nof the layers": "lower half - upper half, all layers",
        "the same,\nwhere it fell": "lower half - upper half, layers that fell",
        "side blocks": "side - centre, all layers",
        "the same, \nwhere it fell": "side - centre, layers that fell",
    }
    set_rows(axes, list(lines), head=True)
    axes.axvline(0, color=GREY, linewidth=0.9)
    edges = [0.0]
    for row, key in enumerate(lines.values()):
        for name, step, colour in (("true", -0.16, INK), ("said", 0.16, "#0072B2")):
            found = Interval(*(100 * part for part in findings.places[f"{key}: {name}"]))
            mark_interval(axes, found, row + step, colour)
            edges += [part for part in found if np.isfinite(part)]
    room = 0.08 * max(max(edges) - min(edges), 1.0)
    axes.set_xlim(min(edges) - room, max(edges) + room)
    for x, side, words, colour in ((0.0, "left", "● true", INK), (1.0, "right", "● said by the model", "#0072B2")):
        axes.text(x, 0.985, words, transform=axes.transAxes, ha=side, va="top", fontsize=SMALL, color=colour)
    axes.grid(axis="x", color=PALE, linewidth=0.6)
