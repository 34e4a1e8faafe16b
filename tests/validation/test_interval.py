"""Intervals against tabulated values and by counting how often they hold."""

import numpy as np
import pytest

from anastylosis.validation.interval import Interval, mcnemar


def test_wilson_against_known_values() -> None:
    # 10 of 20: centre 0.5, half width z / (1 + z²/n) sqrt(p q / n + z² / 4 n²) = 0.2007
    value, low, high = Interval.wilson(10, 20)
    assert (value, low, high) == pytest.approx((0.5, 0.29930, 0.70070), abs=1e-5)
    # 0 of n: low is 0, high is z² / (n + z²)
    assert Interval.wilson(0, 10) == pytest.approx((0.0, 0.0, 3.8414588 / 13.8414588))
    assert Interval.wilson(10, 10).high == pytest.approx(1.0)


def test_wilson_of_nothing_says_nothing() -> None:
    value, low, high = Interval.wilson(0, 0)
    assert np.isnan(value)
    assert (low, high) == (0.0, 1.0)


def test_wilson_holds_the_truth_about_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    intervals = [Interval.wilson(int(count), 50) for count in rng.binomial(50, 0.2, 4000)]
    assert np.mean([low <= 0.2 <= high for _, low, high in intervals]) == pytest.approx(0.95, abs=0.02)


def test_bootstrap_is_as_wide_as_the_standard_error_says() -> None:
    sample = np.random.default_rng(1).normal(3.0, 1.0, 400)
    value, low, high = Interval.bootstrap_mean(sample.tolist())
    assert value == pytest.approx(sample.mean())
    assert high - low == pytest.approx(2 * 1.96 * sample.std() / 20, rel=0.05)


def test_mcnemar_is_a_fair_coin() -> None:
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(3, 3) == 1.0
    assert mcnemar(0, 5) == pytest.approx(2 / 2**5)  # 0 or 5 heads of 5
    assert mcnemar(1, 7) == pytest.approx(2 * (1 + 8) / 2**8)
    assert mcnemar(7, 1) == mcnemar(1, 7)


def test_a_ratio_is_drawn_by_cluster() -> None:
    # Two clusters, 3 of 3 and 0 of 1: half of the draws take both, a quarter each one of them twice.
    assert Interval.bootstrap_ratio([3, 0], [3, 1]) == (0.75, 0.0, 1.0)
    # Rounds of a game that are all alike say no more than one of them: an interval as wide as that of the games.
    games = np.random.default_rng(2).integers(0, 2, 300)
    assert Interval.bootstrap_ratio(10 * games, np.full(300, 10)) == Interval.bootstrap_ratio(games, np.ones(300))


def test_a_ratio_of_too_little_has_no_bounds() -> None:
    assert Interval.bootstrap_ratio([2], [4]).value == 0.5
    assert np.isnan(Interval.bootstrap_ratio([2], [4])[1:]).all()
    assert np.isnan(Interval.bootstrap_ratio([0, 0], [0, 0])).all()
    assert Interval.bootstrap_ratio([1, 0], [2, 0]) == (0.5, 0.5, 0.5)  # draws without a single round are left out


def test_a_gain_on_the_same_clusters_is_surer_than_two_ratios() -> None:
    rng = np.random.default_rng(4)
    hard = rng.uniform(0.2, 0.9, 60)
    ones = np.ones(60)
    gain = Interval.bootstrap_gain((hard + 0.05, ones), (hard, ones))
    assert gain == pytest.approx((0.05, 0.05, 0.05))  # always by as much: no chance in it
    better, worse = Interval.bootstrap_ratio(hard + 0.05, ones), Interval.bootstrap_ratio(hard, ones)
    assert better.low < worse.high  # though the intervals are not apart
    assert Interval.bootstrap_gain((hard, ones), (hard + 0.05, ones)).value == -gain.value
    noisy = Interval.bootstrap_gain((hard, ones), (rng.permutation(hard), ones))
    assert noisy.low < 0 < noisy.high
    assert np.isnan(Interval.bootstrap_gain(([1], [2]), ([1], [2]))[1:]).all()
    assert np.isnan(Interval.bootstrap_gain(([0, 0], [0, 0]), ([1, 1], [2, 2]))).all()
