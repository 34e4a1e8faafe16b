"""Panels: the twelve parts of the dashboard, each a function that draws all levels on one pair of axes.

Only the dashboard imports this, so that matplotlib is loaded for it alone.
"""

from anastylosis.report.panels.balance import draw_margins, draw_movements
from anastylosis.report.panels.falls import draw_collapses, draw_floor, draw_layers, draw_standing
from anastylosis.report.panels.motion import draw_angles, draw_energies
from anastylosis.report.panels.moves import draw_forces, draw_kinds, draw_risks, draw_torques
from anastylosis.report.panels.series import Series, make_series

__all__ = [
    "Series",
    "draw_angles",
    "draw_collapses",
    "draw_energies",
    "draw_floor",
    "draw_forces",
    "draw_kinds",
    "draw_layers",
    "draw_margins",
    "draw_movements",
    "draw_risks",
    "draw_standing",
    "draw_torques",
    "make_series",
]
