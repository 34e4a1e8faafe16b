"""Rescorer: which blocks are neighbours, how they are described, and what becomes of the outputs."""

import numpy as np
import pytest

from anastylosis.detection.detections import BoxProposals, Detections, join_proposals
from anastylosis.detection.refiner import PLACE_UNIT
from anastylosis.detection.rescorer import (
    NEIGHBOUR_FEATURES,
    NEIGHBOURS_MAX,
    OWN_FEATURES,
    RESCORER_OUTPUTS,
    Neighbourhoods,
    describe_neighbourhoods,
    rescore,
)
from support.drawn_debris import SLOTS, make_scene, shake

EYE = (0.8, -0.3, 0.6)
DEEP, ACROSS, ALONG = 6, 7, 8  # columns of what is told of another


def find(blocks: BoxProposals, logit: float = 1.0, stands: bool = False) -> Detections:
    count = len(blocks.size)
    return Detections(blocks, np.full(count, logit), np.full(count, 0.006), np.full(count, 0.1), np.full(count, stands))


def slide(blocks: BoxProposals, away: float, across: float) -> BoxProposals:
    """Blocks moved along the line of sight, and to the right of it [m]."""
    ray = blocks.position - EYE
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    right = np.cross(ray, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    return blocks._replace(position=blocks.position + away * ray + across * right)


def test_those_who_lie_alone_have_no_company() -> None:
    neighbourhoods = describe_neighbourhoods(find(make_scene().blocks.take(np.arange(3, 12))), [EYE])
    assert neighbourhoods.own.shape == (9, OWN_FEATURES)
    assert neighbourhoods.others.shape == (9, NEIGHBOURS_MAX, NEIGHBOUR_FEATURES)
    assert not neighbourhoods.others.any()


def test_blocks_of_a_tower_touch_their_neighbours() -> None:
    neighbourhoods = describe_neighbourhoods(find(SLOTS.take(np.arange(9)), stands=True), [EYE])
    touched = neighbourhoods.others[..., 0].sum(axis=1)
    assert touched.tolist() == [4, 5, 4, 7, 8, 7, 4, 5, 4]  # the next ones, and three below or above
    assert neighbourhoods.others[..., DEEP].max() < 1e-3  # none is in another


def test_how_two_differ_is_told_along_the_line_of_sight_and_across() -> None:
    alone = make_scene().blocks.take(np.array([5]))
    for away, across in ((0.012, 0.0), (0.0, 0.012)):
        both = find(join_proposals([alone, slide(alone, away, across)]))
        told = describe_neighbourhoods(both, [EYE]).others[0, 0]
        assert told[ALONG] * PLACE_UNIT == pytest.approx(away, abs=1e-4)
        assert told[ACROSS] * PLACE_UNIT == pytest.approx(across, abs=1e-4)
        assert told[DEEP] > 0


def test_in_a_crowd_the_surest_are_heard() -> None:
    crowd = join_proposals(
        [shake(make_scene().blocks.take(np.array([5])), 0.003, 0.05, seed) for seed in range(NEIGHBOURS_MAX + 6)]
    )
    found = find(crowd)._replace(logit=np.arange(NEIGHBOURS_MAX + 6) / 10)
    told = describe_neighbourhoods(found, [EYE]).others
    assert (told[..., 0] == 1).all()
    np.testing.assert_allclose(2 * told[0, :, 1], found.logit[:5:-1], atol=1e-6)  # those of all others but the least sure


def test_the_order_of_blocks_does_not_matter() -> None:
    blocks = join_proposals([make_scene().blocks, shake(make_scene().blocks, 0.006, 0.1)])
    found = find(blocks)._replace(logit=np.linspace(-1, 2, 24))
    turned = np.random.default_rng(0).permutation(24)
    for one, other in zip(describe_neighbourhoods(found, [EYE]), describe_neighbourhoods(found.take(turned), [EYE]), strict=True):
        np.testing.assert_allclose(one[turned], other, atol=1e-6)


def test_a_jury_moves_what_fell_and_leaves_what_stands() -> None:
    scene = make_scene()
    found = find(scene.blocks)._replace(stands=~scene.fell)

    def rescorer(neighbourhoods: Neighbourhoods) -> np.ndarray:
        said = np.zeros((len(neighbourhoods.own), RESCORER_OUTPUTS), np.float32)
        said[:, 0], said[:, 3] = 0.5, 0.3  # ahead of the camera
        return said

    moved = rescore(found, [EYE], rescorer)
    assert (moved.logit == 0.5).all()
    shift = moved.blocks.position - scene.blocks.position
    assert not shift[~scene.fell].any()
    ray = scene.blocks.position[scene.fell] - EYE
    np.testing.assert_allclose(shift[scene.fell], 0.3 * PLACE_UNIT * ray / np.linalg.norm(ray, axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(moved.blocks.axes, scene.blocks.axes, atol=1e-9)


def test_nobody_is_heard_of_nobody() -> None:
    nothing = find(BoxProposals(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3, 3))))
    assert len(rescore(nothing, [EYE], lambda neighbourhoods: np.zeros((0, RESCORER_OUTPUTS), np.float32)).logit) == 0


def test_of_many_pictures_no_more_is_told_than_of_two() -> None:
    found = find(make_scene().blocks)
    two, five = (describe_neighbourhoods(found, count * [EYE]).own for count in (2, 5))
    np.testing.assert_array_equal(two, five)
    assert (describe_neighbourhoods(found, [EYE]).own != two).any()
