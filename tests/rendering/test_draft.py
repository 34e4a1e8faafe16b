"""Drafts: a picture that is drawn again where blocks moved has the bits of one that is drawn anew."""

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera, random_camera, render_image
from anastylosis.rendering.draft import Draft, count_tiles, find_stale
from anastylosis.rendering.look import block_side, wood_look
from support.scenes import Scene, pile

LOOK = wood_look(0)


def move_one(scene: Scene, rng: np.random.Generator) -> tuple[Scene, int]:
    """The same with one block somewhere else, perhaps high above the floor."""
    size, position, orientation = (np.array(part, float) for part in scene)
    row = int(rng.integers(len(size)))
    position[row] += rng.uniform((-0.1, -0.1, 0.0), (0.1, 0.1, 0.2))
    turn = rng.standard_normal(4)
    orientation[row] = turn / np.linalg.norm(turn)
    return Scene(size, position, orientation), row


def find_both(first: Scene, second: Scene, row: int, camera: Camera) -> np.ndarray:
    """Tiles that the block may change where it was, and where it is."""
    side = block_side(first[0])
    was, is_ = (find_stale(*(np.array(part, float)[[row]] for part in each), camera, LOOK, side=side) for each in (first, second))
    return was | is_


@pytest.mark.parametrize("seed", range(12))
def test_redrawn_picture_has_the_bits_of_a_new_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera = random_camera(rng, 203, 150, reach=0.3)
    scene = pile(seed, 40)
    picture = render_image(*scene, camera, LOOK, antialias=2).rgb
    for _ in range(4):  # one on the other, as in a film: nothing adds up
        moved, row = move_one(scene, rng)
        stale = find_both(scene, moved, row, camera)
        redrawn = render_image(*moved, camera, LOOK, antialias=2, draft=Draft(picture, stale)).rgb
        anew = render_image(*moved, camera, LOOK, antialias=2).rgb
        assert (redrawn == anew).all()
        assert (anew != picture).any()
        scene, picture = moved, redrawn


def test_blocks_that_come_and_go_are_redrawn() -> None:
    scene, camera = pile(3, 40), random_camera(np.random.default_rng(3), 203, 150, reach=0.3)
    present = np.ones(40, bool)
    whole = render_image(*scene, camera, LOOK, present=present).rgb
    present[7] = False
    stale = find_both(scene, scene, 7, camera)
    fewer = render_image(*scene, camera, LOOK, present=present)
    assert (render_image(*scene, camera, LOOK, present=present, draft=Draft(whole, stale)).rgb == fewer.rgb).all()
    present[7] = True
    assert (render_image(*scene, camera, LOOK, present=present, draft=Draft(fewer.rgb, stale)).rgb == whole).all()


def test_a_small_change_leaves_most_tiles_and_the_draft_as_they_are() -> None:
    scene, camera = pile(5, 40), random_camera(np.random.default_rng(5), 640, 480, reach=0.3)
    stale = find_both(scene, scene, 11, camera)
    assert stale.shape == count_tiles(camera) == (30, 40)
    assert 0 < stale.mean() < 0.5
    blank = np.zeros((480, 640, 3), np.uint8)
    drawn = render_image(*scene, camera, LOOK, draft=Draft(blank, stale)).rgb
    assert not blank.any()
    kept = np.repeat(np.repeat(~stale, 16, axis=0), 16, axis=1)
    assert not drawn[kept].any()
    assert drawn[~kept].all(axis=1).any()


@pytest.mark.parametrize(
    ("name", "rgb", "stale"),
    [
        ("rgb", np.zeros((80, 120), np.uint8), np.ones((5, 8), bool)),
        ("rgb", np.zeros((80, 119, 3), np.uint8), np.ones((5, 8), bool)),
        ("rgb", np.zeros((80, 120, 3)), np.ones((5, 8), bool)),
        ("stale", np.zeros((80, 120, 3), np.uint8), np.ones((8, 5), bool)),
        ("stale", np.zeros((80, 120, 3), np.uint8), np.ones((50, 80), bool)),
        ("stale", np.zeros((80, 120, 3), np.uint8), np.ones((5, 8), np.uint8)),
    ],
)
def test_a_draft_that_is_not_of_this_camera_is_refused(name: str, rgb: np.ndarray, stale: np.ndarray) -> None:
    """The kernels look at no bounds: it would end Python."""
    camera, given = Camera(eye=(1.0, 0.0, 1.0), target=(0.0, 0.0, 0.0), width=120, height=80), rgb if name == "rgb" else stale
    with pytest.raises(InvalidInput, match=f"{name} of the draft is {given.dtype} of shape .*needs") as refused:
        render_image(*pile(1, 5), camera, LOOK, draft=Draft(rgb, stale))
    assert str(given.shape) in str(refused.value)


def test_a_block_beside_the_eye_makes_all_tiles_stale() -> None:
    camera = Camera(eye=(0.0, 0.0, 0.3), target=(0.3, 0.0, 0.1), field_of_view=1.6, width=120, height=80)
    behind = Scene(np.array([(0.08, 0.02, 0.02)]), np.array([(0.02, 0.05, 0.3)]), np.array([(1.0, 0.0, 0.0, 0.0)]))
    assert find_stale(*behind, camera, LOOK, side=0.02).all()
