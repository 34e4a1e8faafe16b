"""What looks wrong in a survey: closed forms of gaps and depths, and findings that name the stones."""

import numpy as np
import pytest

from anastylosis.geometry import Boxes, measure_gaps
from anastylosis.survey import Survey, check_survey
from anastylosis.survey.neighbours import find_near
from support.surveys import survey, tower_survey
from support.worlds import turn

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
CUBE = (0.1, 0.1, 0.1)


def boxes(*position: tuple, size: tuple = CUBE, orientation: tuple = UPRIGHT) -> Boxes:
    count = len(position)
    return Boxes(np.tile(size, (count, 1)), np.array(position, float), np.tile(orientation, (count, 1)))


def cubes(*position: tuple, **changes: object) -> Survey:
    values: dict = {"ids": tuple("abcdefgh"[: len(position)]), **boxes(*position)._asdict()}
    return Survey(**(values | changes))


def kinds(made: Survey) -> list[tuple]:
    return [(finding.kind, *finding.ids) for finding in check_survey(made)]


def test_near_pairs_are_all_pairs_whose_spheres_meet() -> None:
    rng = np.random.default_rng(0)
    some = Boxes(np.full((1200, 3), 0.05), rng.uniform(0, 1, (1200, 3)), np.tile(UPRIGHT, (1200, 1)))
    pairs, total = find_near(some, np.full(1200, 0.01), 10**6)
    radius = 0.05 * np.sqrt(3) / 2 + 0.01
    apart = np.linalg.norm(some.position[:, None] - some.position, axis=2)
    assert pairs.tolist() == np.argwhere(np.triu(apart <= 2 * radius, 1)).tolist()
    assert total == len(pairs)
    few, counted = find_near(some, np.full(1200, 0.01), 10)
    assert (few.tolist(), counted) == (pairs[:10].tolist(), total)


def test_nothing_is_wrong_with_a_tower() -> None:
    assert check_survey(tower_survey()) == []


def test_one_stone_alone() -> None:
    assert check_survey(survey().select([0])) == []


def test_stones_within_each_other() -> None:
    made = cubes((0, 0, 0.05), (0.09, 0, 0.05), (0, 0.101, 0.05))
    (finding,) = check_survey(made)
    assert (finding.kind, finding.rows, finding.ids) == ("overlap", (0, 1), ("a", "b"))
    assert finding.message == "a, b: they are 10.0 mm deep in each other"
    assert kinds(cubes((0, 0, 0.05), (0.0985, 0, 0.05))) == []  # 1.5 mm: rounded numbers


def test_deviations_explain_an_overlap() -> None:
    # 10 mm deep; three deviations of two stones with 3 mm each are 3 sqrt(2) 3 = 12.7 mm, with 1 mm each 4.2 mm.
    pair = ((0, 0, 0.05), (0.09, 0, 0.05))
    assert kinds(cubes(*pair, position_sd=[0.003, 0.003])) == []
    assert kinds(cubes(*pair, position_sd=[0.001, 0.001])) == [("overlap", "a", "b")]
    assert kinds(cubes(*pair, orientation_sd=[0.05, 0.05])) == []  # 0.05 rad at a corner 87 mm away: 4.3 mm


def test_stones_in_the_air() -> None:
    made = cubes((0, 0, 0.05), (0, 0, 0.15), (0.5, 0, 0.15), (0.5, 0, 0.25))
    assert kinds(made) == [("floating", "c")]  # d lies on c
    assert check_survey(made)[0].message == "c: it is 100.0 mm above the ground, and no stone is under it"
    assert kinds(cubes((0, 0, 0.05), (0.5, 0, 0.052))) == []  # 2 mm
    assert kinds(cubes((0, 0, 0.05), (0.5, 0, 0.065), position_sd=[0, 0.005])) == []  # 15 mm, within three deviations
    assert kinds(cubes((0, 0, 0.05), (0.101, 0, 0.2))) == [("floating", "b")]  # beside it, not on it


def test_two_stones_do_not_hold_each_other_up() -> None:
    assert ("floating", "b") in kinds(cubes((0, 0, 0.05), (0.5, 0, 0.3), (0.6, 0, 0.31)))


def test_stones_in_the_ground() -> None:
    made = cubes((0, 0, 0.05), (0.5, 0, 0.03), (1.0, 0, 0.0485))
    assert kinds(made) == [("sunk", "b")]
    assert check_survey(made)[0].message == "b: its lowest corner is 20.0 mm below the ground"


@pytest.mark.parametrize(
    ("factor", "words"), [(1000, "1,000 times"), (100, "100 times"), (10, "10 times"), (0.001, "1/1,000 of")]
)
def test_sizes_in_another_unit(factor: float, words: str) -> None:
    tower = tower_survey(3)
    findings = check_survey(
        Survey(ids=tower.ids, size=tower.size * factor, position=tower.position, orientation=tower.orientation)
    )
    assert findings[0].kind == "units"
    assert len(findings[0].rows) == 9
    start = "L00_0, L00_1, L00_2 and 6 more: units mixed up? Their sizes are"
    assert findings[0].message == f"{start} {words} those of a Jenga block, 81 x 26 x 18 mm"


def test_one_stone_in_another_unit_than_the_others() -> None:
    size = np.full((4, 3), 0.5)
    size[2] = 0.005
    made = cubes((0, 0, 0.25), (1, 0, 0.25), (0.5, 1, 0.0025), (2, 0, 0.25), size=size)
    assert check_survey(made)[0].message == "c: units mixed up? Their sizes are 1/100 of those of most stones here"


def test_stones_far_away() -> None:
    made = cubes((0, 0, 0.05), (0.5, 0, 0.05), (3.0, 0, 0.05))
    assert kinds(made) == [("far", "c")]
    findings = check_survey(cubes((900, 0, 0.05), (900.5, 0, 0.05)))
    assert (
        findings[0].message == "a, b: all lie 900.00 m or more from the foot of the structure; is the origin of the ground right?"
    )


def test_of_five_hundred_stones_only_near_ones_are_compared() -> None:
    """Fifteen axes for each pair of a dense heap would take a second and more; `anastylosis bench` tells what it takes."""
    rng = np.random.default_rng(0)
    heap = Boxes(
        np.tile((0.081, 0.026, 0.018), (500, 1)), rng.uniform(-0.2, 0.2, (500, 3)),
        np.array([turn(rng.standard_normal(3), rng.uniform(0, 3)) for _ in range(500)]),
    )  # fmt: skip
    first, second = np.triu_indices(500, 1)
    touching = measure_gaps(heap.take(first), heap.take(second)) <= 0
    pairs, total = find_near(heap, np.full(500, 0.002), 500_000)
    assert set(zip(first[touching].tolist(), second[touching].tolist(), strict=True)) <= set(map(tuple, pairs.tolist()))
    assert touching.sum() < total == len(pairs) < 0.1 * len(first)


def test_a_heap_that_is_too_dense_to_look_at(monkeypatch) -> None:
    monkeypatch.setattr("anastylosis.survey.checks.PAIRS_MAX", 5)
    found = check_survey(cubes(*((0.001 * k, 0, 0.05) for k in range(6))))
    assert len(found) == 1
    assert found[0].message.startswith("a, b, c and 3 more: 15 pairs of stones are near each other, too many to look at")
