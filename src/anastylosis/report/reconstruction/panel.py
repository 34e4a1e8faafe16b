"""The panel: what was given, which slots were empty, and every prediction with its meaning. Imports matplotlib."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from anastylosis.models import Prediction
from anastylosis.reconstruction import Reconstruction
from anastylosis.rendering import Picture, probability_colours
from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, PALE, SMALL
from anastylosis.report.panels.slots import CROWDED, draw_map, draw_stars
from anastylosis.report.reconstruction.lines import Line, list_lines
from anastylosis.report.reconstruction.speaking import speak_line
from anastylosis.structure import BLOCKS_PER_COURSE
from anastylosis.translation import Language, translate

WIDTH, HEIGHT = 12.5, 11.6  # [in]
SHADES = ListedColormap(probability_colours(np.linspace(0, 1, 256), absent=True))  # as in the films
LETTERS = 12.0  # [pt] in the cells of the map
LINE = 0.36  # of the height of a row, for each more line of its value
CHARACTERS = 34  # of a value on one line
FOOT = (
    "Brackets: where the truth was nine times in ten. Map: the redder, the more probably the slot was empty before the fall; "
    "L03 and _2 are slot L03_2.\n"
    "☆ the slots most probably empty, as many as are said to have been gone. Count, slots, layer and friction are read from "
    "where the blocks lie;\n"
    "dangerous moves by the picture net, from the heap as its camera would see it. Balance: of the first proposal; in files "
    "it is called imbalance, and inside is\n"
    "below 0. The paper's range is of an offset, which cannot be compared with it."
)


@in_style
def draw_panel(found: Reconstruction, prediction: Prediction, given: Picture, title: str, language: Language = "en") -> Figure:
    """Draw one page: what was given above what is predicted, and the map beside both, as high as the page."""
    figure = begin_page(translate(title, language), translate(FOOT, language), HEIGHT, WIDTH)
    grid = figure.add_gridspec(2, 2, width_ratios=[1.5, 1.0], height_ratios=[1.0, 1.0])
    axes = figure.add_subplot(grid[0, 0])
    axes.set_title(translate("What was given: evidence", language))
    axes.imshow(given)
    axes.set_anchor("NW")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    lines = [speak_line(line, language) for line in list_lines(found, prediction)]
    draw_table(figure.add_subplot(grid[1, 0]), lines, language)
    chart, empty = figure.add_subplot(grid[:, 1]), 1 - found.filled
    layers = len(empty) // BLOCKS_PER_COURSE
    draw_map(chart, empty, 1.0, translate("Inference: was empty, %", language), shift=0.16, shades=SHADES, letters=LETTERS)
    draw_stars(chart, found.emptiest, layers)
    named = range(0, layers, 1 if layers <= CROWDED else 3)
    chart.set_yticks(named, [f"L{layer:02d}" for layer in named])
    chart.set_xticks(range(BLOCKS_PER_COURSE), [f"_{place}" for place in range(BLOCKS_PER_COURSE)])
    return figure


def draw_table(axes: Axes, lines: Sequence[Line], language: Language) -> None:
    """Name and value in large letters, all of it; below them its name in files, meaning and typical range."""
    axes.set_title(translate("Inference: what is predicted", language))
    axes.set_axis_off()
    top = 0.0
    for line in lines:
        value = wrap(line.value, CHARACTERS) or [""]
        more = LINE * (len(value) - 1)
        axes.text(0.0, top + 0.38, line.name, fontsize=11, color=INK, va="center")
        axes.text(0.0, top + 0.72, line.code, fontsize=SMALL + 1, color=GREY, va="center")
        for number, words in enumerate(value):
            axes.text(0.40, top + 0.38 + LINE * number, words, fontsize=12, color=INK, va="center", fontweight="bold")
        axes.text(0.40, top + more + 0.72, line.meaning, fontsize=SMALL + 1, color=GREY, va="center")
        top += more + 1.0
        if line.typical:
            axes.text(
                0.40,
                top,
                translate(f"typical, in the paper: {line.typical}", language),
                fontsize=SMALL + 1,
                color=GREY,
                va="center",
            )
            top += 0.28
        axes.plot([0, 1], [top + 0.02] * 2, color=PALE, linewidth=0.8)
    axes.set_xlim(0, 1)
    axes.set_ylim(top + 0.1, 0)
