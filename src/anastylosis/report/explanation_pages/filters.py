"""The first filters: the kernels of the network's first layer. Paper, "Layer 1"."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, INK, SMALL

COLUMNS = 16
FOOT = (
    "Each on its own scale: white counts brightness for, black against, mid grey is nothing. The number: how much it prefers one "
    "direction, 0 none to 1; sorted by it. Bold: more than 95 in 100 kernels of random numbers do. An edge detector is half\n"
    "white and half black along one line."
)


@in_style
def draw_filters(kernels: NDArray[np.floating], orientation: NDArray[np.float64], chance: float, title: str) -> Figure:
    """Draw all kernels, those with the clearest direction first."""
    columns = min(COLUMNS, len(kernels))
    rows = -(-len(kernels) // columns)
    figure = begin_page(title, FOOT, 1.3 + 1.22 * rows)
    panels = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    order = np.argsort(-orientation, kind="stable")
    for axes in panels:
        axes.set_axis_off()
    for axes, which in zip(panels, order, strict=False):
        kernel = kernels[which]
        most = max(float(np.abs(kernel).max()), 1e-12)
        axes.imshow(kernel, cmap="gray", vmin=-most, vmax=most, interpolation="nearest")
        clear = orientation[which] > chance
        axes.set_title(
            f"{orientation[which]:.2f}", fontsize=SMALL, loc="center", pad=3, color=INK if clear else GREY,
            fontweight="bold" if clear else "normal",
        )  # fmt: skip
    return figure
