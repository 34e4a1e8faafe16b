"""Insight: what one picture model has learned, measured from its answers to the test split."""
