"""Blocks, structures and the tower: geometry, names, and refusals that say what to do."""

import numpy as np
import pytest

from anastylosis.errors import InvalidStructure
from anastylosis.structure import Blocks, Floor, Structure, jenga_tower


def blocks(count: int = 2, **changes) -> Blocks:
    values = {
        "size": np.full((count, 3), 0.1),
        "mass": np.full(count, 1.0),
        "friction": np.full(count, 0.5),
        "restitution": np.full(count, 0.1),
    }
    return Blocks(**(values | changes))


def structure(**changes) -> Structure:
    values = {
        "blocks": blocks(),
        "ids": ("low", "high"),
        "course": [0, 1],
        "position": [(0, 0, 0.05), (0, 0, 0.15)],
        "orientation": [(1, 0, 0, 0), (1, 0, 0, 0)],
    }
    return Structure(**(values | changes))


def corners(tower: Structure) -> np.ndarray:
    """World bounds of each block, (B, 2, 3); tower blocks are turned by 0 or 90 degrees only."""
    turned = tower.course % 2 == 1
    half = np.where(turned[:, None], tower.blocks.size[:, [1, 0, 2]], tower.blocks.size) / 2
    return np.stack([tower.position - half, tower.position + half], axis=1)


def test_tower_names_and_courses() -> None:
    tower = jenga_tower(layers=18)
    assert len(tower) == 54
    assert tower.ids[:4] == ("L00_0", "L00_1", "L00_2", "L01_0")
    assert tower.ids[-1] == "L17_2"
    assert tower.course.tolist() == [layer for layer in range(18) for _ in range(3)]
    assert tower.place.tolist() == [0, 1, 2] * 18


def test_a_place_stays_when_its_neighbours_go() -> None:
    assert jenga_tower(2).without("L00_0", "L01_1").place.tolist() == [1, 2, 0, 2]


def test_the_same_blocks_elsewhere() -> None:
    tower = jenga_tower(2).without("L00_0")
    moved = tower.at(tower.position + 1.0, tower.orientation)
    np.testing.assert_array_equal(moved.position, tower.position + 1.0)
    assert moved.ids == tower.ids
    assert moved.place.tolist() == tower.place.tolist()


def test_block_is_the_appendix_block() -> None:
    # Paper, appendix A: 81 x 26 x 18 mm, 19.6 g, mu 0.40, e 0.10.
    tower = jenga_tower(layers=2)
    assert tower.blocks.size.tolist() == [[0.081, 0.026, 0.018]] * 6
    np.testing.assert_allclose(tower.blocks.mass, 0.0196, rtol=1e-15)
    assert set(tower.blocks.friction) == {0.40}
    assert set(tower.blocks.restitution) == {0.10}
    assert tower.floor == Floor(friction=0.40, restitution=0.10)


def test_inertia_of_the_jenga_block() -> None:
    # Paper Eq. (3): m/12 (w^2 + h^2, l^2 + h^2, l^2 + w^2). Its printed numbers are wrong; by hand:
    # 0.0196/12 * (26^2 + 18^2, 81^2 + 18^2, 81^2 + 26^2) * 1e-6.
    inertia = jenga_tower(layers=1).blocks.inertia
    assert inertia.shape == (3, 3)
    np.testing.assert_allclose(inertia[0], (1.633e-6, 1.1245e-5, 1.182e-5), rtol=5e-4)


def test_courses_touch_and_neighbours_do_not_overlap() -> None:
    tower = jenga_tower(layers=4)
    low, high = corners(tower).swapaxes(0, 1)
    np.testing.assert_allclose(low[:, 2], 0.018 * tower.course, atol=1e-12)
    np.testing.assert_allclose(high[:, 2], 0.018 * (tower.course + 1), atol=1e-12)
    for layer in range(4):
        across = 1 if layer % 2 == 0 else 0  # even courses lie along x, so their places run along y
        rows = slice(3 * layer, 3 * layer + 3)
        assert np.all(np.diff(tower.position[rows, across]) > 0)
        gaps = low[rows, across][1:] - high[rows, across][:-1]
        np.testing.assert_allclose(gaps, 0.0015, atol=1e-12)
        np.testing.assert_allclose((low[rows, across][0], high[rows, across][-1]), (-0.0405, 0.0405), atol=1e-12)


def test_odd_courses_are_turned_a_quarter() -> None:
    orientation = jenga_tower(layers=2).orientation
    np.testing.assert_allclose(orientation[:3], [(1, 0, 0, 0)] * 3)
    np.testing.assert_allclose(orientation[3:], [(0.5**0.5, 0, 0, 0.5**0.5)] * 3)


def test_tolerance_is_seeded() -> None:
    def sizes(seed: int) -> np.ndarray:
        return jenga_tower(layers=6, tolerance=1e-4, rng=np.random.default_rng(seed)).blocks.size

    assert np.array_equal(sizes(1), sizes(1))
    assert not np.array_equal(sizes(1), sizes(2))


