"""Looks: what is refused, and that nothing in them tells which slot a block stood in."""

import math
from dataclasses import replace

import numpy as np
import pytest

from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering import Look, Sensor, paper_camera, probability_colours, random_domain, render_image
from anastylosis.rendering.boxes import build_boxes
from anastylosis.rendering.look import mix_paint, paper_look, srgb_table, srgb_to_linear, stone_look, wood_look
from anastylosis.rendering.scale import probability_legend
from anastylosis.structure import jenga_tower

TOWER = jenga_tower(18)
CAMERA = paper_camera()


def tones(look: Look) -> np.ndarray:
    """(B, 3) linear colours of the blocks of a tower."""
    boxes = build_boxes(TOWER.blocks.size, TOWER.position, TOWER.orientation, None, CAMERA, 0.03)
    return mix_paint(look, boxes.row, len(TOWER), 0.018, CAMERA, {}).tone


@pytest.mark.parametrize("look", [wood_look, stone_look])
def test_tones_say_nothing_about_the_row(look) -> None:
    """Over 600 seeds each row has the same mean and spread, and neighbours in a row, layer or place are not alike."""
    drawn = np.array([tones(look(seed)).mean(axis=1) for seed in range(600)])  # (seeds, rows)
    spread = drawn.std()
    assert spread > 0.05 * drawn.mean()  # there are tones
    # 54 means of 600 draws: 4.5 standard errors is once in 2700 such tests
    assert np.abs(drawn.mean(axis=0) - drawn.mean()).max() < 4.5 * spread / math.sqrt(600)
    assert np.abs(drawn.std(axis=0) / spread - 1).max() < 4.5 / math.sqrt(2 * 600)
    scores = (drawn - drawn.mean()) / spread
    for step in (1, 2, 3, 6):
        pairs = (scores[:, step:] * scores[:, :-step]).mean()
        assert abs(pairs) < 4.5 / math.sqrt(600 * (54 - step))


def test_tones_belong_to_the_seed_and_not_to_the_pose() -> None:
    upside_down = jenga_tower(18)
    boxes = build_boxes(upside_down.blocks.size, upside_down.position[::-1], upside_down.orientation[::-1], None, CAMERA, 0.03)
    moved = mix_paint(wood_look(7), boxes.row, 54, 0.018, CAMERA, {}).tone
    assert (moved == tones(wood_look(7))).all()
    assert (tones(wood_look(8)) != moved).any(axis=1).all()


def test_a_seed_must_be_chosen() -> None:
    # With a seed by default the same row would have the same tone in every picture.
    with pytest.raises(TypeError):
        wood_look()
    with pytest.raises(TypeError):
        Look()


def test_the_papers_blocks_are_all_alike() -> None:
    assert len(np.unique(tones(paper_look()), axis=0)) == 1


def test_wood_is_brown_and_stone_is_grey() -> None:
    for look, low, high in ((wood_look(3), 1.25, 2.5), (stone_look(3), 1.0, 1.35)):
        image = render_image(TOWER.blocks.size, TOWER.position, TOWER.orientation, CAMERA, look, ids=True)
        red, green, blue = image.rgb[image.ids >= 0].mean(axis=0)
        assert red > green > blue
        assert low < red / blue < high


def test_a_lit_floor_has_its_own_colour() -> None:
    look = replace(wood_look(0), sunlight=(1, 1, 1), skylight=(1, 1, 1), floor=(0.2, 0.5, 0.8), fade=100)
    rgb = render_image(TOWER.blocks.size, TOWER.position, TOWER.orientation, CAMERA, look).rgb
    np.testing.assert_allclose(rgb[-1, 0], (51, 127.5, 204), atol=1)
    brighter = render_image(TOWER.blocks.size, TOWER.position, TOWER.orientation, CAMERA, replace(look, exposure=-1)).rgb
    np.testing.assert_allclose(srgb_to_linear(brighter[-1, 0] / 255), srgb_to_linear(rgb[-1, 0] / 255) / 2, rtol=0.03)


def test_the_srgb_curve() -> None:
    table = srgb_table()
    assert table[0] == 0
    assert table[-1] == 255
    values = np.arange(256)
    back = table[np.rint(srgb_to_linear(values / 255) * (len(table) - 1)).astype(int)]
    assert np.abs(back.astype(int) - values).max() == 0


@pytest.mark.parametrize(
    "change",
    [
        dict(seed=-1), dict(seed=1.5), dict(material="jelly"), dict(colour=(1, 2, 3)), dict(floor=(0.1, 0.2)), dict(ambient=1.5),
        dict(light_elevation=0.1), dict(light_radius=1.0), dict(exposure=math.nan), dict(grain=-0.1), dict(occlusion=2),
        dict(backdrop=(math.nan, 0, 0)),
    ],
)  # fmt: skip
def test_looks_that_cannot_be_are_refused(change: dict) -> None:
    with pytest.raises(InvalidConfig, match=next(iter(change))):
        replace(wood_look(0), **change)


@pytest.mark.parametrize("change", [dict(seed=-1), dict(blur=-1), dict(blur=99), dict(noise=math.nan), dict(noise=0.9)])
def test_sensors_that_cannot_be_are_refused(change: dict) -> None:
    with pytest.raises(InvalidConfig, match=next(iter(change))):
        Sensor(**(dict(seed=0) | change))


def test_random_domains_are_seeded_valid_and_different() -> None:
    first, again = (random_domain(np.random.default_rng(11)) for _ in range(2))
    assert first == again
    domains = [random_domain(np.random.default_rng(seed)) for seed in range(200)]
    assert {domain.look.material for domain in domains} == {"wood", "stone", "plain"}
    assert len({domain.look.seed for domain in domains}) == 200
    light = np.array([domain.look.light_azimuth for domain in domains])
    assert light.min() < -2.5
    assert light.max() > 2.5


def test_what_was_there_and_what_was_not_share_no_colour() -> None:
    """A reader who knows the legend of one cannot take it for the other: of any two colours one channel at least is apart."""
    there, gone = (probability_colours(np.linspace(0, 1, 101), absent=absent) for absent in (False, True))
    assert np.abs(there[:, None] - gone).max(axis=2).min() > 0.1
    assert (np.diff(srgb_to_linear(gone) @ (0.2126, 0.7152, 0.0722)) < 0).all()
    assert (gone[1:].argmax(axis=1) == 0).all()  # red
    with pytest.raises(InvalidInput, match="probability"):
        probability_colours(1.1, absent=True)


def test_probabilities_have_colours_that_darken() -> None:
    colours = probability_colours(np.linspace(0, 1, 101))
    assert colours.shape == (101, 3)
    assert (np.diff(srgb_to_linear(colours) @ (0.2126, 0.7152, 0.0722)) < 0).all()
    legend = probability_legend(5)
    assert [entry.label for entry in legend] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
    for entry, colour in zip(legend, colours[::25], strict=True):
        np.testing.assert_allclose(entry.colour, 255 * colour, atol=0.5)
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(InvalidInput, match="probability"):
            probability_colours([0.5, wrong])
    for steps in (1, 1000, 2.5):
        with pytest.raises(InvalidInput, match="steps"):
            probability_legend(steps)
