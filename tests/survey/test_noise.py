"""Noise: deviations as asked for, stones that are hidden or foreign, and names that tell nothing."""

import math

import numpy as np
import pytest

from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.structure import jenga_tower
from anastylosis.survey import Noise, check_survey, survey_debris
from anastylosis.survey.noise import disturb_poses
from support.surveys import same_turns

MANY = 20_000


def debris(layers: int = 6) -> tuple:
    """Blocks flat on the ground, in a grid."""
    tower = jenga_tower(layers)
    row = np.arange(len(tower))
    position = np.stack([0.1 * (row % 6), 0.05 * (row // 6), np.full(len(tower), 0.009)], axis=1)
    return tower.ids, tower.blocks.size, position, np.tile((1.0, 0, 0, 0), (len(tower), 1))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_deviations_are_those_asked_for() -> None:
    upright = np.tile((1.0, 0, 0, 0), (MANY, 1))
    position, orientation = disturb_poses(np.zeros((MANY, 3)), upright, 0.005, math.radians(5), rng())
    # The deviation of a sample of N has itself a deviation of sd / sqrt(2 N): half a percent of sd here.
    np.testing.assert_allclose(position.std(axis=0), 0.005, rtol=0.025)
    angle = same_turns(orientation, upright)
    assert math.sqrt((angle**2).mean()) == pytest.approx(math.radians(5), rel=0.025)
    axis = orientation[:, 1:] / np.linalg.norm(orientation[:, 1:], axis=1, keepdims=True)
    np.testing.assert_allclose(axis.T @ axis / MANY, np.eye(3) / 3, atol=0.01)  # no direction is preferred
    np.testing.assert_allclose(np.linalg.norm(orientation, axis=1), 1, atol=1e-14)


def test_batches_with_deviations_of_their_own() -> None:
    position, orientation = np.zeros((4, 5000, 3)), np.tile((1.0, 0, 0, 0), (4, 5000, 1))
    deviation = np.array([0.0, 0.001, 0.01, 0.1])[:, None]
    moved, turned = disturb_poses(position, orientation, deviation, 10 * deviation, rng())
    assert (moved.shape, turned.shape) == ((4, 5000, 3), (4, 5000, 4))
    np.testing.assert_array_equal(moved[0], position[0])  # exact stays exact
    np.testing.assert_array_equal(turned[0], orientation[0])
    np.testing.assert_allclose(moved.std(axis=(1, 2)), deviation[:, 0], rtol=0.05)


def test_a_single_pose_and_poses_that_are_not_there() -> None:
    moved, turned = disturb_poses((1.0, 2.0, 3.0), (0.5, 0.5, 0.5, 0.5), 0.01, 0.1, rng())
    assert (moved.shape, turned.shape) == ((3,), (4,))
    moved, turned = disturb_poses(np.full((2, 3), np.nan), np.full((2, 4), np.nan), 0.01, 0.1, rng())
    assert np.isnan(moved).all()
    assert np.isnan(turned).all()


def test_a_survey_without_errors_is_the_debris_in_another_order() -> None:
    ids, size, position, orientation = debris()
    survey, rows = survey_debris(ids, size, position, orientation, Noise(), rng(), source="made")
    assert sorted(rows) == list(range(18))
    assert list(rows) != sorted(rows)
    np.testing.assert_array_equal(survey.position, position[rows])
    np.testing.assert_array_equal(survey.orientation, orientation[rows])
    assert survey.ids == tuple(f"stone-{number:03d}" for number in range(1, 19))
    assert (survey.source, survey.position_sd.max(), survey.orientation_sd.max()) == ("made", 0, 0)
    assert check_survey(survey) == []


def test_stones_are_hidden_foreign_and_shifted() -> None:
    ids, size, position, orientation = debris()
    noise = Noise(position=0.003, angle=0.05, hidden=0.5, foreign=4)
    survey, rows = survey_debris(ids, size, position, orientation, noise, rng())
    assert len(survey) == 9 + 4
    assert (rows == -1).sum() == 4
    known = rows >= 0
    assert len(set(rows[known])) == 9
    shift = survey.position[known] - position[rows[known]]
    assert 0.001 < shift.std() < 0.006
    assert set(survey.position_sd) == {0.003}
    assert set(survey.orientation_sd) == {0.05}
    assert list(np.flatnonzero(~known)) != [9, 10, 11, 12]  # they are not the last ones
    assert all(name.startswith("stone-") for name in survey.ids)


def test_foreign_stones_lie_flat_within_reach_and_clear_of_all_others() -> None:
    ids, size, position, orientation = debris()
    survey, rows = survey_debris(ids, size, position, orientation, Noise(foreign=6), rng(3))
    foreign = rows == -1
    np.testing.assert_allclose(survey.position[foreign, 2], survey.size[foreign, 2] / 2)
    middle = position[:, :2].mean(axis=0)
    reach = np.linalg.norm(position[:, :2] - middle, axis=1).max() + 0.081
    assert np.linalg.norm(survey.position[foreign, :2] - middle, axis=1).max() <= reach
    nominal = (survey.size[foreign] == size[0]).all(axis=1)
    assert nominal.any()
    assert not nominal.all()
    assert (np.diff(survey.size, axis=1) <= 0).all()
    assert [finding for finding in check_survey(survey) if finding.kind == "overlap"] == []


def test_the_same_seed_gives_the_same_survey() -> None:
    noise = Noise(position=0.01, angle=0.1, hidden=0.2, foreign=2)
    first, second, other = (survey_debris(*debris(), noise, rng(seed)) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first[0].position, second[0].position)
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.array_equal(first[1], other[1])


def test_blocks_that_are_gone_are_not_surveyed() -> None:
    ids, size, position, orientation = debris()
    position[[2, 5]], orientation[[2, 5]] = np.nan, np.nan
    _, rows = survey_debris(ids, size, position, orientation, Noise(), rng())
    assert sorted(rows) == [row for row in range(18) if row not in (2, 5)]


def test_one_stone_is_always_seen() -> None:
    ids, size, position, orientation = (part[:2] for part in debris())
    assert len(survey_debris(ids, size, position, orientation, Noise(hidden=0.99), rng())[0]) == 1


def test_debris_that_is_torn_or_not_there() -> None:
    ids, size, position, orientation = debris()
    with pytest.raises(InvalidInput, match=r"18 blocks have sizes \(17, 3\)"):
        survey_debris(ids, size[1:], position, orientation, Noise(), rng())
    with pytest.raises(InvalidInput, match="no block lies there"):
        survey_debris(ids, size, np.full((18, 3), np.nan), np.full((18, 4), np.nan), Noise(), rng())
    position[4, 1] = np.nan
    with pytest.raises(InvalidInput, match="block 'L01_1' lies there without a place"):
        survey_debris(ids, size, position, orientation, Noise(), rng())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"position": -0.1}, "noise of positions is -0.1"),
        ({"position": np.nan}, "noise of positions is nan"),
        ({"position": 5.0}, "in 0..1 m"),
        ({"angle": 5.0}, "in 0..pi radians"),
        ({"hidden": 1.0}, "hidden is 1.0"),
        ({"hidden": -0.1}, "hidden is -0.1"),
        ({"foreign": -1}, "foreign is -1"),
        ({"foreign": 0.5}, "foreign is 0.5"),
    ],
)
def test_impossible_noise_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidConfig, match=message):
        Noise(**changes)
