"""Validation: the engine against closed forms, peers and the clock; the paper's claims; measures and intervals of all scores."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.validation.bench import BENCH_SCENES, compare_rows, run_bench
    from anastylosis.validation.bootstrap import RESAMPLES, Score, bound, draw_episodes, score_measure, weigh_draws, weigh_once
    from anastylosis.validation.insight.embedding import VERDICTS, project, verdict
    from anastylosis.validation.insight.findings import (
        PaperFindings,
        describe_number,
        list_quantities,
        mean_map,
        measure_dispersal,
        measure_findings,
        plain,
    )
    from anastylosis.validation.insight.insight import Insight, choose_top, open_insight
    from anastylosis.validation.insight.saliency import Saliency, find_blocks, measure_saliency, share_on_blocks
    from anastylosis.validation.interval import Interval, bootstrap_gain, bootstrap_ratio, wilson
    from anastylosis.validation.measures import (
        Measure,
        Said,
        measure_areas,
        measure_calibration,
        measure_f1,
        measure_failure_layer,
        measure_mean,
        measure_num_removed,
        measure_ratio,
        measure_removed_locs,
    )
    from anastylosis.validation.metrics import BINS, Flags, Floats, Indices, angle_error, divide, weigh_spearman
    from anastylosis.validation.peers import missing_peers
    from anastylosis.validation.score_row import ScoreRow
    from anastylosis.validation.statics import time_statics
    from anastylosis.validation.validate import Check, run_checks

__all__ = [
    "BENCH_SCENES",
    "BINS",
    "RESAMPLES",
    "VERDICTS",
    "Check",
    "Flags",
    "Floats",
    "Indices",
    "Insight",
    "Interval",
    "Measure",
    "PaperFindings",
    "Said",
    "Saliency",
    "Score",
    "ScoreRow",
    "angle_error",
    "bootstrap_gain",
    "bootstrap_ratio",
    "bound",
    "choose_top",
    "compare_rows",
    "describe_number",
    "divide",
    "draw_episodes",
    "find_blocks",
    "list_quantities",
    "mean_map",
    "measure_areas",
    "measure_calibration",
    "measure_dispersal",
    "measure_f1",
    "measure_failure_layer",
    "measure_findings",
    "measure_mean",
    "measure_num_removed",
    "measure_ratio",
    "measure_removed_locs",
    "measure_saliency",
    "missing_peers",
    "open_insight",
    "plain",
    "project",
    "run_bench",
    "run_checks",
    "score_measure",
    "share_on_blocks",
    "time_statics",
    "verdict",
    "weigh_draws",
    "weigh_once",
    "weigh_spearman",
    "wilson",
]

__getattr__, __dir__ = load_on_demand(__name__)
