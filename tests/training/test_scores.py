"""Scores: perfect and random answers, what counts and what does not, and how wide the intervals are."""

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from anastylosis.errors import InvalidInput
from anastylosis.models.answers import Answers
from anastylosis.training.picture.heads import PICTURE_HEADS
from anastylosis.training.picture.scores import compare_scores, score_answers
from anastylosis.validation.bootstrap import draw_episodes
from anastylosis.validation.interval import Interval
from anastylosis.validation.measures import Measure, Score
from anastylosis.validation.metrics import brier, expected_calibration_error, f1_score, within_episode_auc
from support.truths import make_truth, perfect_answers, random_answers

HIGHEST = {"auc", "ap", "spearman", "top1", "accuracy", "presence_f1", "absence_f1"}  # 1 is perfect; of all others, 0


def scores_of(truth, answers, **options) -> dict[tuple[str, str], Score]:
    return {(score.head, score.metric): score for score in score_answers(truth, answers, **options)}


def test_a_perfect_answer_scores_perfectly() -> None:
    truth = make_truth(60)
    scores = score_answers(truth, perfect_answers(truth), resamples=50)
    shown = {(head.name, row.metric) for head in PICTURE_HEADS for row in head.shown if row.metric != "coverage"}
    assert shown <= {(score.head, score.metric) for score in scores}
    for score in scores:
        best = 1 if score.metric in HIGHEST or score.metric.startswith(("auc", "ap")) else 0
        assert (score.value, score.low, score.high) == pytest.approx((best, best, best), abs=1e-6), score
        assert score.count > 0


def test_a_random_answer_is_a_coin() -> None:
    truth = make_truth(300)
    scores = scores_of(truth, random_answers(truth))
    for metric in ("auc", "auc_standing", "auc_collapsed", "auc_within", "auc_within_collapsed"):
        score = scores["removed_locs", metric]
        assert score.low < 0.5 < score.high
        assert score.high - score.low < 0.1
    assert scores["torque_risk", "spearman"].low < 0 < scores["torque_risk", "spearman"].high
    assert scores["friction_level", "accuracy"].low < 1 / 3 < scores["friction_level", "accuracy"].high
    assert scores["block_set", "angle_degrees"].value == pytest.approx(45, abs=2)


def test_values_are_those_of_the_metrics() -> None:
    truth = make_truth(40)
    answers = random_answers(truth)
    scores = scores_of(truth, answers, resamples=10)
    labels, said, slots = truth.removed_locs, answers.removed_locs, truth.slots
    for suffix, counted in (("", slots), ("_standing", slots & ~truth.collapsed), ("_collapsed", truth.collapsed)):
        auc, ap = scores["removed_locs", f"auc{suffix}"], scores["removed_locs", f"ap{suffix}"]
        assert auc.value == pytest.approx(roc_auc_score(labels[counted], said[counted]))
        assert ap.value == pytest.approx(average_precision_score(labels[counted], said[counted]))
        assert auc.count == ap.count == counted.sum()
    assert scores["removed_locs", "brier"].value == pytest.approx(brier(labels[slots], said[slots]))
    assert scores["removed_locs", "ece"].value == pytest.approx(expected_calibration_error(labels[slots], said[slots]))
    assert scores["removed_locs", "auc_within"].value == pytest.approx(within_episode_auc(labels, said, slots))
    assert answers.block_set is not None
    present = answers.block_set[..., 0] >= 0.5
    assert scores["block_set", "presence_f1"].value == pytest.approx(f1_score(~labels[slots], present[slots]))
    assert scores["block_set", "absence_f1"].value == pytest.approx(f1_score(labels[slots], ~present[slots]))


def test_standing_and_collapsed_slots_are_all_slots() -> None:
    truth = make_truth(50)
    scores = scores_of(truth, random_answers(truth), resamples=10)
    counts = [scores["removed_locs", metric].count for metric in ("auc_standing", "auc_collapsed", "auc")]
    assert counts[0] + counts[1] == counts[2] == truth.slots.sum()


def test_slots_that_a_tower_had_not_do_not_count() -> None:
    truth = make_truth(50)
    answers, gone = random_answers(truth), ~truth.slots
    assert gone.any()
    changed = answers._replace(
        removed_locs=np.where(gone, np.nan, answers.removed_locs),
        block_set=np.where(gone[..., None], np.nan, answers.block_set),
        displacement=np.where(gone[..., None], 1e9, answers.displacement),
    )
    assert score_answers(truth, changed, resamples=20) == score_answers(truth, answers, resamples=20)


def test_the_order_of_episodes_is_nothing() -> None:
    truth = make_truth(200)
    answers, order = random_answers(truth), np.random.default_rng(3).permutation(200)
    turned = Answers._make(None if part is None else part[order] for part in answers)
    there = scores_of(truth.take(order), turned)
    for key, score in scores_of(truth, answers).items():
        other = there[key]
        assert (other.value, other.count) == (pytest.approx(score.value, abs=1e-12), score.count)
        # Other draws, the same interval: bounds agree within a fifth of its width.
        assert (other.low, other.high) == pytest.approx((score.low, score.high), abs=0.2 * (score.high - score.low))


