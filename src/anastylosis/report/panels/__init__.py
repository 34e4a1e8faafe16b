"""Panels: the twelve parts of the dashboard, each a function that draws all levels on one pair of axes.

Only the dashboard imports this, so that matplotlib is loaded for it alone.
"""

from anastylosis.report.panels.grid import draw_panels
from anastylosis.report.panels.series import Series, make_series

__all__ = ["Series", "draw_panels", "make_series"]
