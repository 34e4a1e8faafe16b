"""Shots: mirrors of poses and slots that agree with each other and with the picture, boxes in the picture, cameras by seed."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anastylosis.dataset.shots import (
    TILT,
    TURN,
    ZOOM,
    DebrisPose,
    Mirror,
    Recipe,
    draw_shot,
    plan_shot,
    project_boxes,
)
from anastylosis.errors import InvalidConfig
from anastylosis.geometry import make_matrices, mirror_poses
from anastylosis.geometry.box import CORNERS
from anastylosis.rendering import render_image
from anastylosis.rendering.camera import top_camera
from anastylosis.rendering.look import paper_look, wood_look
from anastylosis.structure import jenga_tower, mirror_slots

MIRRORS = [Mirror(x, y) for x in (False, True) for y in (False, True)]
REAL = MIRRORS[1:]  # those that change something
CLOSE = Recipe(size=96, layers=6, reach=0.1)  # the tower fills the picture

number = st.floats(-1, 1)
quaternion = st.tuples(number, number, number, number).filter(lambda q: math.hypot(*q) > 0.1)


def corners(size: np.ndarray, pose: np.ndarray) -> np.ndarray:
    return pose[:3] + CORNERS * size @ make_matrices(pose[3:]).T


def tower_poses(layers: int) -> tuple[np.ndarray, np.ndarray]:
    """Sizes and poses of a tower that nobody has touched."""
    tower = jenga_tower(layers)
    return tower.blocks.size, np.concatenate([tower.position, tower.orientation], axis=1)


@given(quaternion, st.tuples(number, number, number), st.sampled_from(MIRRORS))
@settings(max_examples=60)
def test_the_corners_of_a_mirrored_box_are_its_corners_in_the_mirror(turned, at, mirror: Mirror) -> None:
    size = np.array([0.081, 0.026, 0.018])
    pose = np.array([*at, *np.array(turned) / math.hypot(*turned)])
    found = corners(size, mirror_poses(pose, *mirror.signs))
    expected = corners(size, pose) * (-1 if mirror.x else 1, -1 if mirror.y else 1, 1)
    apart = np.linalg.norm(found[:, None] - expected[None], axis=-1)
    assert apart.min(axis=0).max() < 1e-12
    assert apart.min(axis=1).max() < 1e-12


@pytest.mark.parametrize("mirror", MIRRORS)
def test_a_mirror_undoes_itself(mirror: Mirror) -> None:
    slots = mirror_slots(np.arange(18), *mirror.signs)
    np.testing.assert_array_equal(slots[slots], np.arange(18))
    np.testing.assert_array_equal(slots // 3, np.arange(18) // 3)  # no block changes its layer
    assert (slots != np.arange(18)).sum() == {0: 0, 1: 6, 2: 12}[sum(mirror)]
    poses = np.random.default_rng(0).random((5, 7))
    np.testing.assert_array_equal(mirror_poses(mirror_poses(poses, *mirror.signs), *mirror.signs), poses)


@pytest.mark.parametrize("mirror", REAL)
def test_slots_go_where_blocks_go(mirror: Mirror) -> None:
    """The block of a slot, in the mirror, is where the tower has the block of the mirrored slot."""
    _, poses = tower_poses(5)
    found = mirror_poses(poses, *mirror.signs)[:, :3]
    np.testing.assert_allclose(found, poses[mirror_slots(np.arange(15), *mirror.signs), :3], atol=1e-15)


@pytest.mark.parametrize("mirror", REAL)
def test_a_mirrored_tower_looks_the_same_with_its_slots_relabelled(mirror: Mirror) -> None:
    size, poses = tower_poses(6)
    camera, seen = CLOSE.aim(), []
    for shown in (poses, mirror_poses(poses, *mirror.signs)):
        seen.append(render_image(size, shown[:, :3], shown[:, 3:], camera, wood_look(0), ids=True).ids)
    assert len(np.unique(seen[0])) > 15  # most blocks are seen
    names = np.append(mirror_slots(np.arange(18), *mirror.signs), -1)  # -1 is the floor, and stays it
    np.testing.assert_array_equal(names[seen[1]], seen[0])


@pytest.mark.parametrize("mirror", MIRRORS)
def test_what_is_drawn_is_what_the_mirror_shows(mirror: Mirror) -> None:
    """A tower without a corner block, in the mirror, is the tower without the block of the mirrored slot."""
    size, poses = tower_poses(4)
    shot = plan_shot(CLOSE, 7, 0)._replace(look=paper_look())  # all blocks alike

    def draw(gone: int, mirror: Mirror) -> np.ndarray:
        lies = poses.copy()
        lies[gone] = np.nan
        return draw_shot(DebrisPose(size, poses, lies), shot._replace(mirror=mirror))

    seen = np.stack([draw(gone, Mirror()) for gone in range(12)])
    assert len(np.unique(seen, axis=0)) >= 10  # few holes cannot be seen
    found = np.stack([draw(gone, mirror) for gone in range(12)])
    np.testing.assert_array_equal(found, seen[mirror_slots(np.arange(12), *mirror.signs)])


def test_a_block_from_above_in_closed_form() -> None:
    camera = top_camera(200, 200, layers=1, reach=0.2)  # world x to the right, y up in the picture
    size, diagonal = np.array([(0.081, 0.026, 0.018)] * 4), math.radians(45)
    half = np.array([(0.0, 0.0), (diagonal / 2, 0), (-diagonal / 2, 0), (math.pi / 4, 0)])[:, 0]
    poses = np.zeros((4, 7))
    poses[:, 2], poses[:, 3], poses[:, 6] = 0.009, np.cos(half), np.sin(half)
    boxes = project_boxes(size, poses, camera)
    np.testing.assert_allclose(boxes[:, :2], 0.5, atol=1e-6)
    # The upper face is nearer, and so the larger one: its edges are at the depth of eye - 18 mm.
    metres = camera.pixel_size * (camera.eye[2] - 0.018) * 200
    np.testing.assert_allclose(boxes[:, 2], 0.081 / metres, rtol=1e-6)
    np.testing.assert_allclose(boxes[:, 3], 0.026 / metres, rtol=1e-6)
    # y is down in the picture: a block turned to the left by 45 degrees goes up to the right, at 135 degrees.
    np.testing.assert_allclose(90 * (boxes[:, 4] + 1) % 180, [0, 135, 45, 90], atol=1e-6)


@given(quaternion, st.tuples(number, number, st.floats(0, 1)))
@settings(max_examples=60)
def test_boxes_are_where_the_camera_has_their_centres(turned, at) -> None:
    camera = Recipe().aim()
    pose = np.array([0.4 * at[0], 0.4 * at[1], 0.3 * at[2], *np.array(turned) / math.hypot(*turned)])
    size = np.array([[0.081, 0.026, 0.018]])
    (box,) = project_boxes(size, pose[None], camera)
    np.testing.assert_allclose(box[:2], camera.project(pose[:3])[0] / 128)
    assert (box[2:4] > 0).all()
    assert -1 <= box[4] <= 1
    # Half a turn about its own z axis: the same box, so the same rectangle and the same angle modulo 180 degrees.
    w, x, y, z = pose[3:]
    (again,) = project_boxes(size, np.array([[*pose[:3], -z, y, -x, w]]), camera)
    np.testing.assert_allclose(again[:4], box[:4], atol=1e-9)
    assert abs((again[4] - box[4] + 1) % 2 - 1) < 1e-6
    axis = make_matrices(pose[3:])[:, 0] * 0.04
    way = camera.project(pose[:3] + axis)[0] - camera.project(pose[:3] - axis)[0]
    angle = math.atan2(way[1], way[0])
    assert math.sin(angle - math.pi / 2 * (box[4] + 1)) == pytest.approx(0, abs=0.05)


def test_boxes_that_are_not_there_are_nan() -> None:
    size, poses = tower_poses(1)
    poses[1] = np.nan
    boxes = project_boxes(size, poses, Recipe(size=64).aim())
    assert np.isfinite(boxes[[0, 2]]).all()
    assert np.isnan(boxes[1]).all()


FULL = Recipe(size=32, mirror=True, camera="near", domain=True)


def test_the_first_picture_is_the_plain_one() -> None:
    for seed in (0, 2**63 + 5):
        shot = plan_shot(FULL, seed, 0)
        assert (shot.mirror, shot.sensor, shot.camera) == (Mirror(), None, FULL.aim(32))
        assert shot.look == wood_look(seed % 2**32)
    other = plan_shot(Recipe(size=32, camera="near", plain_first=False), 0, 0)
    assert other.camera != FULL.aim(32)


def test_shots_are_drawn_by_seed_and_number() -> None:
    assert plan_shot(FULL, 3, 1) == plan_shot(FULL, 3, 1)
    shots = [plan_shot(FULL, seed, number) for seed in range(6) for number in range(1, 5)]
    assert {shot.mirror for shot in shots} == set(MIRRORS)
    assert len({shot.camera.eye for shot in shots}) == len(shots)
    assert all(shot.sensor is not None for shot in shots)


def test_a_recipe_changes_nothing_that_it_does_not_name() -> None:
    plain = plan_shot(Recipe(size=32), 5, 0)
    assert plan_shot(Recipe(size=32), 5, 3) == plain
    mirrored = [plan_shot(Recipe(size=32, mirror=True), 5, number) for number in range(1, 20)]
    assert {shot.mirror for shot in mirrored} == set(MIRRORS)
    assert {shot._replace(mirror=Mirror()).camera for shot in mirrored} == {plain.camera}


def test_a_near_camera_is_near() -> None:
    still = FULL.aim(32)

    def stand(camera) -> np.ndarray:
        away = np.subtract(camera.eye, camera.target)
        return np.array([math.atan2(away[1], away[0]), math.asin(away[2] / np.linalg.norm(away)), np.linalg.norm(away)])

    moved = np.array([stand(plan_shot(FULL, seed, 1).camera) - stand(still) for seed in range(40)])
    assert (np.abs(moved[:, :2]) <= (TURN, TILT)).all()
    assert (np.abs(moved[:, :2]).max(axis=0) > (TURN / 2, TILT / 2)).all()
    assert np.abs(moved[:, 2] / stand(still)[2]).max() < 2 * ZOOM


@pytest.mark.parametrize("wrong", [{"camera": "drone"}, {"size": 8}, {"size": 4096}])
def test_recipes_that_are_none(wrong: dict) -> None:
    with pytest.raises(InvalidConfig, match=f"{next(iter(wrong))} is"):
        Recipe(**wrong)
