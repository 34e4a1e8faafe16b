"""Parting: blocks that reach into each other do not afterwards, and those whose places are sure stay."""

import numpy as np
import pytest

from anastylosis.detection.evidence import measure_overlaps
from anastylosis.detection.eye import CRAMPED, move_apart
from anastylosis.detection.looking import Found
from anastylosis.detection.parting import FURTHEST, LEFT, list_axes, part_blocks
from anastylosis.detection.proposals import Proposals
from anastylosis.detection.turn import make_turns
from eyes import BLOCK

HIGH = BLOCK[2]


def lay(*places: tuple[float, float, float]) -> Proposals:
    """Blocks along x at these places [m]."""
    return Proposals(np.tile(BLOCK, (len(places), 1)), np.array(places), np.tile(np.eye(3), (len(places), 1, 1)))


def find(blocks: Proposals, place_sd: float = 0.004, odds: float = 2.0) -> Found:
    count = len(blocks.size)
    sds = np.full(count, place_sd)
    return Found(blocks, np.full(count, odds), sds, sds, np.zeros(count, bool))


def test_two_part_by_half_each() -> None:
    blocks = lay((0, 0, 0.1), (0.002, 0, 0.1 + HIGH - 0.006))  # 6 mm deep, one over the other
    moved = part_blocks(blocks, np.full(2, 0.005)).position - blocks.position
    assert moved[:, :2] == pytest.approx(0)
    assert moved[0, 2] == pytest.approx(-moved[1, 2])
    assert moved[1, 2] - moved[0, 2] == pytest.approx(0.006 - LEFT, abs=LEFT)


def test_who_is_sure_stays() -> None:
    blocks = lay((0, 0, 0.1), (0, 0, 0.1 + HIGH - 0.006))
    moved = part_blocks(blocks, np.array([1e-5, 0.005])).position - blocks.position
    assert moved[0] == pytest.approx(0, abs=1e-6)
    assert moved[1, 2] > 0.003


def test_what_is_in_the_floor_comes_up() -> None:
    blocks = lay((0, 0, HIGH / 2 - 0.005), (0.2, 0, HIGH / 2))
    np.testing.assert_allclose(part_blocks(blocks, np.full(2, 0.005)).position[:, 2], HIGH / 2)


def test_what_is_apart_stays() -> None:
    blocks = lay((0, 0, 0.02), (0.1, 0, 0.02), (0, 0.03, 0.02))
    np.testing.assert_array_equal(part_blocks(blocks, np.full(3, 0.005)).position, blocks.position)
    assert len(part_blocks(blocks.take(np.zeros(0, int)), np.zeros(0)).size) == 0


@pytest.mark.parametrize("seed", range(5))
def test_crowds_part(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = Proposals(
        np.tile(BLOCK, (20, 1)), np.column_stack([rng.uniform(-0.12, 0.12, (20, 2)), rng.uniform(0.02, 0.08, 20)]),
        make_turns(rng.normal(0, 1, (20, 3))),
    )  # fmt: skip
    before, *_ = measure_overlaps(blocks)
    found = move_apart(find(blocks))
    after, *_ = measure_overlaps(found.blocks)
    assert before.max() > CRAMPED >= after.max(initial=0.0)
    assert len(found.odds) >= 15


def test_nobody_goes_far() -> None:
    rng = np.random.default_rng(0)
    blocks = lay(*(tuple(place) for place in rng.uniform(0.1, 0.13, (12, 3))))
    sd = rng.uniform(0.001, 0.004, 12)
    way = np.linalg.norm(part_blocks(blocks, sd).position - blocks.position, axis=1)
    assert (way <= FURTHEST * sd + 1e-9).all()
    assert way.max() > 0.005
    np.testing.assert_allclose(part_blocks(blocks, np.zeros(12)).position, blocks.position, atol=1e-5)


def test_depths_are_those_of_the_survey() -> None:
    rng = np.random.default_rng(1)
    blocks = Proposals(np.tile(BLOCK, (30, 1)), rng.uniform(0.1, 0.2, (30, 3)), make_turns(rng.normal(0, 1, (30, 3))))
    deep, first, second = measure_overlaps(blocks)
    axes, reach = list_axes(blocks, first, second)
    across = np.einsum("pki,pi->pk", axes, blocks.position[second] - blocks.position[first])
    np.testing.assert_allclose((reach - np.abs(across)).min(axis=1), deep, atol=1e-4)


def test_what_is_not_probable_pushes_nobody() -> None:
    blocks = lay((0, 0, 0.1), (0, 0, 0.1 + HIGH - 0.006))
    found = find(blocks)._replace(odds=np.array([2.0, -3.0]))
    np.testing.assert_array_equal(move_apart(found).blocks.position, blocks.position)
    assert len(move_apart(found.take(np.zeros(0, int))).odds) == 0


def test_where_there_is_no_room_the_surer_stays() -> None:
    found = find(lay((0, 0, 0.1), (0, 0, 0.1)))._replace(odds=np.array([1.0, 2.0]))  # neither is on a side of the other
    assert move_apart(found).odds.tolist() == [2.0]
