"""A page: the dashboard's letters and colours, a title, a foot that says how to read it."""

from pathlib import Path

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from anastylosis.report.dashboard import DPI, STYLE
from anastylosis.report.panels.marks import GREY, INK
from anastylosis.whole_file import write_whole

WIDTH = 16.0  # [in] of every page, so that letters are of one size on all of them
LEFT = 0.2  # [in]
HEAD, FOOT = 0.62, 0.42  # [in]; the foot for two lines,
LINE = 0.15  # [in] and for each one more

in_style = matplotlib.rc_context(STYLE)  # over every function that makes a page: axes take their style when they are made


def begin_page(title: str, foot: str, height: float, width: float = WIDTH) -> Figure:
    """Return an empty page with its words [in]; panels go between them."""
    bottom, top = (FOOT + LINE * max(foot.count("\n") - 1, 0)) / height, HEAD / height
    layout = ConstrainedLayoutEngine(
        rect=(0.008, bottom, 0.984, 1 - top - bottom), w_pad=0.10, h_pad=0.08, hspace=0.03, wspace=0.03
    )
    figure = Figure(figsize=(width, height), dpi=DPI, layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    left = LEFT / width
    figure.text(left, 1 - 0.17 / height, title, ha="left", va="top", fontsize=16, fontweight="bold", color=INK)
    figure.text(left, 0.09 / height, foot, ha="left", va="bottom", fontsize=8, color=GREY, linespacing=1.35)
    return figure


def write_figure(figure: Figure, path: Path) -> None:
    """Write a PNG file; it is there whole or not at all."""
    with write_whole(path) as part, matplotlib.rc_context(STYLE):
        figure.savefig(part, format="png", dpi=DPI, metadata={"Software": None})