def test_tolerance_varies_width_and_height_within_two_deviations() -> None:
    tower = jenga_tower(layers=18, tolerance=1e-4, rng=np.random.default_rng(0))
    change = tower.blocks.size - (0.081, 0.026, 0.018)
    assert np.all(change[:, 0] == 0)
    assert 0 < np.abs(change[:, 1:]).max() <= 2e-4 + 1e-15
    density = tower.blocks.mass / tower.blocks.size.prod(axis=1)
    np.testing.assert_allclose(density, density[0])
    low, high = corners(tower).swapaxes(0, 1)
    for layer in range(1, 18):  # no course starts below the top of the one under it
        assert low[tower.course == layer, 2].min() >= high[tower.course == layer - 1, 2].max() - 1e-12


def test_without_takes_the_named_blocks_out() -> None:
    tower = jenga_tower(layers=3)
    left = tower.without("L01_1", "L00_0")
    assert len(left) == 7
    assert "L01_1" not in left.ids
    assert "L00_0" not in left.ids
    row = left.index("L02_2")
    assert np.array_equal(left.position[row], tower.position[tower.index("L02_2")])
    assert left.course[row] == 2
    assert len(tower) == 9


def test_select_takes_a_mask_or_rows() -> None:
    tower = jenga_tower(layers=2)
    assert tower.select([4, 0]).ids == ("L01_1", "L00_0")
    assert tower.select(tower.course == 1).ids == ("L01_0", "L01_1", "L01_2")


def test_arrays_cannot_be_written() -> None:
    tower = jenga_tower(layers=1)
    for array in (tower.position, tower.orientation, tower.course, tower.blocks.size, tower.blocks.mass, tower.blocks.fixed):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_nearly_unit_quaternions_are_normalised() -> None:
    made = structure(orientation=[(1 + 5e-7, 0, 0, 0), (1, 0, 0, 0)])
    np.testing.assert_allclose(np.linalg.norm(made.orientation, axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": [(0.1, 0.1, 0.1), (0.1, 0.0, 0.1)]}, "size of block 1 is 0: it must be above 0 m"),
        ({"size": [(0.1, 0.1, 0.1), (0.1, -2.0, 0.1)]}, "size of block 1 is -2: it must be above 0 m"),
        ({"size": [0.1, 0.1, 0.1]}, r"size has shape \(3,\), expected \(any, 3\)"),
        ({"mass": [1.0, 0.0]}, "mass of block 1 is 0: it must be above 0 kg"),
        ({"mass": [np.nan, 1.0]}, "mass of block 0 is nan: it must be a finite number"),
        ({"mass": [1.0]}, r"mass has shape \(1,\), expected \(2\)"),
        ({"friction": [0.5, -0.1]}, "friction of block 1 is -0.1: it must be in 0..10"),
        ({"friction": [0.5, np.inf]}, "friction of block 1 is inf"),
        ({"restitution": [0.5, 1.1]}, "restitution of block 1 is 1.1: it must be in 0..1"),
        ({"fixed": [True]}, r"fixed has shape \(1,\), expected \(2,\)"),
    ],
)
def test_impossible_blocks_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidStructure, match=message):
        blocks(**changes)


def test_no_blocks_are_refused() -> None:
    with pytest.raises(InvalidStructure, match="at least one block"):
        blocks(0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": ("same", "same")}, "2 blocks need 2 different ids, got 1"),
        ({"ids": ("one",)}, "2 blocks need 2 different ids"),
        ({"course": [0]}, r"course has shape \(1,\), expected \(2,\)"),
        ({"place": [0]}, r"place has shape \(1,\), expected \(2,\)"),
        ({"position": [(0, 0, 0), (0, 0, np.nan)]}, "position of block 1 is nan"),
        ({"orientation": [(1, 0, 0, 0), (1, 1, 0, 0)]}, "orientation of block 1 has length 1.41421.*divide it by its length"),
    ],
)
def test_impossible_structures_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidStructure, match=message):
        structure(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 0}, "layers is 0; a tower has a whole number of them, 1..1000"),
        ({"layers": 2.5}, "layers is 2.5; a tower has a whole number"),
        ({"layers": "3"}, "layers is '3'; a tower has a whole number"),
        ({"layers": 1001}, "layers is 1001"),
        ({"tolerance": -1e-4, "rng": np.random.default_rng(0)}, "tolerance is -0.0001 m"),
        ({"tolerance": 0.1, "rng": np.random.default_rng(0)}, "tolerance is 0.1 m"),
        ({"tolerance": 1e-4}, "pass rng="),
        ({"friction": -1.0}, "friction"),
    ],
)
def test_impossible_towers_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidStructure, match=message):
        jenga_tower(**changes)


@pytest.mark.parametrize("surface", [{"friction": -0.1}, {"friction": np.nan}, {"restitution": 1.5}])
def test_impossible_floors_are_refused(surface: dict) -> None:
    with pytest.raises(InvalidStructure, match=f"floor {next(iter(surface))} is"):
        Floor(**surface)


def test_unknown_block_name_is_refused_with_the_range() -> None:
    with pytest.raises(InvalidStructure, match="no block is named 'L99_9'; names run from 'L00_0' to 'L01_2'"):
        jenga_tower(layers=2).without("L99_9")
