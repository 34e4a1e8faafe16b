"""Blocks of any size: the detector sees a scene as it would see one whose blocks are as long as those that it knows."""

import math

import numpy as np
import pytest

from anastylosis.detection.block_size import check_proportions
from anastylosis.detection.detections import tower_slots
from anastylosis.detection.slot_classifier import cut_slot_crops
from anastylosis.detection.view import Photo, level_photo, scale_photo
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction import Toolset
from anastylosis.rendering import frame_points, make_look, render_image
from anastylosis.structure import BLOCK_SIZE, SHOP_BLOCK_SIZE, jenga_tower

TWICE = tuple(2 * side for side in BLOCK_SIZE)


def photograph_tower(size: tuple[float, float, float], layers: int = 6) -> Photo:
    tower = jenga_tower(layers, size=size)
    share = size[0] / BLOCK_SIZE[0]
    around = share * np.array([(x, y, z) for x in (-0.15, 0.15) for y in (-0.15, 0.15) for z in (0, 0.12)])
    camera = frame_points(around, elevation=math.radians(30), azimuth=0.6, width=384, height=384)
    return Photo(
        render_image(tower.blocks.size, tower.position, tower.orientation, camera, make_look("wood", 1), antialias=2).rgb, camera
    )


@pytest.mark.parametrize("size", [BLOCK_SIZE, SHOP_BLOCK_SIZE, (0.0773, 0.0249, 0.0148), TWICE])
def test_blocks_that_people_own_are_known(size) -> None:
    assert check_proportions(size) == size


@pytest.mark.parametrize("size", [(0.1, 0.02, 0.02), (0.06, 0.02, 0.018), (0.2, 0.03, 0.02)])
def test_other_proportions_are_refused_in_words(size) -> None:
    with pytest.raises(InvalidInput, match="are not known to the detector"):
        check_proportions(size)


def test_a_scene_twice_as_large_looks_the_same() -> None:
    here, there = photograph_tower(BLOCK_SIZE), photograph_tower(TWICE)
    one, other = level_photo(here), level_photo(scale_photo(there, 0.5))
    assert np.allclose(one.camera.eye, other.camera.eye)
    assert one.camera.width == other.camera.width
    assert np.abs(one.picture - other.picture).mean() < 0.02  # shadows of a tower twice as far away


def test_slots_of_any_proportions_fill_their_crops_alike() -> None:
    """The end and the side of a filled slot cover as much of its crop, whatever its sides are."""
    for size in (BLOCK_SIZE, SHOP_BLOCK_SIZE):
        photo = photograph_tower(size)
        view = level_photo(scale_photo(photo, BLOCK_SIZE[0] / size[0]))
        slots = tower_slots(np.array(size) * BLOCK_SIZE[0] / size[0], 6)
        crops = cut_slot_crops(view, slots)
        assert np.isfinite(crops.picture).all()
        top = crops.picture[15:18].mean(axis=1)  # above the highest course is the floor: another tone
        assert not np.allclose(top[:, 2], top[:, 12], atol=0.05)


@pytest.mark.slow
def test_a_standing_tower_of_shop_blocks_is_found() -> None:
    """Told the size every slot is found where it is; as the paper's blocks the tower would be read a third too low."""
    detector = Toolset().open_detector()
    survey = detector.survey([photograph_tower(SHOP_BLOCK_SIZE)], block=SHOP_BLOCK_SIZE)
    tower = jenga_tower(6, size=SHOP_BLOCK_SIZE)
    apart = np.linalg.norm(survey.position[:, None] - tower.position, axis=2)
    assert (apart.min(axis=0) < 0.004).mean() >= 0.85
    assert np.allclose(survey.size, SHOP_BLOCK_SIZE)
