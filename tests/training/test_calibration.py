"""Calibration: a known curve is found again, and intervals hold what they promise on fresh data."""

import numpy as np
import pytest

from anastylosis.models.picture_model import SCALARS
from anastylosis.training.calibration import COVERAGE, fit_logits, half_widths, measure_ranges
from support.truths import make_truth, perfect_answers


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (2.5, -1.0), (0.3, 0.7)])
def test_a_known_curve_is_found_again(slope: float, offset: float) -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, 40_000)
    happened = rng.random(40_000) < 1 / (1 + np.exp(-(slope * logits + offset)))
    assert fit_logits(logits, happened) == pytest.approx((slope, offset), abs=0.06)


def test_single_precision_is_enough() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(0, 2, 5000)
    happened = rng.random(5000) < 1 / (1 + np.exp(-logits))
    assert fit_logits(logits.astype(np.float32), happened) == pytest.approx(fit_logits(logits, happened), abs=1e-4)


def test_what_is_parted_without_error_stays_finite() -> None:
    logits = np.linspace(-1, 1, 50)
    slope, offset = fit_logits(logits, logits > 0)
    assert np.isfinite([slope, offset]).all()
    assert slope > 10
    for nothing in (np.zeros(50, bool), np.ones(50, bool)):  # or never, or always
        assert np.isfinite(fit_logits(logits, nothing)).all()


def test_scores_that_say_nothing_are_answered_by_the_rate() -> None:
    rng = np.random.default_rng(2)
    happened = rng.random(20_000) < 0.2
    slope, offset = fit_logits(rng.normal(0, 1, 20_000), happened)
    assert slope == pytest.approx(0, abs=0.05)
    assert 1 / (1 + np.exp(-offset)) == pytest.approx(0.2, abs=0.01)


def test_a_ranking_is_never_reversed() -> None:
    """Scores that are higher where it did not happen: flat is the best that is left, at the rate at which it happened."""
    rng = np.random.default_rng(3)
    happened = rng.random(2000) < 0.2
    for logits in (rng.normal(0, 1, 2000) - happened, np.full(2000, 3.0), -1e-6 * happened + 1e-7 * rng.normal(0, 1, 2000)):
        slope, offset = fit_logits(logits, happened)
        assert slope == 0
        assert 1 / (1 + np.exp(-offset)) == pytest.approx(happened.mean(), abs=1e-4)


def test_half_widths_by_hand() -> None:
    # The ceil((n + 1) 0.9)-th smallest error: of 19 the 18th, of 9 the 9th, of 5 there are not enough, the largest.
    for count, rank in ((19, 18), (9, 9), (5, 5)):
        truth = make_truth(count)
        answers = perfect_answers(truth)._replace(num_removed=truth.num_removed + np.random.default_rng(0).permutation(count) + 1)
        assert half_widths(truth, answers)["num_removed"] == pytest.approx(rank)


def test_intervals_hold_nine_in_ten_of_fresh_data() -> None:
    rng = np.random.default_rng(3)
    held, spreads = [], {"num_removed": 2, "imbalance": 0.01, "torque_risk": 1}
    for seed in range(40):
        known = make_truth(150, seed=seed)
        off = {name: rng.normal(0, spread, 2150) for name, spread in spreads.items()}  # the last 2000 are fresh
        said = perfect_answers(known)._replace(**{name: getattr(known, name) + each[:150] for name, each in off.items()})
        widths = half_widths(known, said)
        held.append([(np.abs(off[name][150:]) <= widths[name]).mean() for name in SCALARS])
    # Split conformal intervals cover 0.9..0.9 + 1 / (n + 1) on average.
    np.testing.assert_allclose(np.mean(held, axis=0), COVERAGE + 0.003, atol=0.012)


def test_ranges_are_those_of_the_split() -> None:
    truth = make_truth(1000)._replace(num_removed=np.arange(1001, dtype=np.float32)[:1000])
    ranges = measure_ranges(truth)
    assert (ranges["num_removed"].mean, ranges["num_removed"].low, ranges["num_removed"].high) == pytest.approx(
        (499.5, 49.95, 949.05)
    )
    for name in SCALARS:
        values = getattr(truth, name)
        within = (values >= ranges[name].low) & (values <= ranges[name].high)
        assert within.mean() >= 0.9
