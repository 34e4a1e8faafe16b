"""Surveys with a mistake of the user: each is refused or said, and a survey without one is answered."""

from pathlib import Path

import numpy as np
import pytest

from anastylosis.assignment import Assigner
from anastylosis.dataset.examples import Examples, read_examples
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT
from anastylosis.report.evaluation import SURVEYS
from anastylosis.survey import Noise
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.doubt_evaluation import DoubtAnswer, DoubtTest, lay_row, open_case, score_doubts
from anastylosis.training.assignment.evaluation import list_hidden

DEBRIS = Path(__file__).parents[3] / "benchmarks" / "mujoco_debris.parquet"


@pytest.fixture(scope="module")
def examples() -> Examples:
    """Falls of another engine: none was learned from."""
    return read_examples(DEBRIS).take(slice(0, 16))


@pytest.fixture(scope="module")
def values(examples: Examples) -> dict[tuple[str, str], float]:
    test = DoubtTest(examples=examples)
    parts = list(test.evaluate("assign", Assigner.from_file(SHIPPED_ASSIGNMENT)))
    return {(row.split, row.metric): row.value for part in parts for row in part}


def test_every_mistake_is_a_split_with_a_heading(values) -> None:
    splits = [mistake.name for mistake in DoubtTest.MISTAKES]
    assert list(dict.fromkeys(split for split, _ in values)) == splits
    assert {*splits, *(name for name, _ in list_hidden())} <= set(SURVEYS)


def test_a_survey_without_a_mistake_gets_an_answer(values) -> None:
    assert values["doubt-none", "refused"] == values["doubt-none-field", "refused"] == 0


@pytest.mark.parametrize("split", ["doubt-origin-2m", "doubt-z-up", "doubt-z-down", "doubt-one-point"])
def test_what_cannot_be_is_refused_in_the_words_of_the_mistake(values, split: str) -> None:
    assert values[split, "refused"] == values[split, "said"] == 1


@pytest.mark.parametrize("split", ["doubt-heading-90", "doubt-heading-30"])
def test_a_heading_is_contradicted_or_said_to_be_unconfirmed(values, split: str) -> None:
    assert values[split, "said"] + values[split, "unchecked"] == pytest.approx(1)
    assert values[split, "said"] > 0.5


def test_heights_that_are_told_wrong_are_mostly_said(values) -> None:
    assert min(values["doubt-height-low", "said"], values["doubt-height-high", "said"]) > 0.5


def test_no_block_of_a_row_is_put_into_a_slot(values) -> None:
    assert values["doubt-row", "said"] == 1
    assert values["doubt-row", "row_placed"] == 0


def test_few_fallen_blocks_make_no_row(examples: Examples) -> None:
    case = open_case(gather_debris(examples), 0, Noise())
    assert lay_row(case._replace(fell=np.arange(len(case.fell)) < 4)) is None
    laid = lay_row(case._replace(fell=np.arange(len(case.fell)) < 6))
    assert laid is not None
    assert laid.moved.sum() == 6


def test_silence_is_an_answer_without_a_word() -> None:
    silent = DoubtAnswer(False, False, False, right=1, claimed=3.6, fell=4, moved=0, placed=0)
    said = silent._replace(said=True, right=4)
    refused = DoubtAnswer(True, True, False, 0, 0.0, 0, 0, 0)
    found = {row.metric: row.value for row in score_doubts("x", "m", [silent, said, refused])}
    assert found["refused"] == pytest.approx(1 / 3)
    assert found["said"] == pytest.approx(2 / 3)
    assert (found["right"], found["silent_right"], found["silent_claimed"]) == pytest.approx((5 / 8, 0.25, 0.9))
    assert "row_placed" not in found
