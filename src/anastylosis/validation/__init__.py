"""Validation: the engine against closed forms, peers and the clock; measures and intervals of all scores."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.validation.benchmark import Benchmark
    from anastylosis.validation.insight.findings import PaperFindings
    from anastylosis.validation.insight.insight import Insight
    from anastylosis.validation.insight.saliency import Saliency
    from anastylosis.validation.interval import Interval
    from anastylosis.validation.measures import Measure, Score
    from anastylosis.validation.score_row import ScoreRow
    from anastylosis.validation.validate import Check, run_checks

__all__ = [
    "Benchmark",
    "Check",
    "Insight",
    "Interval",
    "Measure",
    "PaperFindings",
    "Saliency",
    "Score",
    "ScoreRow",
    "run_checks",
]

__getattr__, __dir__ = load_on_demand(__name__)
