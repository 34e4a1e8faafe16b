"""The eye's lessons: batches that say what is true, and trainings that end in files that can be opened."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.learn.examples import Examples
from anastylosis.learn.eye.config import EYE_PRESETS
from anastylosis.learn.eye.finder_batches import CROP, FinderBatches
from anastylosis.learn.eye.fitter_batches import FitterBatches
from anastylosis.learn.eye.lesson import open_eye_lesson, train_eye
from anastylosis.learn.eye.scenes import SceneRecipe, open_scene, thin_out
from anastylosis.learn.eye.scores import match_blocks
from anastylosis.predict.eye.eye import Eye
from anastylosis.predict.eye.model import FinderModel, FitterModel
from eyes import make_scene, shake

RECIPE = SceneRecipe(antialias=(1,))


def test_crops_and_their_votes(examples: Examples) -> None:
    batches = FinderBatches(examples, pictures=2, recipe=RECIPE, seed=0)
    drawn = list(batches.shuffled(0))
    assert len(drawn) == len(batches)
    batch = drawn[0]
    assert batch.picture.shape[1:] == (7, CROP, CROP)
    assert (batch.weight > 0).eq(batch.block > 0).all()
    assert 0.02 < float(batch.block.mean()) < 0.9
    again = next(iter(batches.shuffled(0)))
    assert all(one.equal(other) for one, other in zip(batch, again, strict=True))


def test_windows_are_right_and_wrong(examples: Examples) -> None:
    batches = FitterBatches(examples, pictures=3, recipe=RECIPE, seed=0)
    drawn = list(batches.shuffled(0))
    assert len(drawn) == len(batches)
    right = np.concatenate([batch.right.numpy() for batch in drawn])
    assert 0.2 < right.mean() < 0.8
    for batch in drawn:
        assert (batch.moves[~batch.near] == 0).all()
        assert batch.near[batch.right > 0].all()


def test_thinned_scenes_keep_one_block_at_least() -> None:
    scene = make_scene()
    for seed in range(30):
        left = thin_out(scene, np.random.default_rng(seed))
        assert 1 <= len(left.fell) <= 12
        assert len(left.blocks.size) == len(left.fell)


def test_blocks_that_fell_are_told_from_those_that_stand(examples: Examples) -> None:
    for row in range(len(examples)):
        scene = open_scene(examples, row)
        moved = np.linalg.norm(examples.lies[row, :, :3] - examples.stood[row, :, :3], axis=1)
        stayed = examples.lies[row, moved <= 0.03, :3]
        np.testing.assert_array_equal(scene.blocks.position[~scene.fell], stayed)


def test_matches_are_one_to_one() -> None:
    scene = make_scene()
    near = shake(scene.blocks, 0.005, 0.1)
    matches = match_blocks(near, scene.blocks)
    np.testing.assert_array_equal(matches.found, matches.true)
    assert len(matches.true) == 12
    assert len(match_blocks(shake(scene.blocks, 0.0, 1.2), scene.blocks).true) < 12
    assert len(match_blocks(near.take(np.zeros(0, int)), scene.blocks).true) == 0


@pytest.mark.slow
def test_both_lessons_end_in_an_eye(debris: Path, tmp_path: Path) -> None:
    lesson = open_eye_lesson(Dataset(debris))
    for preset, make in EYE_PRESETS.items():
        config = replace(make(), pictures=1, judged=1, epochs=1, scenes=RECIPE)
        epochs = list(train_eye(config, lesson, tmp_path / f"{preset}.onnx"))
        assert len(epochs) == 1
    eye = Eye.from_files(tmp_path / "finder.onnx", tmp_path / "fitter.onnx")
    assert eye.finder.card.dataset["episodes"] == {"train": 12, "val": 8}
    assert len(eye.fitter.history) == 1
    with pytest.raises(InvalidInput, match="not a finder"):
        FinderModel.from_file(tmp_path / "fitter.onnx")
    with pytest.raises(InvalidInput, match="not a fitter"):
        FitterModel.from_file(tmp_path / "finder.onnx")
