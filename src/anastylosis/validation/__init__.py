"""Validation: the engine against closed forms, peers and the clock; the paper's claims; measures and intervals of all scores."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.validation.bench import BENCH_SCENES, compare_rows, run_bench
    from anastylosis.validation.bootstrap import draw_episodes
    from anastylosis.validation.insight.findings import PaperFindings, measure_findings
    from anastylosis.validation.insight.insight import Insight, open_insight
    from anastylosis.validation.insight.saliency import Saliency, measure_saliency
    from anastylosis.validation.interval import Interval, bootstrap_gain, bootstrap_ratio, wilson
    from anastylosis.validation.measures import Measure, Score, measure_failure_layer, measure_num_removed, measure_removed_locs
    from anastylosis.validation.metrics import divide
    from anastylosis.validation.peers import missing_peers
    from anastylosis.validation.score_row import ScoreRow
    from anastylosis.validation.statics import time_statics
    from anastylosis.validation.validate import Check, run_checks

__all__ = [
    "BENCH_SCENES",
    "Check",
    "Insight",
    "Interval",
    "Measure",
    "PaperFindings",
    "Saliency",
    "Score",
    "ScoreRow",
    "bootstrap_gain",
    "bootstrap_ratio",
    "compare_rows",
    "divide",
    "draw_episodes",
    "measure_failure_layer",
    "measure_findings",
    "measure_num_removed",
    "measure_removed_locs",
    "measure_saliency",
    "missing_peers",
    "open_insight",
    "run_bench",
    "run_checks",
    "time_statics",
    "wilson",
]

__getattr__, __dir__ = load_on_demand(__name__)
