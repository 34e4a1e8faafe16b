"""Baselines: the prior and the neighbours by hand, towers of mixed heights, and features of pictures."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.training.picture.baselines import average_truth, fit_neighbours, fit_prior, shrink
from anastylosis.training.picture.scores import compare_scores, score_answers
from support.truths import LEVELS, make_truth, perfect_answers


def test_the_prior_of_a_level_is_its_mean() -> None:
    truth = make_truth(300)
    answers = fit_prior(truth).answer(np.array([0, 2, -1]))
    for row, which in enumerate((truth.friction_level == 0, truth.friction_level == 2, np.full(300, True))):
        assert answers.num_removed[row] == pytest.approx(truth.num_removed[which].mean(), rel=1e-6)
        assert answers.imbalance[row] == pytest.approx(truth.imbalance[which].mean(), rel=1e-6)
        assert answers.torque_risk[row] == pytest.approx(truth.torque_risk[which].mean(), rel=1e-6)
        had = truth.slots[which].sum(axis=0)
        rates = truth.removed_locs[which].sum(axis=0) / had
        assert (np.abs(answers.removed_locs[row] - rates) <= 2 / (had + 2)).all()  # smoothed by two episodes
        assert answers.displacement is not None
        np.testing.assert_allclose(answers.displacement[row], np.nanmean(truth.displacement[which], axis=0), atol=1e-6)
        assert answers.block_set is not None
        np.testing.assert_allclose(answers.block_set[row, :, 0], 1 - answers.removed_locs[row])
        expected = np.nanmean(truth.block_set[which][..., 1:5], axis=0)
        np.testing.assert_allclose(answers.block_set[row, :, 1:5], expected, atol=1e-6)


def test_frequencies_by_hand() -> None:
    # Two towers of one layer and one of two; slot 0 was empty in both low ones, slot 3 in the high one.
    truth = make_truth(3, layers=2)
    slots = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1]], bool)
    removed = np.array([[1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]], bool)
    truth = truth._replace(slots=slots, removed_locs=removed, friction_level=np.zeros(3, np.int64))
    rate = (3 + 1) / (12 + 2)
    often = np.array([2 + 2 * rate, 2 * rate, 2 * rate]) / (3 + 2)  # slots 0, 1, 2 in all three
    often = np.append(often, np.array([1 + 2 * rate, 2 * rate, 2 * rate]) / (1 + 2))
    low = average_truth(truth, np.array([[True, True, False]]), LEVELS)
    np.testing.assert_allclose(low.removed_locs[0, 3:], often[3:])  # slots that the group has not: as in all
    np.testing.assert_allclose(low.removed_locs[0, 0], (2 + 2 * often[0]) / (2 + 2))


def test_slots_that_no_tower_had_get_the_overall_rate() -> None:
    truth = make_truth(50, layers=4)
    taller = truth._replace(
        slots=np.pad(truth.slots, ((0, 0), (0, 3))),
        removed_locs=np.pad(truth.removed_locs, ((0, 0), (0, 3))),
        block_set=np.pad(truth.block_set, ((0, 0), (0, 3), (0, 0)), constant_values=np.nan),
        displacement=np.pad(truth.displacement, ((0, 0), (0, 3), (0, 0)), constant_values=np.nan),
    )
    answers = fit_prior(taller).answer([0, -1])
    rate = (truth.removed_locs.sum() + 1) / (truth.slots.sum() + 2)
    np.testing.assert_allclose(answers.removed_locs[:, 12:], rate)
    assert all(np.isfinite(part).all() for part in answers if part is not None)
    np.testing.assert_allclose(answers.removed_locs[:, :12], fit_prior(truth).answer([0, -1]).removed_locs)


def test_choices_are_probabilities() -> None:
    truth = make_truth(200)
    answers = fit_prior(truth).answer([0, 1, 2, -1])
    assert answers.failure_layer is not None
    assert answers.friction_level is not None
    np.testing.assert_allclose(answers.failure_layer.sum(axis=1), 1)
    np.testing.assert_allclose(answers.friction_level.sum(axis=1), 1)
    np.testing.assert_allclose(answers.failure_layer[-1], np.bincount(truth.failure_layer, minlength=6) / 200, atol=0.02)
    # The level that was given is not handed back as an answer.
    assert (answers.friction_level == answers.friction_level[0]).all()


def test_a_tower_that_gave_way_above_all_slots_chooses_no_layer() -> None:
    truth = make_truth(20, layers=3)._replace(failure_layer=np.full(20, 7))
    answers = fit_prior(truth).answer([-1])
    assert answers.failure_layer == pytest.approx(np.full((1, 3), 1 / 3))


def test_angles_have_the_mean_of_lines() -> None:
    # 175 and 5 degrees: 0, and not 90
    truth = make_truth(2, layers=1)._replace(slots=np.ones((2, 3), bool), removed_locs=np.zeros((2, 3), bool))
    block_set = np.ones((2, 3, 6), np.float32)
    block_set[..., 5] = np.array([175, 5])[:, None] / 90 - 1
    answers = fit_prior(truth._replace(block_set=block_set)).answer([-1])
    assert answers.block_set is not None
    angle = 90 * (answers.block_set[0, :, 5] + 1)
    np.testing.assert_allclose((angle + 90) % 180, 90, atol=1e-4)
    assert (angle < 180).all()


def test_what_was_never_known_is_not_answered() -> None:
    truth = make_truth(20)
    unknown = truth._replace(displacement=np.full_like(truth.displacement, np.nan))
    assert fit_prior(unknown).answer([0]).displacement is None
    neighbours = fit_neighbours(np.eye(20, dtype=np.float32), unknown, k=3)
    assert neighbours.answer(np.eye(20, dtype=np.float32)).displacement is None


def test_levels_that_training_had_not() -> None:
    truth = make_truth(60)
    low = truth.take(np.flatnonzero(truth.friction_level == 0))
    answers = fit_prior(low, levels=3).answer([2, -1])
    assert answers.num_removed[0] == answers.num_removed[1]
    assert answers.friction_level is not None
    assert answers.friction_level.shape == (2, 3)
    for level in (1, -2):
        with pytest.raises(InvalidInput, match="the prior knows 0 to 0"):
            fit_prior(low).answer([0, level])
    with pytest.raises(InvalidInput, match="no episodes"):
        fit_prior(make_truth(0))


def test_the_prior_is_a_coin_inside_nothing_but_the_slots() -> None:
    # Slots are emptied at random: the prior has no more to say than chance.
    scores = {
        (score.head, score.metric): score
        for score in score_answers(make_truth(300, seed=1), fit_prior(make_truth(300)).answer(np.full(300, -1)), resamples=200)
    }
    assert scores["removed_locs", "auc"].value == pytest.approx(0.5, abs=0.04)
    assert scores["removed_locs", "brier"].value == pytest.approx(1 / 6 * 5 / 6, abs=0.01)
    assert scores["removed_locs", "ece"].value < 0.02
    assert np.isnan(scores["torque_risk", "spearman"].value)  # one answer to all


def test_the_nearest_picture_answers() -> None:
    truth = make_truth(400)
    features = np.random.default_rng(0).random((400, 20)).astype(np.float32)
    answers = fit_neighbours(features, truth, k=1).answer(features + np.float32(0.001))
    np.testing.assert_allclose(answers.num_removed, truth.num_removed)
    assert answers.friction_level is not None
    np.testing.assert_array_equal(answers.friction_level.argmax(axis=1), truth.friction_level)
    better = compare_scores(truth, answers, fit_prior(truth).answer(truth.friction_level), "removed_locs", "auc", resamples=100)
    assert better.low > 0.3


def test_neighbours_are_the_nearest_of_all() -> None:
    rng = np.random.default_rng(1)
    features, asked = rng.random((700, 8)).astype(np.float32) + 100, rng.random((600, 8)).astype(np.float32) + 100
    neighbours = fit_neighbours(features, make_truth(700), k=15)
    apart = np.linalg.norm(asked[:, None].astype(float) - features[None], axis=-1)
    np.testing.assert_array_equal(np.sort(neighbours.find(asked)), np.sort(np.argsort(apart)[:, :15]))
    answers = neighbours.answer(asked)
    expected = neighbours.truth.num_removed[neighbours.find(asked)].mean(axis=1)
    np.testing.assert_allclose(answers.num_removed, expected, rtol=1e-5)
    assert len(neighbours.answer(asked[:0]).num_removed) == 0


def test_all_neighbours_are_the_prior() -> None:
    truth = make_truth(30)
    features = np.random.default_rng(2).random((30, 4)).astype(np.float32)
    answers, prior = fit_neighbours(features, truth, k=30).answer(features[:1]), fit_prior(truth).answer([-1])
    for part, expected in zip(answers, prior, strict=True):
        if expected is not None:
            np.testing.assert_allclose(part, expected)


def test_answers_of_baselines_can_be_judged() -> None:
    truth = make_truth(80)
    features = np.random.default_rng(3).random((80, 6)).astype(np.float32)
    heads = {score.head for score in score_answers(truth, perfect_answers(truth), resamples=5)}
    for answers in (fit_prior(truth).answer(truth.friction_level), fit_neighbours(features, truth).answer(features)):
        assert {score.head for score in score_answers(truth, answers, resamples=5)} == heads


def test_neighbours_that_cannot_be_are_refused() -> None:
    truth, features = make_truth(10), np.zeros((10, 4), np.float32)
    for k, rows in ((11, 10), (0, 10), (3, 9)):
        with pytest.raises(InvalidInput, match="neighbours of"):
            fit_neighbours(features[:rows], truth, k=k)
    with pytest.raises(InvalidInput, match="not finite"):
        fit_neighbours(features, truth, k=2).answer(np.full((1, 4), np.nan, np.float32))


def test_shrinking_averages_areas() -> None:
    picture = np.random.default_rng(4).integers(0, 256, (300, 8, 8)).astype(np.uint8)
    expected = picture.reshape(300, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(300, 16) / 255
    np.testing.assert_allclose(shrink(picture, 4), expected, rtol=1e-5)
    # Three pixels into two: each takes one and a half.
    row = np.array([[0, 255, 0]] * 3, np.uint8)
    np.testing.assert_allclose(shrink(row[None], 2), [[1 / 3] * 4], rtol=1e-6)
    assert shrink(picture).shape == (300, 1024)
    assert shrink(picture[:0], 4).shape == (0, 16)


@pytest.mark.parametrize("size", [32, 96, 100, 128, 20])
def test_shrinking_keeps_the_mean(size: int) -> None:
    picture = np.random.default_rng(size).integers(0, 256, (3, size, size)).astype(np.uint8)
    small = shrink(picture)
    assert small.dtype == np.float32
    np.testing.assert_allclose(small.mean(axis=1), picture.mean(axis=(1, 2)) / 255, rtol=1e-5)
    np.testing.assert_allclose(shrink(np.full((1, size, size), 255, np.uint8)), 1, rtol=1e-5)


def test_pictures_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(InvalidInput, match="uint8"):
        shrink(np.zeros((1, 8, 8)))
    with pytest.raises(InvalidInput, match="shape"):
        shrink(np.zeros((1, 8, 9), np.uint8))


def test_the_prior_of_a_height_leans_towards_towers_of_that_height() -> None:
    """Two heights whose counts differ: told one of them, the prior says nearly its mean; told nothing, the mean of all."""
    truth = make_truth(40)
    height = truth.slots.sum(axis=1) // 3
    truth = truth._replace(num_removed=height.astype(np.float32))
    prior = fit_prior(truth)
    low, high = int(height.min()), int(height.max())
    assert low < high
    said = prior.answer([-1, -1, -1], [low, high, 0]).num_removed
    assert said[0] < said[2] < said[1]
    assert abs(said[2] - height.mean()) < 1e-6
    np.testing.assert_array_equal(prior.answer([-1], [high + 99]).num_removed, said[1:2])  # above the highest, the highest
