"""Photographs: floors, rooms, things and faults of cameras; what is in them stays exact."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.errors import InvalidConfig
from anastylosis.rendering import Camera, draw_photograph, random_photograph, render_image
from anastylosis.rendering.floor import FLOORS, floor_texture
from anastylosis.rendering.lens import Exposure, expose, trace
from anastylosis.rendering.look import wood_look
from anastylosis.rendering.marks import mark_factor
from anastylosis.rendering.photo_domain import HELD_OUT, HELD_OUT_FLOORS, HELD_OUT_THINGS, TRAINING
from anastylosis.rendering.photograph import GREY, Lamp, Photograph
from anastylosis.rendering.scenery import Scenery
from anastylosis.rendering.sensor import Sensor
from anastylosis.rendering.things import FAMILIES, scatter_things

SIZE = np.array([(0.081, 0.026, 0.018), (0.081, 0.026, 0.018)])
PLACE = np.array([(0.0, 0.0, 0.009), (0.02, 0.06, 0.009)])
TURN = np.array([(1.0, 0.0, 0.0, 0.0), (math.cos(0.4), 0.0, 0.0, math.sin(0.4))])
CAMERA = Camera(eye=(0.3, -0.4, 0.35), target=(0.0, 0.02, 0.0), width=96, height=96)
LOOK = replace(wood_look(3), light_elevation=math.radians(50))
CIRCLES = np.column_stack([PLACE[:, :2], np.full(2, 0.045)])
PLAIN = Photograph(look=LOOK, scenery=Scenery(seed=1, colours=((GREY,) * 3,) * 3), exposure=Exposure())


def draw(photograph: Photograph, samples: int = 2):
    return draw_photograph(SIZE, PLACE, TURN, CAMERA, photograph, samples)


def test_a_plain_photograph_is_the_picture_that_is_always_drawn() -> None:
    """Nothing painted, nothing wrong with the camera: the same light, but for mixing it as light and a power of 2.2."""
    there = draw(PLAIN)
    grey = replace(LOOK, floor=(GREY,) * 3, backdrop=(GREY,) * 3, fade=1000.0)
    usual = render_image(SIZE, PLACE, TURN, CAMERA, grey, antialias=2, shadows="soft", ids=True)
    difference = np.abs(there.rgb.astype(int) - usual.rgb)
    assert np.median(difference) <= 3
    assert np.percentile(difference, 99) <= 12
    assert (there.ids == usual.ids).mean() > 0.98  # the middle of a pixel is a sample's corner
    assert set(np.unique(there.ids)) == {-1, 0, 1}


@pytest.mark.parametrize("family", FLOORS)
def test_floors_change_what_is_around_blocks_and_nothing_on_them(family) -> None:
    colours = ((0.2, 0.5, 0.3), (0.7, 0.3, 0.2), (0.1, 0.1, 0.6))
    scenery = replace(PLAIN.scenery, floor=family, colours=colours)
    there, plain = draw(replace(PLAIN, scenery=scenery), 1), draw(PLAIN, 1)
    on = there.ids >= 0
    assert (there.rgb[on] == plain.rgb[on]).all()
    assert (there.ids == plain.ids).all()
    assert (there.rgb[~on] != plain.rgb[~on]).any(axis=-1).mean() > 0.9
    values = there.rgb[~on].astype(float)
    assert family == "plain" or values.std(axis=0).max() > 1.5 * plain.rgb[~on].astype(float).std(axis=0).max()


@pytest.mark.parametrize("family", range(len(FLOORS)))
def test_textures_stay_in_range_everywhere(family) -> None:
    rng = np.random.default_rng(family)
    for x, y in rng.uniform(-3, 3, (400, 2)):
        second, third, light = floor_texture(family, x, y, int(rng.integers(2**20)), 10 ** rng.uniform(-4, -1.5))
        assert 0 <= second <= 1
        assert 0 <= third <= 1
        assert 0.05 <= light < 4


def test_the_table_ends_where_it_is_said_to() -> None:
    scenery = replace(PLAIN.scenery, edges=((math.pi / 2, 0.15),), room=((1.0, 0.0, 0.0),) * 3)
    there = draw(replace(PLAIN, scenery=scenery), 1)
    rays = CAMERA.rays()
    y = CAMERA.eye[1] - CAMERA.eye[2] / rays[..., 2] * rays[..., 1]
    beyond = ((y > 0.155) | (rays[..., 2] >= 0)) & (there.ids < 0)
    assert beyond.any()
    assert (there.rgb[beyond] == (255, 0, 0)).all()
    before = (y < 0.145) & (rays[..., 2] < 0) & (there.ids < 0)
    assert before.any()
    assert (there.rgb[before] != (255, 0, 0)).any(axis=-1).all()


def test_marks_are_where_blocks_have_them() -> None:
    half = SIZE[0] / 2
    at_rim = mark_factor(0.0, half[1] - 1e-5, half[2], *half, 5, 0.0, 0.0, 0.4)
    within = mark_factor(0.0, 0.0, half[2], *half, 5, 0.0, 0.0, 0.4)
    assert within == 1
    assert 1.3 < at_rim <= 1.4
    side = [mark_factor(x, half[1], 0.0, *half, 5, 0.8, 0.0, 0.0) for x in np.linspace(-0.024, 0.024, 200)]
    assert {round(value, 6) for value in side} == {0.2, 1.0}  # ink, and none
    ends = [mark_factor(half[0], y, 0.0, *half, 5, 0.8, 0.0, 0.0) for y in np.linspace(-0.012, 0.012, 50)]
    assert set(ends) == {1.0}


def test_a_second_lamp_lightens_what_the_first_leaves_in_shadow() -> None:
    first = replace(LOOK, light_azimuth=0.0, light_elevation=math.radians(25))
    one = draw(replace(PLAIN, look=first))
    two = draw(replace(PLAIN, look=first, lamps=(Lamp(azimuth=math.pi, elevation=0.9, share=0.5),)))
    bright = one.rgb.mean(axis=-1)
    shadow = (bright < 0.85 * np.median(bright[one.ids < 0])) & (one.ids < 0)
    assert shadow.sum() > 20
    assert two.rgb[shadow].mean() > one.rgb[shadow].mean() + 20


def test_things_lie_on_the_floor_and_in_no_block() -> None:
    taken = np.array([(0.0, 0.0, 0.2), (0.3, 0.1, 0.1)])
    for seed in range(40):
        things = scatter_things(np.random.default_rng(seed), 7, taken)
        if things is None:
            continue
        radius = np.hypot(*things.size[:, :2].T) / 2
        for x, y, far in taken:
            assert (np.hypot(things.position[:, 0] - x, things.position[:, 1] - y) + 1e-9 >= far + radius * 0).all()
        assert (things.position[:, 2] >= things.size[:, 2] / 2 - 1e-9).all()
        assert things.colours.min() >= 0
        assert things.colours.max() <= 1
    assert set(FAMILIES) == set(TRAINING.things) | set(HELD_OUT_THINGS)


def test_things_are_no_blocks() -> None:
    things = scatter_things(np.random.default_rng(4), 7, CIRCLES, reach=0.15)
    assert things is not None
    there, without = draw(replace(PLAIN, things=things)), draw(PLAIN)
    assert there.ids.max() == 1
    assert (there.rgb != without.rgb).any(axis=-1).mean() > 0.02


def test_what_is_held_out_is_never_drawn_for_training() -> None:
    assert len(HELD_OUT_FLOORS) >= 2
    assert len(HELD_OUT_THINGS) >= 1
    assert not set(TRAINING.floors) & set(HELD_OUT.floors)
    assert not set(TRAINING.things) & set(HELD_OUT.things)
    seen = {random_photograph(np.random.default_rng(seed), CIRCLES).scenery.floor for seed in range(300)}
    assert seen == set(TRAINING.floors)
    assert len(seen) >= 8


def test_the_same_seed_gives_the_same_bits() -> None:
    one, other = (draw(random_photograph(np.random.default_rng(8), CIRCLES)) for _ in "12")
    assert (one.rgb == other.rgb).all()
    assert (one.ids == other.ids).all()


LIGHT, DEPTH = np.full((40, 60, 3), 0.2, np.float32), np.ones((40, 60), np.float32)


def test_an_exposure_does_what_it_says() -> None:
    plain = expose(LIGHT, DEPTH, Exposure())
    assert (plain == plain[0, 0]).all()
    assert np.allclose(expose(LIGHT, DEPTH, Exposure(stops=1))[0, 0], 255 * 0.4 ** (1 / 2.2), atol=1)
    red, _, blue = expose(LIGHT, DEPTH, Exposure(balance=(1.3, 1.0, 0.7)))[0, 0]
    assert red > plain[0, 0, 0] > blue
    dark = expose(LIGHT, DEPTH, Exposure(vignette=0.5))
    assert dark[0, 0, 0] < dark[20, 30, 0] - 20
    noisy = expose(LIGHT, DEPTH, Exposure(sensor=Sensor(seed=1, noise=0.02)))
    assert 3 < noisy.astype(float).std() < 7
    small = expose(noisy.astype(np.float32) / 255, DEPTH, Exposure(quality=20))
    assert small.dtype == np.uint8
    assert small.shape == noisy.shape


def test_motion_and_focus_blur_as_far_as_they_are_told() -> None:
    point = np.zeros((41, 41, 3), np.float32)
    point[20, 20] = 1.0
    moved = expose(point, np.ones((41, 41)), Exposure(motion=(8.0, 0.0)))[..., 0]
    columns, rows = np.flatnonzero(moved.any(axis=0)), np.flatnonzero(moved.any(axis=1))
    assert len(rows) == 1
    assert 8 <= np.ptp(columns) + 1 <= 9
    assert trace((5.0, 3.0)).sum() == pytest.approx(1.0)
    far = Exposure(focus=1.0, aperture=4.0)
    sharp, blurred = (expose(point, np.full((41, 41), depth), far)[20, 20, 0] for depth in (1.0, 3.0))
    assert sharp == 255
    assert blurred < 120


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (Scenery, {"seed": 0, "floor": "lava"}, "floor is 'lava'; choose one of plain"),
        (Scenery, {"seed": 0, "relief": 2.0}, "relief is 2.0"),
        (Scenery, {"seed": 0, "edges": ((0.0, 1.0),) * 5}, "at most 4"),
        (Exposure, {"quality": 99}, "quality is 99"),
        (Exposure, {"motion": (40.0, 0.0)}, "at most 30 pixels"),
    ],
)
def test_what_makes_no_sense_is_refused(kind, settings, words) -> None:
    with pytest.raises(InvalidConfig, match=words):
        kind(**settings)
