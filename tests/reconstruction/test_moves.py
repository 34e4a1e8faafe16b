"""Which pull it may have been: probabilities over all that players may do, weighed by what is known."""

import numpy as np
import pytest

from anastylosis.reconstruction.moves import FEATURES, describe_pulls, list_allowed, list_features, weigh_pulls
from anastylosis.reconstruction.weighing import read_calibration
from anastylosis.structure import jenga_tower

NOTHING = dict.fromkeys(FEATURES, 0.0)


def test_with_no_weights_every_pull_is_as_probable() -> None:
    tower = jenga_tower(5)
    pulls = weigh_pulls(tower, np.full(5, 0.2), np.array([1.0, 0.0]), NOTHING)
    assert [each.probability for each in pulls] == pytest.approx([1 / len(pulls)] * len(pulls))
    assert {each.pull for each in pulls} == set(list_allowed(tower))
    assert len(pulls) == 3 * (2 + 2 + 2 + 1 + 1)  # of the three layers that are not protected


def test_probabilities_sum_to_one_and_are_sorted() -> None:
    tower = jenga_tower(8).without("L02_0", "L04_1")
    pulls = weigh_pulls(tower, np.arange(8) / 28, np.array([0.6, 0.8]), read_calibration().moves)
    chances = [each.probability for each in pulls]
    assert sum(chances) == pytest.approx(1)
    assert chances == sorted(chances, reverse=True)


def test_a_pull_under_the_layer_that_gave_way_in_the_direction_of_the_fall_is_the_first() -> None:
    """Layer 4 gave way towards +x; in layer 3, whose blocks lie along y, only one at the side is left beside the pulled one."""
    tower = jenga_tower(8).without("L03_0")
    failure = np.eye(8)[4]
    first = weigh_pulls(tower, failure, np.array([1.0, 0.0]), read_calibration().moves)[0].pull
    assert first.block.startswith("L03")


def test_features_of_a_pull_beside_one_side_block() -> None:
    """Place 2 stays: what is above tips towards place 0, along -y in an even course."""
    tower = jenga_tower(6).without("L02_1")
    pulls = [pull for pull in list_allowed(tower) if pull.block == "L02_0" and pull.axis == "x"]
    known = describe_pulls(tower, pulls, np.array([0.0, -1.0]))
    assert known.none_holds.tolist() == [1.0]
    assert known.tips == pytest.approx([1.0])
    assert known.towards == pytest.approx([1.0])  # outwards, the same way
    features = dict(zip(FEATURES, list_features(known, 3)[0], strict=True))
    assert features["below"] == features["below_none_holds"] == 1
    assert features["tips_below"] == pytest.approx(1)
    assert features["same"] == features["above"] == 0


def test_a_block_that_still_stands_was_not_pulled() -> None:
    tower, failure, way = jenga_tower(6), np.eye(6)[2], np.array([1.0, 0.0])
    weights = read_calibration().moves
    first = weigh_pulls(tower, failure, way, weights)[0].pull.block
    others = weigh_pulls(tower, failure, way, weights, still={first})
    assert first not in {each.pull.block for each in others}
    assert sum(each.probability for each in others) == pytest.approx(1)
    assert weigh_pulls(tower, failure, way, weights, still=set(tower.ids)) == []


def test_a_tower_of_one_block_has_no_pull() -> None:
    assert weigh_pulls(jenga_tower(1).select([0]), np.ones(1), np.zeros(2), NOTHING) == []
