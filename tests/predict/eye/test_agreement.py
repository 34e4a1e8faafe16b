"""Agreement: pictures of one scene pass, pictures of two are refused, and what the tower hides does not count."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.learn.eye.scenes import Scene
from anastylosis.predict.eye import evidence
from anastylosis.predict.eye.agreement import MANY, TWO_SCENES, check_debris, check_slots, confirm, is_behind
from eyes import make_scene, photograph, say_votes


def tell_votes(scene: Scene, seed: int) -> evidence.Testimony:
    """Of a picture of the scene from anywhere, by pixels that know the truth."""
    shot = photograph(scene, seed)
    return evidence.hear(shot.view.camera, say_votes(scene, shot)[0])


def spread(scene: Scene, factor: float) -> Scene:
    """What fell, further away or nearer."""
    position = scene.blocks.position * np.where(scene.fell[:, None], [factor, factor, 1.0], 1.0)
    return scene._replace(blocks=scene.blocks._replace(position=position))


def test_one_scene_agrees_with_itself() -> None:
    one, other = (tell_votes(make_scene(), seed) for seed in (0, 3))
    share, votes = confirm(one, other)
    assert share > 0.8
    assert votes > MANY
    check_debris([one, other])
    check_debris([one])


def test_two_scenes_are_told_apart() -> None:
    scene = make_scene()
    with pytest.raises(InvalidInput, match="pictures 1 and 2 do not show the same debris") as refused:
        check_debris([tell_votes(scene, 0), tell_votes(spread(scene, 0.5), 3)])
    assert refused.value.kind == TWO_SCENES


def test_what_the_tower_hides_is_not_asked_for() -> None:
    eye = np.array([1.0, 0.0])
    places = np.array([[-0.2, 0.0], [-0.2, 0.2], [0.2, 0.0], [0.02, 0.0]])
    assert is_behind(places, eye).tolist() == [True, False, False, False]


def test_slots_that_are_clear_in_both_agree() -> None:
    odds = np.array([[5.0] * 8, [5.0] * 6 + [-5.0] * 2])
    check_slots(odds)
    with pytest.raises(InvalidInput, match="of 8 slots of the tower that are clear in both, 8 are filled in one"):
        check_slots(odds * [[1.0], [0.0]] + [[0.0], [-5.0]])
