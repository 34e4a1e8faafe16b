"""The panel: what was given, which slots were empty, and every prediction with its meaning. Imports matplotlib."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from anastylosis.predict.prediction import Prediction
from anastylosis.reconstruct.reconstruction import Reconstruction
from anastylosis.render import probability_colours
from anastylosis.render.picture import Picture
from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL
from anastylosis.report.panels.slots import draw_map, draw_stars
from anastylosis.report.reconstruction.card import choose_stars
from anastylosis.report.reconstruction.lines import Line, list_lines

__all__ = ["draw_panel"]

HEIGHT = 7.4  # [in]
SHADES = ListedColormap(probability_colours(np.linspace(0, 1, 256)))  # of probabilities, as in the films
FOOT = (
    "Brackets: where the truth was nine times in ten. ☆ the slots most probably empty before the fall, as many as are said "
    "to have been gone; numbers in the cells: percent.\n"
    "Count, slots, layer and friction are read from where the blocks lie; dangerous moves by the picture net, from the "
    "heap as its camera would see it. Imbalance: of the first proposal, minus the margin of its weight over the ground; "
    "the paper's is an offset."
)


@in_style
def draw_panel(found: Reconstruction, prediction: Prediction, given: Picture, title: str) -> Figure:
    """One page."""
    figure = begin_page(title, FOOT, HEIGHT)
    grid = figure.add_gridspec(1, 3, width_ratios=[1.25, 0.62, 1.5])
    axes = figure.add_subplot(grid[0, 0])
    axes.set_title("What was given: evidence")
    axes.imshow(given)
    axes.set_anchor("N")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    chart = figure.add_subplot(grid[0, 1])
    empty = 1 - found.filled
    draw_map(chart, empty, 1.0, "Inference: was empty, %", shift=0.16, shades=SHADES)
    draw_stars(chart, choose_stars(found), len(empty) // 3)
    draw_table(figure.add_subplot(grid[0, 2]), list_lines(found, prediction))
    return figure


def draw_table(axes: Axes, lines: Sequence[Line]) -> None:
    """Name and value in large letters; below them its name in files, meaning and typical range."""
    axes.set_title("Inference: what is predicted")
    axes.set_xlim(0, 1)
    axes.set_ylim(len(lines), 0)
    axes.set_axis_off()
    for row, line in enumerate(lines):
        axes.text(0.0, row + 0.38, line.name, fontsize=11, color=INK, va="center")
        axes.text(0.0, row + 0.70, line.code, fontsize=SMALL + 1, color=GREY, va="center")
        axes.text(0.36, row + 0.38, line.value, fontsize=12, color=INK, va="center", fontweight="bold", wrap=True)
        words = f"{line.meaning}; typical: {line.typical}" if line.typical else line.meaning
        axes.text(0.36, row + 0.70, words, fontsize=SMALL + 1, color=GREY, va="center")
        axes.plot([0, 1], [row + 0.98] * 2, color=PALE, linewidth=0.8)
