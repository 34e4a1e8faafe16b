"""A row of scores: one number of one model or method, with its interval. What every evaluation gives and every page shows."""

from typing import NamedTuple


class ScoreRow(NamedTuple):
    """Score of one split."""

    split: str
    head: str  # what is judged
    metric: str
    model: str
    value: float
    low: float
    high: float
    count: int  # type: ignore[assignment]  # episodes, falls or scenes
