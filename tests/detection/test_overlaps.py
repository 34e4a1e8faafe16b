"""Overlaps: blocks that reach into each other are moved apart, and those whose places are sure stay."""

import numpy as np
import pytest

from anastylosis.detection.detections import BoxProposals, Detections
from anastylosis.detection.overlaps import (
    DEPTH_LEFT,
    DEPTH_LEFT_MAX,
    DEVIATIONS_MAX,
    list_separating_axes,
    measure_overlaps,
    resolve_overlaps,
    separate_boxes,
)
from anastylosis.geometry import make_rotations
from support.drawn_debris import BLOCK

HIGH = BLOCK[2]


def lay(*places: tuple[float, float, float]) -> BoxProposals:
    """Blocks along x at these places [m]."""
    return BoxProposals(np.tile(BLOCK, (len(places), 1)), np.array(places), np.tile(np.eye(3), (len(places), 1, 1)))


def find(blocks: BoxProposals, place_sd: float = 0.004, logit: float = 2.0) -> Detections:
    count = len(blocks.size)
    sds = np.full(count, place_sd)
    return Detections(blocks, np.full(count, logit), sds, sds, np.zeros(count, bool))


def test_two_part_by_half_each() -> None:
    blocks = lay((0, 0, 0.1), (0.002, 0, 0.1 + HIGH - 0.006))  # 6 mm deep, one over the other
    moved = separate_boxes(blocks, np.full(2, 0.005)).position - blocks.position
    assert moved[:, :2] == pytest.approx(0)
    assert moved[0, 2] == pytest.approx(-moved[1, 2])
    assert moved[1, 2] - moved[0, 2] == pytest.approx(0.006 - DEPTH_LEFT, abs=DEPTH_LEFT)


def test_who_is_sure_stays() -> None:
    blocks = lay((0, 0, 0.1), (0, 0, 0.1 + HIGH - 0.006))
    moved = separate_boxes(blocks, np.array([1e-5, 0.005])).position - blocks.position
    assert moved[0] == pytest.approx(0, abs=1e-6)
    assert moved[1, 2] > 0.003


def test_what_is_in_the_floor_comes_up() -> None:
    blocks = lay((0, 0, HIGH / 2 - 0.005), (0.2, 0, HIGH / 2))
    np.testing.assert_allclose(separate_boxes(blocks, np.full(2, 0.005)).position[:, 2], HIGH / 2)


def test_what_is_apart_stays() -> None:
    blocks = lay((0, 0, 0.02), (0.1, 0, 0.02), (0, 0.03, 0.02))
    np.testing.assert_array_equal(separate_boxes(blocks, np.full(3, 0.005)).position, blocks.position)
    assert len(separate_boxes(blocks.take(np.zeros(0, int)), np.zeros(0)).size) == 0


@pytest.mark.parametrize("seed", range(5))
def test_crowds_part(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = BoxProposals(
        np.tile(BLOCK, (20, 1)), np.column_stack([rng.uniform(-0.12, 0.12, (20, 2)), rng.uniform(0.02, 0.08, 20)]),
        make_rotations(rng.normal(0, 1, (20, 3))),
    )  # fmt: skip
    before, *_ = measure_overlaps(blocks)
    found = resolve_overlaps(find(blocks))
    after, *_ = measure_overlaps(found.blocks)
    assert before.max() > DEPTH_LEFT_MAX >= after.max(initial=0.0)
    assert len(found.logit) >= 15


def test_nobody_goes_far() -> None:
    rng = np.random.default_rng(0)
    blocks = lay(*(tuple(place) for place in rng.uniform(0.1, 0.13, (12, 3))))
    sd = rng.uniform(0.001, 0.004, 12)
    way = np.linalg.norm(separate_boxes(blocks, sd).position - blocks.position, axis=1)
    assert (way <= DEVIATIONS_MAX * sd + 1e-9).all()
    assert way.max() > 0.005
    np.testing.assert_allclose(separate_boxes(blocks, np.zeros(12)).position, blocks.position, atol=1e-5)


def test_depths_are_those_of_the_survey() -> None:
    rng = np.random.default_rng(1)
    blocks = BoxProposals(np.tile(BLOCK, (30, 1)), rng.uniform(0.1, 0.2, (30, 3)), make_rotations(rng.normal(0, 1, (30, 3))))
    deep, first, second = measure_overlaps(blocks)
    axes, reach = list_separating_axes(blocks.size, blocks.axes, first, second)
    across = np.einsum("pki,pi->pk", axes, blocks.position[second] - blocks.position[first])
    np.testing.assert_allclose((reach - np.abs(across)).min(axis=1), deep, atol=1e-4)


def test_what_is_not_probable_pushes_nobody() -> None:
    blocks = lay((0, 0, 0.1), (0, 0, 0.1 + HIGH - 0.006))
    found = find(blocks)._replace(logit=np.array([2.0, -3.0]))
    np.testing.assert_array_equal(resolve_overlaps(found).blocks.position, blocks.position)
    assert len(resolve_overlaps(found.take(np.zeros(0, int))).logit) == 0


def test_where_there_is_no_room_the_surer_stays() -> None:
    found = find(lay((0, 0, 0.1), (0, 0, 0.1)))._replace(logit=np.array([1.0, 2.0]))  # neither is on a side of the other
    assert resolve_overlaps(found).logit.tolist() == [2.0]
