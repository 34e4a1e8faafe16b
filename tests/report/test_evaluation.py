"""The page of an evaluation: what is bold, what is italic, and what is left out."""

import math
from types import SimpleNamespace

import pytest

from anastylosis.models.picture_model import SCALARS
from anastylosis.report.evaluation import KINDS, PICTURE_PAGE, SURVEY_PAGE
from anastylosis.report.score_page import render_cell, render_page, render_trial
from anastylosis.validation.score_row import ScoreRow

CARD = SimpleNamespace(kind="picture_net", size=32, dataset={"episodes": {"train": 1234, "val": 56}})


def row(
    model: str, value: float, half: float = 0.01, head: str = "removed_locs", metric: str = "auc", split: str = "test"
) -> ScoreRow:
    return ScoreRow(split, head, metric, model, value, value - half, value + half, 100)


def cell(values: dict[str, float], model: str, up: bool = True, half: float = 0.01) -> str:
    """The cell of one model beside the others, without its numbers: `**`, `*` or nothing."""
    cells = [row(name, value, half) for name, value in values.items()]
    text = render_cell(next(each for each in cells if each.model == model), cells, 3, up, PICTURE_PAGE.baselines)
    return text[: len(text) - len(text.lstrip("*"))]


BASE = {"prior": 0.6, "neighbour": 0.65, "ridge": 0.7}


@pytest.mark.parametrize(
    ("value", "mark"),
    [
        (0.80, "**"),  # better than all, intervals apart
        (0.715, ""),  # better than ridge, but not surely; surely better than the prior
        (0.68, ""),  # ridge is better
        (0.615, "*"),  # not surely better than the prior
        (0.50, "*"),
    ],
)
def test_bold_is_better_than_every_baseline_and_italic_not_better_than_the_prior(value: float, mark: str) -> None:
    assert cell(BASE | {"fast": value}, "fast") == mark
    # The same of a metric where less is better.
    assert cell({name: 1 - each for name, each in (BASE | {"fast": value}).items()}, "fast", up=False) == mark


def test_baselines_are_never_bold_and_the_prior_is_never_italic() -> None:
    assert cell(BASE, "prior") == ""
    assert cell(BASE, "ridge") == ""
    assert cell(BASE | {"ridge": 0.6}, "ridge") == "*"
    assert cell(BASE | {"neighbour": 0.99}, "neighbour") == ""


def test_intervals_that_touch_are_not_apart() -> None:
    assert cell({"prior": 0.5, "fast": 0.75}, "fast", half=0.125) == "*"


def test_a_baseline_that_cannot_answer_is_left_out_of_the_rule() -> None:
    assert cell({"prior": math.nan, "neighbour": 0.5, "ridge": 0.5, "fast": 0.9}, "fast") == "**"
    assert cell({"fast": 0.9}, "fast") == ""  # nothing to be better than


def test_what_is_not_known_is_a_dash() -> None:
    assert render_cell(None, [], 3, True, PICTURE_PAGE.baselines) == "-"
    assert render_cell(row("fast", math.nan), [row("fast", math.nan)], 3, True, PICTURE_PAGE.baselines) == "-"


def test_one_line_a_metric_and_one_column_a_model() -> None:
    rows = [row(name, value) for name, value in (BASE | {"fast": 0.8}).items()]
    rows += [row(name, 2.0, 0.25, "num_removed", "mae") for name in ("prior", "fast")]
    rows += [row("fast", math.nan, head="torque_risk", metric="spearman"), row("fast", 1.0, head="torque_risk", metric="unknown")]
    assert render_trial(PICTURE_PAGE, rows) == [
        "`test`, 100 episodes.",
        "",
        "| | prior | neighbour | ridge | fast |",
        "|---|---|---|---|---|",
        "| blocks removed, mean error | 2.00 (1.75-2.25) | - | - | *2.00 (1.75-2.25)* |",
        "| empty slots, AUC | 0.600 (0.590-0.610) | 0.650 (0.640-0.660) | 0.700 (0.690-0.710) | **0.800 (0.790-0.810)** |",
    ]


def test_the_page_has_a_table_a_split_and_a_line_a_model() -> None:
    rows = [row("prior", 0.6), row("fast", 0.8), row("prior", 0.5, split="test-rough"), row("fast", 0.5, split="a new one")]
    page = render_page(PICTURE_PAGE, rows, {"fast": CARD}, "anastylosis evaluate m.onnx DATASET --out PAGE.md")
    assert "| fast | picture_net, 32 px | 1,234 collapses | 56 |" in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## The test split", "## Friction 0.80", "## a new one",
    ]  # fmt: skip
    assert "Written by `anastylosis evaluate m.onnx DATASET --out PAGE.md`" in page
    assert page.endswith("|\n")


def test_what_is_shown_is_measured() -> None:
    """A metric that was renamed would vanish from the page without a word."""
    from anastylosis.training.picture.scores import score_answers
    from support.truths import make_truth, perfect_answers

    truth = make_truth(20)
    measured = {(score.head, score.metric) for score in score_answers(truth, perfect_answers(truth), resamples=0)}
    measured |= {(head, "coverage") for head in SCALARS}  # of models, which have ranges; by `Contest.cover`
    measured |= {("unlike", kind) for kind in KINDS}  # tests/training/picture/test_unlikeness.py
    assert {(head, metric) for head, metrics in PICTURE_PAGE.shown.items() for metric, *_ in metrics} <= measured


def test_what_is_shown_of_surveys_is_measured() -> None:
    from anastylosis.survey import Noise
    from anastylosis.training.assignment.doubt_evaluation import DoubtAnswer, score_doubts
    from anastylosis.training.assignment.scores import score_answers
    from support.assignments import make_debris, perfect_verdict

    verdict = perfect_verdict(make_debris(6), Noise(foreign=1))
    measured = {(score.head, score.metric) for score in score_answers(verdict, resamples=0)}
    measured |= {
        (head, "coverage") for head in ("num_removed", "friction")
    }  # of models, which have ranges; by `SurveyContest.cover`
    silent, row_of_blocks = DoubtAnswer(False, False, False, 1, 0.9, 2, 0, 0), DoubtAnswer(False, True, False, 1, 0.9, 2, 5, 1)
    measured |= {(row.head, row.metric) for row in score_doubts("doubt-row", "assign", [silent, row_of_blocks])}
    assert {(head, metric) for head, metrics in SURVEY_PAGE.shown.items() for metric, *_ in metrics} <= measured


def test_a_field_survey_has_the_heading_of_its_debris() -> None:
    rows = [row("prior", 0.6, split=name) for name in ("test-field", "test-mujoco-field", "test-mujoco", "other-field")]
    page = render_page(SURVEY_PAGE, rows, {}, "anastylosis evaluate")
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## All heights, field survey", "## Debris made by MuJoCo, field survey", "## Debris made by MuJoCo", "## other-field",
    ]  # fmt: skip
