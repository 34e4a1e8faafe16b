"""Pictures: blocks, depths and shadows against a ray-caster of the tests' own; light, looks, bits and refusals."""

import hashlib
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.errors import InvalidInput, InvalidStructure
from anastylosis.rendering import Camera, Sensor, frame_points, paper_camera, random_camera, random_domain, render_image
from anastylosis.rendering.camera import front_camera, top_camera
from anastylosis.rendering.image import to_grey
from anastylosis.rendering.look import paper_look, stone_look, wood_look
from anastylosis.structure import jenga_tower
from support.scenes import Scene, pile, see, trace, view_rays

TOWER = Scene(jenga_tower(18).blocks.size, jenga_tower(18).position, jenga_tower(18).orientation)
GOLDEN = Path(__file__).parent / "golden.npz"


def scenes() -> list[tuple[Scene, Camera]]:
    """20 scenes: the tower from three sides, one camera in the midst of things, piles from everywhere."""
    found = [
        (TOWER, paper_camera(160, 120, reach=0.2)),
        (TOWER, top_camera(90, 90, reach=0.2)),
        (TOWER, front_camera(120, 80, reach=0.3)),
    ]
    # Blocks beside and behind the eye: their corners cannot all be projected.
    within = Camera(eye=(0.02, 0.01, 0.31), target=(0.3, 0.1, 0.05), field_of_view=1.6, width=120, height=80)
    found.append((pile(99, 60), within))
    for seed in range(16):
        count = [3, 25, 60, 120][seed % 4]
        found.append((pile(seed, count), random_camera(np.random.default_rng(seed), 97, 71, reach=0.3)))
    return found


SCENES = scenes()


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_blocks_and_depths_are_those_of_brute_force(number: int) -> None:
    scene, camera = SCENES[number]
    image = render_image(*scene, camera, wood_look(0), ids=True, depth=True)
    block, depth = see(scene, camera)
    assert (block >= 0).mean() > 0.005  # there is something to compare
    assert np.count_nonzero(image.ids != block) == 0
    assert (np.isinf(image.depth) == np.isinf(depth)).all()
    seen = np.isfinite(depth) & (depth < 100)
    assert np.abs(image.depth[seen] - depth[seen]).max() < 1e-5


@pytest.mark.parametrize("number", [0, 3, 4, 5, 6, 7, 10])
def test_shadows_are_those_of_brute_force(number: int) -> None:
    scene, camera = SCENES[number]
    look = replace(wood_look(0), occlusion=0.0, grain=0.0, edge=0.0, fade=500.0)
    plain = render_image(*scene, camera, look, shadows="none").rgb.astype(int)
    shaded = render_image(*scene, camera, look, shadows="hard", ids=True)
    dark = (shaded.rgb.astype(int) - plain).sum(axis=2) < 0
    level = math.cos(look.light_elevation)
    sun = np.array([level * math.cos(look.light_azimuth), level * math.sin(look.light_azimuth), math.sin(look.light_elevation)])
    block, depth = see(scene, camera)
    points = np.add(camera.eye, np.where(np.isfinite(depth), depth, 0.0).reshape(-1, 1) * view_rays(camera))
    points[:, 2] = np.maximum(points[:, 2], 0.0)
    way, _ = trace(scene, points, np.tile(sun, (len(points), 1)), skip=block.ravel())
    hidden = np.isfinite(way).reshape(block.shape)
    floor = (block < 0) & np.isfinite(depth)
    assert hidden[floor].any()
    assert not hidden[floor].all()
    assert np.count_nonzero(dark[floor] != hidden[floor]) == 0
    # On blocks a face that looks away is dark anyway, and a grazed one hardly changes.
    bright = (block >= 0) & (plain.sum(axis=2) > np.median(plain[block >= 0].sum(axis=1)) + 30)
    assert np.count_nonzero(dark[bright] != hidden[bright]) <= 0.002 * bright.sum()


# A slab on a post: under the overhang it is dark.
TABLE = Scene(
    sizes=np.array([(0.04, 0.04, 0.10), (0.30, 0.30, 0.02)]),
    position=np.array([(0.0, 0.0, 0.05), (0.0, 0.0, 0.11)]),
    orientation=np.array([(1.0, 0.0, 0.0, 0.0)] * 2),
)


