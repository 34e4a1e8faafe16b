"""Dashboard: twelve panels of a dataset on one page, as a picture. Imports matplotlib; only its command imports this."""

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from anastylosis import __version__
from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.report.games import Games, read_games
from anastylosis.report.panels.grid import draw_panels
from anastylosis.report.panels.marks import GREY, INK
from anastylosis.report.panels.series import Series, make_series
from anastylosis.whole_file import write_whole

SUFFIXES = (".png", ".svg")
SIZE = (16.0, 11.2)  # [in]
DPI = 110
HEAD, FOOT = 0.075, 0.045  # shares of the height
LEFT = 0.012  # share of the width
NAME_MAX = 60  # letters
KEY_LEAST = 4.0  # [pt] of the keys of very many levels

STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same letters on every machine
    "font.size": 9,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.titlepad": 8,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": GREY,
    "ytick.color": INK,
    "svg.hashsalt": "anastylosis",  # the same bytes from the same data
}
FOOTNOTE = (
    "A round is a pull that was not stuck. Bars with a white dot: thin 90 % of the values, thick the middle half, dot the "
    "median. Intervals: Wilson for falls, bootstrap over games for means and shares."
)


def write_dashboard(dataset: Dataset, path: Path) -> None:
    """Draw the dashboard into a PNG or SVG file, by its suffix; whole or not at all."""
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise InvalidInput(f"{path} does not end in .png or .svg, the pictures that can be written; name it so")
    if not path.parent.is_dir():
        raise InvalidInput(f"{path.parent} is not a folder; make it first")
    with write_whole(path) as part, matplotlib.rc_context(STYLE):
        metadata: dict[str, Any] = {"Software": None} if kind == ".png" else {"Date": None, "Creator": "Anastylosis"}
        draw_dashboard(dataset).savefig(part, format=kind[1:], dpi=DPI, metadata=metadata)


def draw_dashboard(dataset: Dataset) -> Figure:
    """Draw the dashboard of what is finished in a dataset."""
    energy, angle = read_criterion(dataset)
    name = Path(os.path.realpath(dataset.folder)).name
    figure = draw_page(read_games(dataset), name=name, version=dataset.manifest.version, energy=energy, angle=angle)
    settle(figure)
    return figure


def draw_page(levels: list[Games], *, name: str, version: str, energy: float | None = None, angle: float | None = None) -> Figure:
    """Draw twelve panels, row by row, not laid out yet; `energy` [J] and `angle` [rad] are those that a collapse needs."""
    with matplotlib.rc_context(STYLE):
        rect = (0.005, FOOT, 0.985, 1 - HEAD - FOOT)
        layout = ConstrainedLayoutEngine(rect=rect, w_pad=0.12, h_pad=0.12, hspace=0.03, wspace=0.03)
        figure = Figure(figsize=SIZE, dpi=DPI, layout=layout, facecolor="white")
        FigureCanvasAgg(figure)
        series = make_series(levels)
        draw_panels(figure, series, energy=energy, angle=angle)
        write_head(figure, clean_name(name), series)
        write_foot(figure, clean_name(name), version)
        return figure


def settle(figure: Figure) -> None:
    """Lay the panels out for good. Rounded: the last bits differ from run to run, and the ids of an SVG are made of them."""
    with matplotlib.rc_context(STYLE):
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, width, height = axes.get_position().bounds
        axes.set_position((round(x, 6), round(y, 6), round(width, 6), round(height, 6)))


def write_head(figure: Figure, name: str, series: Sequence[Series]) -> None:
    """Write the title and the colour of every level."""
    games, pulls = sum(len(each.games.fell) for each in series), sum(len(each.games.episode) for each in series)
    title = f"{name}: {games:,} {'game' if games == 1 else 'games'}, {pulls:,} {'pull' if pulls == 1 else 'pulls'}"
    figure.text(LEFT, 0.985, title, ha="left", va="top", fontsize=16, fontweight="bold", color=INK)
    size = 10.0
    while write_keys(figure, series, size) > 1 - LEFT and size > KEY_LEAST:
        for text in figure.texts[1:]:
            text.remove()
        size -= 0.5


def write_keys(figure: Figure, series: Sequence[Series], size: float) -> float:
    """Write the keys of the colours in one line; return where it ends, as a share of the width."""
    x = end = LEFT
    for each in series:
        for word, colour, gap in (("●", each.colour, 0.004), (f"{each.label}, μ {each.friction}", INK, 0.016)):
            text = figure.text(x, 0.942, word, ha="left", va="center_baseline", fontsize=size, color=colour)
            end = text.get_window_extent().x1 / figure.bbox.width
            x = end + gap
    return end


def write_foot(figure: Figure, name: str, version: str) -> None:
    """Write the reading notes and the source."""
    made = f"Dataset {name}, begun by Anastylosis {version}; drawn by {__version__}."
    figure.text(LEFT, 0.027, FOOTNOTE, ha="left", va="center", fontsize=8, color=GREY)
    figure.text(LEFT, 0.010, made, ha="left", va="center", fontsize=8, color=GREY)


def clean_name(name: str) -> str:
    """Return a folder's name as one line can hold it. `$` would be an equation."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in name)
    return (plain if len(plain) <= NAME_MAX else f"{plain[:NAME_MAX]}…").replace("$", r"\$")


def read_criterion(dataset: Dataset) -> tuple[float | None, float | None]:
    """Return energy [J] and angle [rad] that a collapse needs, where all levels have the same; else None."""
    found: list[float | None] = []
    for name in ("energy", "angle"):
        try:
            values = {float(level["config"]["collapse"][name]) for level in dataset.manifest.levels.values()}
        except (KeyError, TypeError, ValueError):
            values = set()
        value = values.pop() if len(values) == 1 else math.nan
        found.append(value if 0 < value < math.inf else None)
    return found[0], found[1]
