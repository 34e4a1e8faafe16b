"""Grid: the twelve panels of the dashboard, row by row."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from anastylosis.report.panels.balance import draw_margins, draw_movements
from anastylosis.report.panels.falls import draw_collapses, draw_floor, draw_layers, draw_standing
from anastylosis.report.panels.motion import draw_angles, draw_energies
from anastylosis.report.panels.moves import draw_forces, draw_kinds, draw_risks, draw_torques
from anastylosis.report.panels.series import Series


def draw_panels(figure: Figure, series: Sequence[Series], *, energy: float | None, angle: float | None) -> None:
    """Draw twelve panels on a figure; `energy` [J] and `angle` [rad] are those that a collapse needs."""
    panels = iter(figure.subplots(3, 4).flat)
    draw_collapses(next(panels), series)
    draw_standing(next(panels), series)
    draw_forces(next(panels), series)
    draw_margins(next(panels), series)
    draw_risks(next(panels), series)
    draw_torques(next(panels), series)
    draw_energies(next(panels), series, energy)
    draw_movements(next(panels), series)
    draw_layers(next(panels), series)
    draw_kinds(next(panels), series)
    draw_floor(next(panels), series)
    draw_angles(next(panels), series, angle)