def level_at(rgb: np.ndarray, camera: Camera, point: tuple[float, float, float]) -> int:
    x, y = camera.project(point)[0]
    return int(rgb[int(y), int(x)].sum())


@pytest.mark.parametrize("shadows", ["hard", "soft"])
def test_a_point_under_an_overhang_is_dark_and_an_open_one_is_not(shadows: str) -> None:
    camera = Camera(eye=(0.9, -0.5, 0.25), target=(0, 0, 0.05), width=300, height=300)
    look = replace(wood_look(0), occlusion=0.0)
    shaded = render_image(*TABLE, camera, look, shadows=shadows).rgb
    plain = render_image(*TABLE, camera, look, shadows="none").rgb
    under, beside = (0.06, -0.05, 0.0), (0.25, -0.25, 0.0)
    assert level_at(plain, camera, under) == level_at(plain, camera, beside) == level_at(shaded, camera, beside)
    assert level_at(shaded, camera, under) < 0.75 * level_at(plain, camera, under)


def test_the_shadow_of_a_standing_block_begins_at_its_foot() -> None:
    block = Scene(np.array([(0.1, 0.1, 0.1)]), np.array([(0.0, 0.0, 0.05)]), np.array([(1.0, 0, 0, 0)]))
    camera = Camera(eye=(-0.6, 0.1, 0.6), target=(0, 0, 0), width=400, height=400)
    look = replace(wood_look(0), occlusion=0.0, light_azimuth=0.0, light_elevation=math.radians(45))
    rgb = render_image(*block, camera, look).rgb
    lit = level_at(rgb, camera, (0.0, 0.2, 0.0))
    # The light comes from +x at 45 degrees: the shadow of 0.1 m runs from x = -0.05 to x = -0.15.
    assert level_at(rgb, camera, (-0.054, 0.0, 0.0)) < 0.8 * lit
    assert level_at(rgb, camera, (-0.146, 0.0, 0.0)) < 0.8 * lit
    assert level_at(rgb, camera, (-0.154, 0.0, 0.0)) == lit


def test_soft_shadows_lie_around_hard_ones() -> None:
    camera = Camera(eye=(0.9, -0.5, 0.6), target=(0, 0, 0.05), width=200, height=200)
    look = replace(wood_look(0), light_radius=math.radians(4))
    hard, soft = (render_image(*TABLE, camera, look, shadows=kind, antialias=4).rgb.astype(int) for kind in ("hard", "soft"))
    point = render_image(*TABLE, camera, replace(look, light_radius=0.0), shadows="soft", antialias=4).rgb
    assert (point == hard).all()
    changed = np.abs(hard - soft).sum(axis=2) > 6
    assert 0.01 < changed.mean() < 0.3
    assert abs(hard.mean() - soft.mean()) < 0.5  # as much light in all
    levels = len(np.unique(soft[changed].sum(axis=1)))
    assert levels > 50  # a gradient, not a step


def test_near_blocks_hide_the_sky() -> None:
    camera = Camera(eye=(0.9, -0.5, 0.5), target=(0, 0, 0.05), width=300, height=300)
    open_sky, hidden = (render_image(*TABLE, camera, replace(wood_look(0), occlusion=o), shadows="none").rgb for o in (0.0, 1.0))
    beside_post, far = (0.03, -0.03, 0.0), (0.3, -0.3, 0.0)
    assert level_at(hidden, camera, far) == level_at(open_sky, camera, far)
    assert level_at(hidden, camera, beside_post) < level_at(open_sky, camera, beside_post) - 10


def test_antialiasing_converges() -> None:
    scene, camera = pile(3, 40), paper_camera(80, 60, reach=0.3)
    look = wood_look(1)
    reference = render_image(*scene, camera, look, antialias=8).rgb.astype(float)
    error = [np.sqrt(((render_image(*scene, camera, look, antialias=n).rgb - reference) ** 2).mean()) for n in (1, 2, 4)]
    assert error[1] < 0.6 * error[0]
    assert error[2] < 0.6 * error[1]


