"""Scores of assignments: perfect answers are perfect, known mistakes count as what they are, and baselines are what they say."""

import numpy as np
import pytest

from anastylosis.survey import Noise
from anastylosis.training.assignment.baselines import fit_survey_prior, take_nearest, take_what_is_there
from anastylosis.training.assignment.batches import collect
from anastylosis.training.assignment.scores import SurveyAnswers, join_answers, score_answers
from support.assignments import make_debris, open_cases, perfect_findings, perfect_verdict


def values(verdict: SurveyAnswers) -> dict[str, float]:
    return {f"{score.head}.{score.metric}": score.value for score in score_answers(verdict, resamples=0)}


def test_who_knows_all_is_right_in_all() -> None:
    found = values(perfect_verdict(make_debris(12), Noise(foreign=1)))
    for name in ("top1", "top5", "complete", "whole", "foreign_found", "top1_all"):
        assert found[f"placed.{name}"] == 1, name
    for name in ("layer_error", "ece", "ece_fell", "ece_given", "own_left_out"):
        assert found[f"placed.{name}"] == 0, name
    assert found["removed_locs.auc"] == found["removed_locs.whole_set"] == found["failure_layer.top1"] == 1
    assert found["num_removed.mae"] == found["removed_locs.brier"] == 0
    assert found["friction.mae"] == pytest.approx(0, abs=1e-6)
    assert found["courses.mae"] == 0
    assert found["courses.top1"] < 1  # foreign blocks fill more courses than one tower had: nobody can be right there
    assert values(perfect_verdict(make_debris(12)))["courses.top1"] == 1
    assert found["direction.mae_degrees"] == pytest.approx(0, abs=1e-3)


def test_one_block_of_one_survey_in_the_wrong_layer() -> None:
    debris = make_debris(6)
    perfect = perfect_verdict(debris)
    fell = np.argwhere(perfect.truth.fell & (perfect.truth.slot >= 0))
    row, block = fell[0]
    ranked = perfect.ranked.copy()
    right = ranked[row, block, 0]
    wrong = right - 3
    ranked[row, block] = [wrong, right, -1, -1, -1]
    found = values(perfect._replace(ranked=ranked))
    assert found["placed.top1"] == pytest.approx(1 - 1 / len(fell))
    assert found["placed.top5"] == 1
    assert found["placed.layer_error"] == pytest.approx(1 / len(fell))


def test_one_slot_too_many_breaks_one_whole_set() -> None:
    debris = make_debris(6)
    perfect = perfect_verdict(debris)
    removed = perfect.removed.copy()
    removed[2, 0] = 1 - removed[2, 0]
    assert values(perfect._replace(removed=removed))["removed_locs.whole_set"] == pytest.approx(5 / 6)


def test_sureness_that_is_not_deserved_is_a_calibration_error() -> None:
    perfect = perfect_verdict(make_debris(6))
    assert values(perfect._replace(sure=np.full_like(perfect.sure, 0.6)))["placed.ece"] == pytest.approx(0.4)


def test_towers_of_several_heights_are_joined_without_a_change() -> None:
    """All together, and one after the other, weighed by the blocks that fell."""
    debris = make_debris(5)
    cases = open_cases(debris)
    verdicts = [SurveyAnswers.of(collect([case]), take_nearest(case.sheet)) for case in cases]
    fell = [int((case.fell & (case.slot >= 0)).sum()) for case in cases]
    each = [values(verdict)["placed.top1"] for verdict in verdicts]
    assert values(join_answers(verdicts))["placed.top1"] == pytest.approx(np.average(each, weights=fell))


def test_a_batch_says_what_its_surveys_say() -> None:
    cases = open_cases(make_debris(4), Noise(hidden=0.2))
    one = join_answers([SurveyAnswers.of(collect([case]), perfect_findings(case)) for case in cases])
    parts = [perfect_findings(case) for case in cases]
    batch = collect(cases)
    blocks, slots = batch.answer.slot.shape[1], batch.sheet.slot_there.shape[1]

    def fill(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        behind = [(0, side - had) for side, had in zip(shape, values.shape[1:], strict=True)]
        return np.pad(values[0], behind) if behind else values[0]

    shapes = {"placed": (blocks, slots), "unplaced": (blocks,), "empty": (slots,), "removed": (slots,), "failure": (slots,)}
    joined = parts[0]._replace(
        **{
            name: np.stack([fill(getattr(part, name), shapes.get(name, getattr(part, name).shape[1:])) for part in parts])
            for name in parts[0]._fields
        }
    )
    assert values(SurveyAnswers.of(batch, joined)) == pytest.approx(values(one))


def test_nearest_puts_what_stands_where_it_is_and_gives_no_slot_twice() -> None:
    for case in open_cases(make_debris(5)):
        verdict = SurveyAnswers.of(collect([case]), take_nearest(case.sheet))
        stands = (case.slot >= 0) & ~case.fell
        np.testing.assert_array_equal(verdict.ranked[0, stands, 0], case.slot[stands])
        assert len(set(verdict.ranked[0, :, 0].tolist())) == len(case.slot)


def test_the_rule_calls_empty_what_nothing_is_in() -> None:
    for case in open_cases(make_debris(5)):
        removed = take_what_is_there(case.sheet).removed[0]
        stands = case.slot[(case.slot >= 0) & ~case.fell]
        assert removed[stands].max() < 1e-6
        assert np.delete(removed, stands).min() > 0.8  # nothing within two centimetres


def test_the_prior_counts() -> None:
    debris = make_debris(400)
    prior = fit_survey_prior(debris)
    tall = debris.courses == debris.courses.max()
    (case,) = open_cases(debris.take(np.flatnonzero(tall)[:1]))
    found = prior.answer(case.sheet)
    np.testing.assert_allclose(found.removed[0], (debris.removed[tall].sum(axis=0) + 1) / (tall.sum() + 2), rtol=1e-5)
    assert found.failure.sum() == pytest.approx(1, rel=1e-5)
    assert found.friction[0] == pytest.approx(debris.friction.mean())
