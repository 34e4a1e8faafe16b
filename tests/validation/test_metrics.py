"""Metrics beside scikit-learn and SciPy, with ties and weights; closed forms; and what says nothing."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score
from sklearn.metrics import f1_score as sklearn_f1

from anastylosis.training.picture.heads import angle_error
from anastylosis.validation.metrics import (
    BINS,
    average_precision,
    brier,
    episode_aucs,
    expected_calibration_error,
    f1_score,
    rank_items,
    reliability,
    roc_auc,
    spearman,
    weigh_auc,
    weigh_precision,
    weigh_spearman,
    within_episode_auc,
)

# Labels, scores on a grid so coarse that many are equal, and how often each item counts; both classes are there.
item = st.tuples(st.booleans(), st.integers(0, 8).map(lambda n: n / 8), st.integers(0, 4))
items = st.lists(item, max_size=40).map(lambda drawn: [(True, 0.5, 1), (False, 0.25, 1), *drawn])


def columns(drawn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    labels, scores, weights = zip(*drawn, strict=True)
    return np.array(labels), np.array(scores), np.array(weights, float)


@given(items)
def test_areas_are_those_of_scikit_learn(drawn) -> None:
    labels, scores, _ = columns(drawn)
    assert roc_auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    assert average_precision(labels, scores) == pytest.approx(average_precision_score(labels, scores))


@given(items)
def test_weighted_areas_are_those_of_scikit_learn(drawn) -> None:
    labels, scores, weights = columns(drawn)
    assert roc_auc(labels, scores, weights) == pytest.approx(roc_auc_score(labels, scores, sample_weight=weights))
    expected = average_precision_score(labels, scores, sample_weight=weights)
    assert average_precision(labels, scores, weights) == pytest.approx(expected)


@given(items)
def test_a_weight_is_that_many_copies(drawn) -> None:
    labels, scores, weights = columns(drawn)
    copies = weights.astype(int)
    assert roc_auc(labels, scores, weights) == pytest.approx(roc_auc(labels.repeat(copies), scores.repeat(copies)))
    other = np.sin(np.arange(len(scores)) // 2)
    expected = spearman(scores.repeat(copies), other.repeat(copies))
    assert weigh_spearman(scores, other, weights[None])[0] == pytest.approx(expected, nan_ok=True)


def test_many_weighings_are_each_its_own() -> None:
    # Items of five episodes; a row of weights says how often each episode counts.
    rng = np.random.default_rng(0)
    episode, labels, scores = rng.integers(0, 5, 300), rng.random(300) < 0.3, rng.integers(0, 20, 300)
    draws = rng.multinomial(5, np.full(5, 0.2), 30).astype(float)
    ranking = rank_items(labels, scores, episode)
    areas, precisions = weigh_auc(ranking, draws), weigh_precision(ranking, draws)
    for draw, area, precision in zip(draws, areas, precisions, strict=True):
        assert area == pytest.approx(roc_auc_score(labels, scores, sample_weight=draw[episode]))
        assert precision == pytest.approx(average_precision_score(labels, scores, sample_weight=draw[episode]))


def test_known_areas() -> None:
    assert roc_auc([0, 0, 1, 1], [1, 2, 3, 4]) == 1.0
    assert roc_auc([1, 1, 0, 0], [1, 2, 3, 4]) == 0.0
    assert roc_auc([0, 1, 0, 1], [7, 7, 7, 7]) == 0.5  # all equal: a coin
    assert roc_auc([0, 1, 1], [1, 1, 2]) == 0.75  # one pair won, one shared
    # Hits at places 1 and 3: (1/1 + 2/3) / 2
    assert average_precision([1, 0, 1, 0], [4, 3, 2, 1]) == pytest.approx(5 / 6)
    assert average_precision([0, 1, 0, 1], [7, 7, 7, 7]) == 0.5  # the rate


def test_one_class_has_no_area() -> None:
    assert math.isnan(roc_auc([1, 1], [0.1, 0.2]))
    assert math.isnan(roc_auc([0, 0], [0.1, 0.2]))
    assert math.isnan(roc_auc([], []))
    assert math.isnan(roc_auc([0, 1], [0.1, 0.2], [1, 0]))
    assert math.isnan(average_precision([0, 0], [0.1, 0.2]))
    assert math.isnan(average_precision([], []))
    assert average_precision([1, 1], [0.1, 0.2]) == 1.0


def test_the_auc_inside_an_episode_ignores_what_tells_episodes_apart() -> None:
    # The second tower lost more, and every score of it is higher; inside each, the order is the wrong one.
    labels = np.array([[1, 0, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]], bool)
    scores = np.array([[0.1, 0.2, 0.2, 0.2], [0.8, 0.8, 0.8, 0.9], [0.0, 0.0, 0.0, 0.0]])
    counted = np.ones((3, 4), bool)
    assert roc_auc(labels.ravel(), scores.ravel()) > 0.7
    assert within_episode_auc(labels, scores, counted) == 0.0
    np.testing.assert_array_equal(episode_aucs(labels, scores, counted), [0, 0, np.nan])
    counted[0, 1:], counted[1, 3] = False, False  # nothing left to compare
    assert math.isnan(within_episode_auc(labels, scores, counted))


def test_brier_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    said, labels = rng.random(500), rng.random(500) < 0.3
    assert brier(labels, said) == pytest.approx(brier_score_loss(labels, said))
    assert brier([1, 0], [1.0, 0.0]) == 0
    assert brier([1, 0], [0.5, 0.5]) == 0.25
    assert math.isnan(brier([], []))


def test_calibration_of_one_bin() -> None:
    # Said 0.3 of all, and half of them happened.
    assert expected_calibration_error([0, 1, 0, 1], [0.3] * 4) == pytest.approx(0.2)
    curve = reliability([0, 1, 0, 1], [0.3] * 4)
    place = int(0.3 * BINS)
    assert (curve.probability[place], curve.rate[place], curve.items[place]) == pytest.approx((0.3, 0.5, 4))
    assert curve.items.sum() == 4
    assert np.isnan(np.delete(curve.rate, place)).all()
    # Two bins, one of them right: a vote an item.
    assert expected_calibration_error([0, 0, 1, 1, 0], [0.0, 0.0, 1.0, 1.0, 0.4]) == pytest.approx(0.4 / 5)


def test_who_says_the_truth_is_calibrated() -> None:
    rng = np.random.default_rng(0)
    said = rng.random(200_000)
    labels = rng.random(200_000) < said
    # Chance alone: BINS bins of n items, each off by sqrt(2/pi) sqrt(p q / n), p q = 1/6 on average
    assert expected_calibration_error(labels, said) < 2 * math.sqrt(2 / math.pi * BINS / 6 / 200_000)
    assert expected_calibration_error(labels, said**2) == pytest.approx(1 / 2 - 1 / 3, abs=0.01)  # mean of p - p²
    curve = reliability(labels, said)
    np.testing.assert_allclose(curve.rate, curve.probability, atol=0.02)
    assert math.isnan(expected_calibration_error([], []))


@given(items)
def test_f1_is_that_of_scikit_learn(drawn) -> None:
    labels, scores, _ = columns(drawn)
    assert f1_score(labels, scores >= 0.5) == pytest.approx(sklearn_f1(labels, scores >= 0.5))


def test_f1_of_nothing() -> None:
    assert math.isnan(f1_score([0, 0], [0, 0]))
    assert f1_score([1, 0], [0, 0]) == 0


@given(items)
def test_spearman_is_that_of_scipy(drawn) -> None:
    _, scores, weights = columns(drawn)
    if len(set(weights)) > 1:
        assert spearman(scores, weights) == pytest.approx(spearmanr(scores, weights).statistic)
    assert spearman(scores, -scores) == pytest.approx(-1)


def test_a_constant_has_no_rank_correlation() -> None:
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert math.isnan(spearman([], []))


def test_a_block_turned_half_way_round_is_the_same() -> None:
    np.testing.assert_allclose(angle_error([179, 0, 10, 45, 90], [1, 180, 350, 135, 90]), [2, 0, 20, 90, 0], atol=1e-12)
    assert np.isnan(angle_error([np.nan], [3])).all()