def test_grey_is_weighted_as_elsewhere() -> None:
    colours = np.array([[(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (10, 20, 30)]], np.uint8)
    assert to_grey(colours).tolist() == [[76, 150, 29, 255, 18]]  # 0.299, 0.587, 0.114
    image = render_image(*TOWER, paper_camera(), wood_look(0))
    assert (image.grey == to_grey(image.rgb)).all()
    with pytest.raises(InvalidInput, match="uint8"):
        to_grey(np.zeros((4, 4)))


def test_blocks_that_are_gone_are_not_drawn_and_need_no_pose() -> None:
    camera, present = paper_camera(64, 64, reach=0.2), np.ones(54, bool)
    present[[5, 53]] = False
    gone = TOWER.position.copy()
    gone[~present] = np.nan
    image = render_image(TOWER.sizes, gone, TOWER.orientation, camera, wood_look(3), present=present, ids=True)
    assert not np.isin(image.ids, [5, 53]).any()
    whole = render_image(*TOWER, camera, wood_look(3), ids=True, antialias=1, shadows="none")
    some = render_image(TOWER.sizes, gone, TOWER.orientation, camera, wood_look(3), present=present, shadows="none", ids=True)
    same = (whole.ids == some.ids) & (whole.ids >= 0) & (whole.ids < 45)
    assert same.sum() > 100
    low = whole.ids[same] >= 9  # far from the gaps: the others keep their tones
    assert (whole.rgb[same][low] == some.rgb[same][low]).all()


def test_the_order_of_rows_changes_only_who_has_which_number() -> None:
    scene, camera = pile(5, 30), paper_camera(90, 70, reach=0.3)
    order = np.random.default_rng(0).permutation(30)
    first = render_image(*scene, camera, paper_look(), ids=True, depth=True)
    second = render_image(*(part[order] for part in scene), camera, paper_look(), ids=True, depth=True)
    assert (np.where(second.ids >= 0, order[second.ids], -1) == first.ids).all()
    assert (first.depth == second.depth).all()
    assert np.abs(first.rgb.astype(int) - second.rgb).max() <= 1  # plain blocks: nothing of the rows is seen


def test_chosen_blocks_have_their_colours_and_the_others_keep_theirs() -> None:
    camera = paper_camera(200, 200, reach=0.15)
    plain = render_image(*TOWER, camera, wood_look(0), ids=True)
    blue = render_image(*TOWER, camera, wood_look(0), colours={30: (0.1, 0.2, 0.9)}).rgb
    chosen = plain.ids == 30
    assert chosen.sum() > 20
    assert (blue[chosen][:, 2].astype(int) > 2 * blue[chosen][:, 0]).mean() > 0.9
    assert (blue[~chosen] == plain.rgb[~chosen]).all()


def digest() -> str:
    domain = random_domain(np.random.default_rng(4), 96, 64)
    scene = pile(8, 50)
    image = render_image(
        *scene, domain.camera, domain.look, shadows="soft", antialias=2, sensor=domain.sensor, ids=True, depth=True
    )
    return hashlib.sha256(b"".join(array.tobytes() for array in image)).hexdigest()


def test_the_same_arguments_give_the_same_bits_here_and_in_another_process() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_image; print(test_image.digest())"
    words = [sys.executable, "-c", code, str(Path(__file__).parent)]
    search = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300, env=os.environ | {"PYTHONPATH": search})
    assert digest() == digest() == done.stdout.strip()


def test_a_sensor_blurs_and_adds_noise() -> None:
    args = (*TOWER, paper_camera(), wood_look(0))
    clean = render_image(*args).rgb.astype(int)
    noisy = render_image(*args, sensor=Sensor(seed=1, noise=0.02)).rgb
    assert (noisy - clean).std() == pytest.approx(255 * 0.02, rel=0.03)
    assert (render_image(*args, sensor=Sensor(seed=2, noise=0.02)).rgb != noisy).any()
    blurred = render_image(*args, sensor=Sensor(seed=1, blur=1.5)).rgb.astype(int)
    assert np.abs(np.diff(blurred, axis=1)).max() < 0.5 * np.abs(np.diff(clean, axis=1)).max()
    assert blurred.mean() == pytest.approx(clean.mean(), abs=0.2)


