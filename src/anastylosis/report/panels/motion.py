"""Motion panels: kinetic energy and angle, in rounds that the tower survived and in the last one."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from anastylosis.report.panels.marks import any_pulls, mark_spread, mark_threshold, plain_log, say, set_rows
from anastylosis.report.panels.series import Series
from anastylosis.units import radians_to_degrees

MILLIJOULES = 1e3
DEGREES = radians_to_degrees(1.0)
ENERGY_LEAST = 1e-4  # [mJ] below it all is at rest. Paper §8.3
ANGLE_LEAST = 1e-3  # [deg]


def draw_energies(axes: Axes, series: Sequence[Series], threshold: float | None = None) -> None:
    """Draw the largest kinetic energy of a round; `threshold` [J] is that of a collapse."""
    axes.set_title("Kinetic energy, largest in a pull")
    axes.set_xlabel("mJ")
    values = [np.maximum(MILLIJOULES * each.games.energy, ENERGY_LEAST) for each in series]
    draw_both(axes, series, values, None if threshold is None else (MILLIJOULES * threshold, "a fall needs more"))


def draw_angles(axes: Axes, series: Sequence[Series], threshold: float | None = None) -> None:
    """Draw the largest angle by which a block turned in a round; `threshold` [rad] is that of a collapse."""
    axes.set_title("Largest turn of a block in a pull")
    axes.set_xlabel("degrees")
    values = [np.maximum(DEGREES * each.games.angle, ANGLE_LEAST) for each in series]
    draw_both(axes, series, values, None if threshold is None else (DEGREES * threshold, "a fall needs more"))


def draw_both(
    axes: Axes, series: Sequence[Series], values: Sequence[NDArray[np.float64]], threshold: tuple[float, str] | None
) -> None:
    """Draw pulls that the tower survived, pale, over those at which it fell."""
    if not any_pulls(series):
        return say(axes, "no pulls")
    set_rows(axes, [each.label for each in series], foot=True)
    axes.set_xscale("log")
    for row, (each, all_of_it) in enumerate(zip(series, values, strict=True)):
        for fatal, step in ((False, -0.17), (True, 0.17)):
            chosen = all_of_it[each.games.fatal == fatal]
            if len(chosen):
                label = ("fell" if fatal else "stood") if row == 0 else ""
                mark_spread(axes, chosen, row + step, each.colour, filled=fatal, label=label, before=fatal)
    if threshold is not None:
        mark_threshold(axes, *threshold)
    plain_log(axes)
