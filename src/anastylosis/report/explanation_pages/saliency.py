"""Saliency: which places of the picture change the answer when they are hidden."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from anastylosis.report.explanation_pages.heat import draw_picture
from anastylosis.report.figure_page import begin_page, in_style
from anastylosis.report.panels.marks import GREY, SMALL
from anastylosis.validation import Insight, Saliency

FOOT = (
    "A patch of the picture's median grey (its size: the square at the top left) hides one place after another, and the model is "
    "asked again. Coloured: where that changes the answer, the more the stronger; grey: where it does not matter.\n"
    "This shows what the answer rests on, not whether it is right. A place can matter and stay grey: where two places tell the "
    "same, the model still sees one of them when the other is hidden."
)
OPAQUE = 0.85
SIGNED, GROWING = "PuOr_r", "YlOrRd"


@in_style
def draw_saliency(insight: Insight, saliency: Saliency, title: str) -> Figure:
    """Draw the picture, and the changes of count and slots when its places are hidden."""
    figure = begin_page(title, FOOT, 6.9)
    panels, bars = figure.subplots(2, 3, height_ratios=[1, 0.03])
    bars[0].set_axis_off()
    grey = insight.grey[insight.row]
    draw_picture(panels[0], insight)
    panels[0].add_patch(square(saliency.patch, len(grey)))
    draw_overlay(panels[1], bars[1], grey, saliency.number, SIGNED)
    panels[1].set_title("Number of blocks gone")
    bars[1].set_xlabel("change of the number when the place is hidden")
    draw_overlay(panels[2], bars[2], grey, 100 * saliency.slots, GROWING)
    panels[2].set_title("Probabilities of the slots")
    bars[2].set_xlabel("mean change of a slot when the place is hidden, percentage points, either way")
    return figure


def draw_overlay(axes: Axes, below: Axes, grey: NDArray[np.uint8], change: NDArray[np.float64], scale: str) -> None:
    """Draw a change over the picture, as opaque as it is strong; its scale below."""
    side = len(grey)
    axes.imshow(0.55 * grey + 0.45 * 255, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
    most = max(float(np.abs(change).max()), 1e-9)
    strength = OPAQUE * np.minimum(np.abs(change) / most, 1) ** 0.6
    drawn = axes.imshow(
        change, cmap=scale, vmin=-most if scale == SIGNED else 0, vmax=most, alpha=strength,
        extent=(-0.5, side - 0.5, side - 0.5, -0.5), interpolation="nearest",
    )  # fmt: skip
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    assert axes.figure is not None
    bar = axes.figure.colorbar(drawn, cax=below, orientation="horizontal")
    if bar.solids is not None:
        bar.solids.set_alpha(1)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=SMALL, labelcolor=GREY)
    bar.ax.xaxis.set_major_locator(MaxNLocator(nbins=6))


def square(patch: int, side: int) -> Rectangle:
    """Return the patch, at its size, in a corner."""
    gap = 0.02 * side
    return Rectangle((gap, gap), patch, patch, fill=False, edgecolor="#D55E00", linewidth=1.6)
