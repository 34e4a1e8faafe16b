"""Blocks of any size: slots of their own size, surveys scaled to what the nets know, and sizes that cannot be."""

from dataclasses import replace

import numpy as np
import pytest

import anastylosis
from anastylosis.assignment import choose_block_size, scale_survey
from anastylosis.errors import InvalidInput
from anastylosis.structure import BLOCK_SIZE, SHOP_BLOCK_SIZE, jenga_tower
from anastylosis.survey import Survey

SIZES = (SHOP_BLOCK_SIZE, (0.0773, 0.0249, 0.0148), (0.180, 0.060, 0.040), (0.050, 0.0165, 0.010))


def survey_size(size: tuple[float, float, float], layers: int = 6) -> Survey:
    tower = jenga_tower(layers, size=size)
    return Survey(ids=tower.ids, size=tower.blocks.size, position=tower.position, orientation=tower.orientation)


@pytest.mark.parametrize("size", SIZES)
def test_blocks_of_another_size_are_where_they_stand(size) -> None:
    found = anastylosis.assign(survey_size(size), layers=6)
    assert found.slot.tolist() == list(range(18))
    assert found.block_size == pytest.approx(size)
    assert found.structure.position == pytest.approx(jenga_tower(6, size=size).position)


def test_a_scaled_tower_is_a_tower_of_the_blocks_that_are_known() -> None:
    scaled, tower = scale_survey(survey_size(SHOP_BLOCK_SIZE), SHOP_BLOCK_SIZE), jenga_tower(6)
    assert scaled.position == pytest.approx(tower.position)
    assert scaled.size == pytest.approx(tower.blocks.size)


def test_blocks_that_are_measured_a_little_off_are_those_that_are_known() -> None:
    survey = survey_size(BLOCK_SIZE)
    noisy = replace(survey, size=survey.size * np.random.default_rng(0).normal(1, 0.03, survey.size.shape))
    assert choose_block_size(noisy) == BLOCK_SIZE
    assert scale_survey(noisy, BLOCK_SIZE) is noisy


def test_the_size_that_is_told_is_believed() -> None:
    survey = survey_size(SHOP_BLOCK_SIZE)
    assert anastylosis.assign(survey, layers=6, block=SHOP_BLOCK_SIZE).block_size == SHOP_BLOCK_SIZE
    with pytest.raises(InvalidInput, match="no block fits a slot"):
        anastylosis.assign(survey, layers=6, block=(0.15, 0.05, 0.03))


@pytest.mark.parametrize("size", [(0.02, 0.02, 0.02), (0.2, 0.1, 0.05), (0.3, 0.02, 0.01)])
def test_no_tower_is_built_of_cubes_or_planks(size) -> None:
    tower = survey_size(BLOCK_SIZE)
    with pytest.raises(InvalidInput, match="no block fits a slot"):
        anastylosis.assign(replace(tower, size=np.tile(size, (18, 1)), position=20 * tower.position), layers=6)


def test_sizes_in_another_unit_are_no_large_blocks() -> None:
    tower = survey_size(BLOCK_SIZE)
    metres = replace(tower, size=1000 * tower.size, position=1000 * tower.position)
    with pytest.raises(InvalidInput, match="units mixed up"):
        anastylosis.assign(metres, layers=6)


def test_proportions_that_were_never_measured_are_said() -> None:
    (warning,) = anastylosis.assign(survey_size((0.081, 0.026, 0.0145)), layers=6).warnings
    assert "81 x 26 x 14.5 mm have other proportions than any that were measured" in warning
