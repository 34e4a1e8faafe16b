"""Lessons: the figures of what a model has learned, each a function that draws a page of its own.

Only `report/explanation.py` imports this, so that matplotlib is loaded for it alone.
"""

from anastylosis.report.lessons.filters import draw_filters
from anastylosis.report.lessons.heat import draw_heat_page
from anastylosis.report.lessons.learning import draw_learning
from anastylosis.report.lessons.overview import draw_overview
from anastylosis.report.lessons.reliability import draw_reliability
from anastylosis.report.lessons.saliency import draw_saliency

__all__ = ["draw_filters", "draw_heat_page", "draw_learning", "draw_overview", "draw_reliability", "draw_saliency"]
