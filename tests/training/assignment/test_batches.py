"""Surveys to learn from: what is true of them is true after all that is done to them, and the same epoch gives the same ones."""

import numpy as np
import pytest
import torch

from anastylosis.assignment import FELL_DISTANCE
from anastylosis.dataset.examples import Examples
from anastylosis.survey import Noise
from anastylosis.training.assignment.batches import FILL, FOREIGN, UNTELLABLE, SurveyBatch, SurveyBatches, collect, draw_noise
from anastylosis.training.assignment.config import SurveyRecipe
from anastylosis.training.assignment.debris import gather_debris
from support.assignments import make_debris, open_cases

EXACT = SurveyRecipe(exact=1.0, complete=1.0, pure=1.0)


def same(one: SurveyBatch, other: SurveyBatch) -> bool:
    parts = zip((*one.sheet, *one.answer), (*other.sheet, *other.answer), strict=True)
    return all(torch.equal(a, b) for a, b in parts)


def test_the_same_epoch_gives_the_same_batches() -> None:
    batches = SurveyBatches(make_debris(9), size=4, recipe=SurveyRecipe())
    first, again, next_one = (list(batches.shuffled(epoch)) for epoch in (3, 3, 4))
    assert len(first) == len(batches) == 3
    assert all(same(a, b) for a, b in zip(first, again, strict=True))
    assert first[0].sheet.block_position.shape != next_one[0].sheet.block_position.shape or not same(first[0], next_one[0])


def test_every_collapse_is_seen_once_an_epoch() -> None:
    debris = make_debris(11)
    seen = torch.cat([batch.answer.friction for batch in SurveyBatches(debris, size=4, recipe=EXACT).shuffled(0)])
    np.testing.assert_allclose(np.sort(seen.numpy()), np.sort(debris.friction), rtol=1e-6)


def test_blocks_that_did_not_fall_are_in_their_slots_however_all_is_turned() -> None:
    debris = make_debris(8)
    for batch in SurveyBatches(debris, size=4, recipe=EXACT).shuffled(0):
        stands = (batch.answer.slot >= 0) & ~batch.answer.fell
        index = batch.answer.slot.clamp(min=0)[..., None].expand(-1, -1, 3)
        apart = (batch.sheet.block_position - batch.sheet.slot_position.gather(1, index)).norm(dim=-1)
        assert stands.any()
        assert apart[stands].max() < 1e-6
        assert apart[(batch.answer.slot >= 0) & batch.answer.fell].min() > FELL_DISTANCE


def test_slots_without_a_block_are_removed_or_hidden() -> None:
    exact = collect(open_cases(make_debris(6)))
    there = exact.sheet.slot_there > 0
    assert torch.equal(exact.answer.found[there], ~exact.answer.removed[there])
    hidden = collect(open_cases(make_debris(6), Noise(hidden=0.3)))
    assert (~hidden.answer.found & ~hidden.answer.removed & there).any()
    assert not (hidden.answer.found & hidden.answer.removed).any()


def test_foreign_blocks_stood_nowhere() -> None:
    batch = collect(open_cases(make_debris(5), Noise(foreign=2)))
    foreign = (batch.answer.slot == FOREIGN).sum(1)
    assert (foreign <= 2).all()  # those of another size are left out before the net is asked
    assert foreign.any()
    assert not batch.answer.fell[batch.answer.slot < 0].any()
    assert torch.equal(batch.answer.slot == FILL, batch.sheet.block_there == 0)


def test_the_height_is_told_as_courses_more_than_blocks_fill() -> None:
    debris = make_debris(6)
    batch = collect(open_cases(debris, Noise(hidden=0.5)))
    fewest = np.ceil(batch.sheet.block_there.sum(1).numpy() / 3)
    np.testing.assert_array_equal(batch.answer.courses.numpy() + fewest, debris.courses)


def test_a_height_that_foreign_blocks_hide_is_not_asked_for() -> None:
    debris = make_debris(6)
    batch = collect(open_cases(debris, Noise(foreign=12)))
    fewest = np.ceil(batch.sheet.block_there.sum(1).numpy() / 3)
    np.testing.assert_array_equal(batch.answer.courses.numpy() == UNTELLABLE, debris.courses < fewest)
    assert (debris.courses < fewest).any()


def test_friction_is_told_or_it_is_not() -> None:
    debris = make_debris(4)
    told = collect(open_cases(debris, with_friction=True)).sheet.told_friction
    np.testing.assert_allclose(told.numpy(), debris.friction, rtol=1e-6)
    assert (collect(open_cases(debris)).sheet.told_friction == 0).all()


def test_surveys_are_as_bad_as_the_recipe_says() -> None:
    rng = np.random.default_rng(0)
    recipe = SurveyRecipe(exact=0.5, complete=0.25, pure=0.75, position=0.01, angle=0.2, hidden=0.1, foreign=3)
    drawn = [draw_noise(recipe, rng) for _ in range(2000)]
    assert np.mean([noise.position == 0 for noise in drawn]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([noise.hidden == 0 for noise in drawn]) == pytest.approx(0.25, abs=0.05)
    assert np.mean([noise.foreign == 0 for noise in drawn]) == pytest.approx(0.75, abs=0.05)
    assert max(noise.position for noise in drawn) == pytest.approx(0.01, rel=0.02)
    assert max(noise.angle for noise in drawn) == pytest.approx(0.2, rel=0.02)
    assert {noise.foreign for noise in drawn} == {0, 1, 2, 3}


def test_debris_of_a_dataset(examples: Examples) -> None:
    """Real collapses: slots below the top in which nothing stood were removed; blocks that lie where they stood did not fall."""
    debris = gather_debris(examples)
    for row in range(len(debris)):
        stood = np.isfinite(examples.stood[row, :, 0])
        filled = set(examples.slot[row, stood].tolist())
        slots = range(3 * int(debris.courses[row]))
        assert {slot for slot in slots if debris.removed[row, slot]} == set(slots) - filled
        assert not debris.removed[row, 3 * int(debris.courses[row]) :].any()
    assert debris.fell.any()
    apart = np.linalg.norm(examples.lies[..., :3] - examples.stood[..., :3], axis=2)
    np.testing.assert_array_equal(debris.fell, np.nan_to_num(apart) > FELL_DISTANCE)
    np.testing.assert_allclose(np.linalg.norm(debris.direction, axis=1), 1)