GOLDEN_VIEWS = {
    "wood": (TOWER, paper_camera(64, 64, reach=0.2), wood_look(1), dict(antialias=2, shadows="soft")),
    "stone": (pile(1, 20), paper_camera(64, 64, reach=0.3), stone_look(2), dict(antialias=2)),
    "paper": (TOWER, paper_camera(64, 64, reach=0.2), paper_look(), {}),
    "close": (pile(2, 8), frame_points(pile(2, 8).position, width=64, height=64), wood_look(5), dict(antialias=2)),
}


@pytest.mark.parametrize("name", GOLDEN_VIEWS)
def test_pictures_are_those_that_were_looked_at(name: str) -> None:
    """Made by `PYTHONPATH=tests python tests/rendering/test_image.py`, after looking at the pictures. Sines and powers
    may differ in their last bit between machines: one level in a hundred pixels may change, and no pixel by more than three.
    """
    scene, camera, look, options = GOLDEN_VIEWS[name]
    drawn = render_image(*scene, camera, look, **options).rgb.astype(int)
    difference = np.abs(drawn - np.load(GOLDEN)[name])
    assert difference.max() <= 3
    assert (difference > 0).mean() < 0.01


POSES = (np.full((2, 3), 0.1), np.array([(0.0, 0, 0.05), (0.0, 0.3, 0.05)]), np.array([(1.0, 0, 0, 0)] * 2))


def with_value(array: int, index: tuple[int, int], value: float) -> list[np.ndarray]:
    parts = [part.copy() for part in POSES]
    parts[array][index] = value
    return parts


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ((np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 4))), "no blocks"),
        (with_value(0, (1, 2), 0.0), "size of block 1 is 0"),
        (with_value(0, (1, 2), -0.1), "size of block 1"),
        (with_value(0, (0, 0), 1e6), "size of block 0"),
        (with_value(1, (1, 0), math.nan), "position of block 1"),
        (with_value(1, (1, 0), -1e300), "position of block 1"),
        (with_value(2, (0, 1), math.inf), "orientation of block 0"),
        (with_value(2, (0, 0), 2.0), "length of the orientation of block 0"),
        ((POSES[0], POSES[1][:1], POSES[2]), r"position has shape \(1, 3\)"),
        ((POSES[0], POSES[1], POSES[2][:, :3]), r"orientation has shape \(2, 3\)"),
        ((POSES[0][:, :2], POSES[1], POSES[2]), r"sizes has shape \(2, 2\)"),
        (("many", POSES[1], POSES[2]), "not an array"),
        ((np.ones((30_000, 3)), np.ones((30_000, 3)), np.ones((30_000, 4))), "too many"),
    ],
)
def test_scenes_that_cannot_be_drawn_are_refused(parts, word: str) -> None:
    with pytest.raises(InvalidStructure, match=word):
        render_image(*parts, paper_camera(16, 16), wood_look(0))


def test_wrong_words_are_refused() -> None:
    camera, look = paper_camera(16, 16), wood_look(0)
    inside = Camera(eye=(0.0, 0.0, 0.05), target=(1.0, 0, 0))
    with pytest.raises(InvalidStructure, match="inside block 0"):
        render_image(*POSES, inside, look)
    with pytest.raises(InvalidStructure, match="no block is present"):
        render_image(*POSES, camera, look, present=[False, False])
    with pytest.raises(InvalidStructure, match="present is"):
        render_image(*POSES, camera, look, present=[1.0, 0.0])
    for wrong in (0, 9, 1.5, True):
        with pytest.raises(InvalidInput, match="antialias"):
            render_image(*POSES, camera, look, antialias=wrong)
    with pytest.raises(InvalidInput, match="shadows"):
        render_image(*POSES, camera, look, shadows="long")
    for row in (2, -1, "L00_0"):
        with pytest.raises(InvalidInput, match=r"rows are 0\.\.1"):
            render_image(*POSES, camera, look, colours={row: (1, 0, 0)})
    with pytest.raises(InvalidInput, match="three numbers"):
        render_image(*POSES, camera, look, colours={0: (255, 0, 0)})


if __name__ == "__main__":
    views = {name: render_image(*scene, camera, look, **more).rgb for name, (scene, camera, look, more) in GOLDEN_VIEWS.items()}
    np.savez_compressed(GOLDEN, **views)
