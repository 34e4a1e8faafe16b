"""Colour scale of probabilities, and the legend that a picture with it must carry.

Two scales that share no hue, so that no colour has two meanings: yellow to violet that something was there, white to red that it
was not.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput

# From yellow by mauve to dark violet: darker all the way, never near black, so that it is read without colours too, and of hues
# that people with red-green blindness tell apart, since the light on a block changes its brightness. No red: that is a gap.
PROBABILITY = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
COLOURS = np.array([(0.99, 0.90, 0.36), (0.84, 0.77, 0.53), (0.74, 0.57, 0.74), (0.58, 0.38, 0.70), (0.42, 0.20, 0.58)])
# From nearly white to the red of what is taken out (`report.colour.HIGHLIGHT`), and darker: that there was nothing.
ABSENCE = np.array([(0.95, 0.95, 0.93), (0.97, 0.80, 0.74), (0.94, 0.52, 0.44), (0.84, 0.20, 0.16), (0.55, 0.03, 0.06)])


class LegendEntry(NamedTuple):
    """One line of a legend."""

    label: str
    colour: tuple[int, int, int]  # sRGB bytes


def probability_colours(probability: ArrayLike, *, absent: bool = False) -> Floats:
    """Return sRGB colours (..., 3), 0..1, of probabilities 0..1 that a block was there; `absent`: that a slot was empty."""
    colours = ABSENCE if absent else COLOURS
    value = np.asarray(probability, np.float64)
    if not ((value >= 0) & (value <= 1)).all():
        raise InvalidInput(f"a probability is in 0..1, got {value.min():g}..{value.max():g}")
    return np.stack([np.interp(value, PROBABILITY, colours[:, k]) for k in range(3)], axis=-1)


def probability_legend(steps: int = 5) -> tuple[LegendEntry, ...]:
    """Return the entries of the legend, from 0 % to 100 %: a label and a colour each."""
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or not 2 <= steps <= 101:
        raise InvalidInput(f"steps is {steps!r}; a legend has a whole number of them, 2..101")
    values = np.linspace(0.0, 1.0, int(steps))
    colours = np.rint(255 * probability_colours(values)).astype(int)
    return tuple(LegendEntry(f"{100 * p:.3g} %", (int(r), int(g), int(b))) for p, (r, g, b) in zip(values, colours, strict=True))