def test_intervals_of_means_are_those_of_proof() -> None:
    truth = make_truth(80)
    answers = random_answers(truth)
    scores = scores_of(truth, answers, resamples=4000)
    errors = np.abs(answers.num_removed - truth.num_removed)
    assert scores["num_removed", "mae"][2:5] == pytest.approx(Interval.bootstrap_mean(errors.tolist()))  # the very same draws
    right = np.argmax(answers.friction_level, axis=1) == truth.friction_level
    assert scores["friction_level", "accuracy"][2:5] == pytest.approx(Interval.bootstrap_mean(right.tolist()))


def test_intervals_are_of_episodes_and_not_of_slots() -> None:
    # Each tower ten times as tall by copying its slots: ten times the slots, and not a bit more known.
    truth, answers = make_truth(100), random_answers(make_truth(100))
    taller = truth._replace(slots=np.tile(truth.slots, 10), removed_locs=np.tile(truth.removed_locs, 10))
    taller = taller._replace(failure_layer=np.zeros_like(truth.failure_layer))
    said = Answers(answers.num_removed, np.tile(answers.removed_locs, 10), answers.imbalance, answers.torque_risk)
    few, many = scores_of(truth, answers), scores_of(taller, said)
    for metric in ("auc", "ap", "brier", "ece", "auc_within"):
        assert many["removed_locs", metric][2:5] == pytest.approx(few["removed_locs", metric][2:5], abs=1e-9)
        assert many["removed_locs", metric].count == few["removed_locs", metric].count * (1 if "within" in metric else 10)


@pytest.mark.parametrize("metric", ["auc", "ap"])
def test_intervals_of_areas_by_drawing_one_by_one(metric: str) -> None:
    truth = make_truth(40)
    said = np.round(random_answers(truth).removed_locs + 0.3 * truth.removed_locs, 1) / 2  # many ties
    answers = random_answers(truth)._replace(removed_locs=said)
    area = {"auc": roc_auc_score, "ap": average_precision_score}[metric]
    drawn = []
    for rows in np.random.default_rng(0).integers(40, size=(200, 40)):
        slots = truth.slots[rows]
        drawn.append(area(truth.removed_locs[rows][slots], said[rows][slots]))
    score = scores_of(truth, answers, resamples=200)["removed_locs", metric]
    assert (score.low, score.high) == pytest.approx(tuple(np.quantile(drawn, (0.025, 0.975))))


def test_intervals_hold_the_truth_about_19_times_in_20() -> None:
    # Scores of empty slots are higher by one standard deviation: AUC = Phi(1 / sqrt 2)
    held = 0
    for seed in range(200):
        truth = make_truth(60, seed=seed)
        noise = np.random.default_rng(10_000 + seed).normal(size=truth.slots.shape)
        said = 1 / (1 + np.exp(-noise - truth.removed_locs))
        measure = Measure.areas(truth.removed_locs, said, truth.slots)["auc"]
        score = measure.score("removed_locs", "auc", draw_episodes(60, 200, seed=0))
        held += score.low <= 0.760250 <= score.high
    assert held / 200 == pytest.approx(0.94, abs=0.04)


def test_a_calibrated_answer_may_have_no_calibration_error() -> None:
    # The plain percentiles of what is drawn would all be above 0.
    truth = make_truth(100)
    rng = np.random.default_rng(4)
    said = rng.uniform(0, 0.5, truth.slots.shape)
    truth = truth._replace(removed_locs=truth.slots & (rng.random(said.shape) < said))
    score = scores_of(truth, random_answers(truth)._replace(removed_locs=said))["removed_locs", "ece"]
    assert score.low < 0.005
    assert score.low <= score.value <= score.high
    assert score.high < 0.05


def test_blocks_are_alike() -> None:
    # The blocks of each tower are all put where blocks were, in the wrong slots; one is not found.
    truth = make_truth(30, layers=4)._replace(removed_locs=np.zeros((30, 12), bool), slots=np.ones((30, 12), bool))
    known = np.random.default_rng(5).random((30, 12, 6))
    known[..., 0] = 1
    said = known[:, ::-1].copy()
    said[:, 0, 0] = 0.0
    answers = perfect_answers(truth._replace(block_set=known))._replace(block_set=said)
    scores = scores_of(truth._replace(block_set=known), answers, resamples=20)
    assert scores["block_set", "centroid"].value > 0.1
    assert scores["block_set", "centroid_assigned"][2:5] == (0, 0, 0)
    assert scores["block_set", "centroid_assigned"].count == 30 * 11
    assert scores["block_set", "presence_f1"].value == pytest.approx(2 * 11 / (2 * 11 + 1))
    assert scores["block_set", "absence_f1"].value == 0


