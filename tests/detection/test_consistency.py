"""Multi-view consistency: pictures of one scene pass, pictures of two are refused, and what the tower hides does not count."""

import numpy as np
import pytest

from anastylosis.detection.consistency import (
    BLOCKS_MIN,
    TWO_SCENES,
    check_debris,
    check_slots,
    find_shown,
    is_behind,
    measure_confirmation,
)
from anastylosis.detection.detections import BoxProposals
from anastylosis.detection.votes import VoteMap, cluster_votes, decode_votes, join_votes
from anastylosis.errors import InvalidInput
from anastylosis.structure.tower import BLOCK_SIZE
from anastylosis.training.detection.scenes import DebrisScene
from support.drawn_debris import make_scene, photograph, say_votes


def tell_votes(scene: DebrisScene, seed: int) -> VoteMap:
    """Return the true votes of a picture of the scene from a camera drawn by `seed`."""
    shot = photograph(scene, seed)
    return decode_votes(shot.view.camera, say_votes(scene, shot)[0])


def spread(scene: DebrisScene, factor: float) -> DebrisScene:
    """What fell, further away or nearer."""
    position = scene.blocks.position * np.where(scene.fell[:, None], [factor, factor, 1.0], 1.0)
    return scene._replace(blocks=scene.blocks._replace(position=position))


def list_proposals(*vote_map: VoteMap) -> BoxProposals:
    """Of all of them together."""
    return cluster_votes(join_votes([each.votes for each in vote_map]), np.array(BLOCK_SIZE))[0]


def test_one_scene_agrees_with_itself() -> None:
    vote_map = [tell_votes(make_scene(), seed) for seed in (0, 3)]
    share, blocks = measure_confirmation(*(find_shown(each, list_proposals(*vote_map)) for each in vote_map))
    assert share > 0.8
    assert BLOCKS_MIN < blocks < 12
    check_debris(vote_map, list_proposals(*vote_map))
    check_debris(vote_map[:1], list_proposals(*vote_map[:1]))


@pytest.mark.parametrize("factor", [0.5, 0.8])
def test_two_scenes_are_told_apart(factor: float) -> None:
    scene = make_scene()
    vote_map = [tell_votes(scene, 0), tell_votes(spread(scene, factor), 3)]
    with pytest.raises(InvalidInput, match=r"pictures 1 and 2 do not show the same debris: .* confirms 0%") as refused:
        check_debris(vote_map, list_proposals(*vote_map))
    assert refused.value.kind == TWO_SCENES


def see_nothing(vote_map: VoteMap) -> VoteMap:
    """The same picture, in which no pixel votes."""
    nobody, nowhere = vote_map.votes.take(np.zeros(0, int)), np.full_like(vote_map.number, -1)
    return vote_map._replace(votes=nobody, number=nowhere, chance=0 * vote_map.chance)


def test_two_pictures_without_debris_agree() -> None:
    none = see_nothing(tell_votes(make_scene(), 3))
    check_debris([none, none], list_proposals(none))
    assert measure_confirmation(np.zeros(0), np.zeros(0)) == (0.0, 0.0)


def test_a_picture_that_should_show_blocks_and_does_not_is_refused() -> None:
    full, none = tell_votes(make_scene(), 0), see_nothing(tell_votes(make_scene(), 3))
    with pytest.raises(InvalidInput, match="do not show the same debris"):
        check_debris([full, none], list_proposals(full, none))


def test_what_need_not_be_shown_does_not_count() -> None:
    one, other = np.array([0.8, np.nan, 0.4, 0.2]), np.array([0.2, 0.9, 0.6, 0.1])  # the last is shown clearly by none
    assert measure_confirmation(one, other) == pytest.approx((0.6 / 1.4, 1.4))


def test_what_the_tower_hides_is_not_asked_for() -> None:
    eye = np.array([1.0, 0.0])
    places = np.array([[-0.2, 0.0], [-0.2, 0.2], [0.2, 0.0], [0.02, 0.0]])
    assert is_behind(places, eye).tolist() == [True, False, False, False]


def test_slots_that_are_clear_in_both_agree() -> None:
    logit = np.array([[5.0] * 8, [5.0] * 6 + [-5.0] * 2])
    check_slots(logit)
    with pytest.raises(InvalidInput, match="of 8 slots of the tower that are clear in both, 8 are filled in one"):
        check_slots(logit * [[1.0], [0.0]] + [[0.0], [-5.0]])
