"""Panels: the twelve parts of the dashboard, each a function that draws all levels on one pair of axes.

Only the dashboard imports this, so that matplotlib is loaded for it alone.
"""
