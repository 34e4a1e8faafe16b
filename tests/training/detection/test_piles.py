"""Piles: blocks that were poured out lie still, on the floor or on each other, and not in each other."""

import numpy as np
import pytest

from anastylosis.detection.overlaps import measure_overlaps
from anastylosis.errors import InvalidConfig
from anastylosis.geometry import Boxes, to_quaternions
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.training.detection import piles
from anastylosis.training.detection.piles import APART, FEWEST, MOST, drop_pile, lay_out
from anastylosis.training.detection.scenes import SceneRecipe, draw_scene, open_pile
from anastylosis.training.detection.votes import find_edges

DEEP = 1e-3  # [m] that blocks at rest may be in each other


@pytest.mark.parametrize("seed", range(6))
def test_blocks_come_to_rest_on_the_floor(seed: int) -> None:
    pile = drop_pile(np.random.default_rng(seed))
    assert FEWEST <= len(pile.size) <= MOST
    underside = Boxes(pile.size, pile.position, to_quaternions(pile.axes)).measure_underside()
    assert underside.min() > -DEEP
    deep, _, second = measure_overlaps(pile, DEEP)
    assert deep.max(initial=0.0) < DEEP
    floats = np.setdiff1d(np.flatnonzero(underside > DEEP), second)
    assert not len(floats)  # what is not on the floor touches another


@pytest.mark.parametrize("seed", range(6))
def test_blocks_lie_still(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drop_pile(np.random.default_rng(seed))
    monkeypatch.setattr(piles, "SECONDS", piles.SECONDS + 0.2)
    after = drop_pile(np.random.default_rng(seed))
    assert np.linalg.norm(after.position - before.position, axis=1).max() < 1e-3


def test_a_seed_gives_a_pile() -> None:
    one, same, other = (drop_pile(np.random.default_rng(seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.position, same.position)
    assert one.position.shape != other.position.shape or not np.allclose(one.position, other.position)


def test_in_the_air_none_reaches_another() -> None:
    places = lay_out(MOST, 3)
    away = np.linalg.norm(places[:, None] - places, axis=-1)[~np.eye(MOST, dtype=bool)]
    assert away.min() == pytest.approx(APART)
    assert np.linalg.norm(BLOCK_SIZE) < APART
    assert places[:, 2].min() > np.linalg.norm(BLOCK_SIZE) / 2


def test_a_pile_fell_but_for_what_lies_in_a_slot(examples) -> None:
    for seed in range(5):
        assert open_pile(np.random.default_rng(seed)).fell.mean() > 0.8
    scene = draw_scene(examples, SceneRecipe(piled=1.0, twisted=0.0), np.random.default_rng(1))
    assert scene.fell.mean() > 0.8
    with pytest.raises(InvalidConfig, match="together"):
        SceneRecipe(piled=0.7, twisted=0.5)


def test_blocks_of_other_proportions_are_as_long_as_the_papers() -> None:
    scenes = [open_pile(np.random.default_rng(seed), sized=1.0) for seed in range(6)]
    sizes = np.array([scene.size for scene in scenes])
    assert np.allclose(sizes[:, 0], BLOCK_SIZE[0])
    assert np.ptp(sizes[:, 1]) > 0.001
    assert np.ptp(sizes[:, 2]) > 0.001
    assert all((scene.size == BLOCK_SIZE).all() for scene in [open_pile(np.random.default_rng(1))])
    for scene in scenes:
        boxes = Boxes(scene.blocks.size, scene.blocks.position, to_quaternions(scene.blocks.axes))
        assert boxes.measure_underside().min() > -DEEP


def test_edges_are_where_another_block_begins() -> None:
    ids = np.full((16, 16), -1, np.int32)
    ids[2:10, 4:12] = 0
    ids[2:10, 8:14] = 1
    edges = find_edges(ids)
    assert edges.tolist() == [
        [True, True, True, True],  # to the left of a block that begins between two cells, too
        [True, True, False, True],
        [True, True, True, True],
        [False, False, False, False],
    ]
