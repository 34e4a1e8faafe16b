"""Figures of an explanation, each a function that draws a page of its own.

Only `report/explanation.py` imports this, so that matplotlib is loaded for it alone.
"""

from anastylosis.report.explanation_pages.filters import draw_filters
from anastylosis.report.explanation_pages.heat import draw_heat_page
from anastylosis.report.explanation_pages.learning import draw_learning
from anastylosis.report.explanation_pages.overview import draw_overview
from anastylosis.report.explanation_pages.reliability import draw_reliability
from anastylosis.report.explanation_pages.saliency import draw_saliency

__all__ = ["draw_filters", "draw_heat_page", "draw_learning", "draw_overview", "draw_reliability", "draw_saliency"]
