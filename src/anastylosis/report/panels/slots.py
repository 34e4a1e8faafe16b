"""A map of slots: a row a layer, a cell a place, percent in the cells."""

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.colors import Colormap
from numpy.typing import NDArray

from anastylosis.report.colour import PALETTE
from anastylosis.report.panels.marks import INK, SMALL
from anastylosis.structure import BLOCKS_PER_COURSE

SHADES, DIFFERENCES = "Blues", "PuOr_r"  # both told apart with any kind of colour vision
DARKEST_MIN = 0.2  # the darkest shade is at least this much: differences within a percent are not made to look large
CROWDED = 27  # layers: beyond, cells are too low for numbers, and for the name of every layer


def draw_map(
    axes: Axes, values: NDArray[np.float64], most: float, title: str, *, signed: bool = False, shift: float = 0.0,
    shades: str | Colormap = SHADES, letters: float = SMALL,
) -> None:  # fmt: skip
    """Draw slots (P,) as cells; white, or the first of the `shades`, is 0, the darkest is `most`. `letters`: [pt]."""
    layers = len(values) // BLOCKS_PER_COURSE
    most = max(most, DARKEST_MIN)
    cells = np.ma.masked_invalid(values.reshape(layers, BLOCKS_PER_COURSE))
    axes.set_title(title)
    axes.imshow(
        cells, cmap=DIFFERENCES if signed else shades, vmin=-most if signed else 0, vmax=most, origin="lower", aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    axes.set_xticks(range(BLOCKS_PER_COURSE))
    axes.set_yticks(range(0, layers, 1 if layers <= 12 else 3))
    axes.set_xlabel("place")
    axes.set_ylabel("layer")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for edge in range(layers + 1):
        axes.axhline(edge - 0.5, color="white", linewidth=0.8)
    for edge in range(BLOCKS_PER_COURSE + 1):
        axes.axvline(edge - 0.5, color="white", linewidth=0.8)
    if layers > CROWDED:
        return
    for (layer, place), value in np.ma.ndenumerate(cells):
        dark = abs(value) > PALETTE.dark_share * most
        axes.text(
            place + shift,
            layer,
            show_percent(value, signed=signed),
            ha="center",
            va="center",
            fontsize=letters,
            color="white" if dark else INK,
        )


def show_percent(value: float, *, signed: bool) -> str:
    """Format the text of a cell; a value that rounds to 0 has no sign."""
    whole = round(100 * float(value))
    return f"{whole:+d}" if signed and whole else f"{whole:d}"


def draw_stars(axes: Axes, slots: NDArray[np.int64], layers: int) -> None:
    """Draw stars on chosen slots of a map that is `shift`ed for them."""
    for slot in slots:
        layer, place = divmod(int(slot), BLOCKS_PER_COURSE)
        (star,) = axes.plot(place - 0.27, layer, "*", color="white", markersize=min(11.0, 170 / layers), markeredgewidth=0)
        star.set_path_effects([patheffects.withStroke(linewidth=1.6, foreground=INK)])