def test_errors_have_their_units() -> None:
    truth = make_truth(20)
    perfect = perfect_answers(truth)
    assert perfect.block_set is not None
    turned = perfect.block_set + np.array([0, 0.3, 0.4, 0, 0, 175 / 90])
    answers = perfect._replace(
        imbalance=truth.imbalance + 0.002, block_set=turned, displacement=perfect.displacement + np.array([0.3, 0.4])
    )
    scores = scores_of(truth, answers, resamples=20)
    assert scores["imbalance", "mae_mm"].value == pytest.approx(2, rel=1e-4)
    assert scores["block_set", "centroid"].value == pytest.approx(0.5, rel=1e-6)
    assert scores["block_set", "angle_degrees"].value == pytest.approx(5, rel=1e-4)
    assert scores["displacement", "error"].value == pytest.approx(0.5, rel=1e-6)


def test_heads_without_an_answer_have_no_score() -> None:
    truth = make_truth(20)
    scores = score_answers(truth, Answers(*perfect_answers(truth)[:4]), resamples=10)
    assert {score.head for score in scores} == {"num_removed", "removed_locs", "imbalance", "torque_risk"}


def test_what_cannot_be_computed_is_nan_of_nothing() -> None:
    truth = make_truth(20, layers=4)
    nothing = truth._replace(
        removed_locs=np.zeros_like(truth.removed_locs),  # one class
        failure_layer=np.full(20, 4),  # nothing collapsed
        torque_risk=np.ones(20, np.float32),  # all equal
        displacement=np.full((20, 12, 2), np.nan, np.float32),  # unknown
    )
    scores = scores_of(nothing, random_answers(truth), resamples=20)
    for metric in ("auc", "ap", "auc_collapsed", "ap_collapsed", "auc_within", "auc_within_collapsed"):
        assert np.isnan(scores["removed_locs", metric][2:5]).all()
        assert scores["removed_locs", metric].count == 0
    for key in (("torque_risk", "spearman"), ("displacement", "error"), ("displacement", "error_collapsed")):
        assert np.isnan(scores[key][2:5]).all()
        assert scores[key].count == 0
    assert scores["removed_locs", "brier"].count == nothing.slots.sum()


@pytest.mark.parametrize("episodes", [0, 1])
def test_too_few_episodes_have_no_bounds(episodes: int) -> None:
    truth = make_truth(episodes)
    for score in score_answers(truth, random_answers(truth)):
        assert np.isnan([score.low, score.high]).all()
        assert math.isnan(score.value) == (score.count == 0)


def test_a_seed_repeats_itself() -> None:
    truth = make_truth(30)
    answers = random_answers(truth)
    assert score_answers(truth, answers, resamples=20, seed=7) == score_answers(truth, answers, resamples=20, seed=7)


def test_a_difference_is_paired() -> None:
    # The second is the first with a little less noise: less than either interval tells, and yet told apart.
    truth = make_truth(200)
    noise = np.random.default_rng(6).normal(size=truth.slots.shape)
    better, worse = (
        random_answers(truth)._replace(removed_locs=1 / (1 + np.exp(-1.0 * truth.removed_locs - scale * noise)))
        for scale in (1, 1.15)
    )
    first, second = (scores_of(truth, answers)["removed_locs", "auc"] for answers in (better, worse))
    apart = compare_scores(truth, better, worse, "removed_locs", "auc")
    assert second.high > first.low
    assert apart.value == pytest.approx(first.value - second.value)
    assert 0 < apart.low < apart.value < apart.high
    back = compare_scores(truth, worse, better, "removed_locs", "auc")
    assert back == pytest.approx((-apart.value, -apart.high, -apart.low))
    assert compare_scores(truth, better, better, "removed_locs", "ece") == (0, 0, 0)


def test_only_what_both_were_asked_is_compared() -> None:
    truth = make_truth(10)
    whole, part = perfect_answers(truth), Answers(*perfect_answers(truth)[:4])
    with pytest.raises(InvalidInput, match="displacement has no metric 'error'"):
        compare_scores(truth, whole, part, "displacement", "error")
    with pytest.raises(InvalidInput, match="it has mae, spearman"):
        compare_scores(truth, whole, part, "torque_risk", "auc")
    with pytest.raises(InvalidInput, match="unknown"):
        compare_scores(truth, whole, part, "embedding", "auc")


def test_answers_that_cannot_be_judged_are_refused() -> None:
    truth = make_truth(10)
    answers = perfect_answers(truth)
    with pytest.raises(InvalidInput, match="shape"):
        score_answers(truth, answers._replace(removed_locs=answers.removed_locs[:, :-1]))
    with pytest.raises(InvalidInput, match="1 answers of imbalance are no finite"):
        score_answers(truth, answers._replace(imbalance=np.append(truth.imbalance[1:], np.nan)))
    with pytest.raises(InvalidInput, match="they are in 0"):
        score_answers(truth, answers._replace(removed_locs=answers.removed_locs * 1.5))
