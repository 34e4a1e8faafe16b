"""Evaluation: every model beside its baselines, nothing told that is asked for; slots that a model lacks go to the prior."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS, Answers
from anastylosis.models.picture_model import PictureModel, PictureView
from anastylosis.training.picture.evaluation import (
    BASELINES,
    PictureTest,
    PictureTrial,
    name_model,
)
from anastylosis.training.picture.scores import MEASURES
from anastylosis.validation.score_row import ScoreRow
from support.games import fallen
from support.models import known_answers, make_card, write_model
from support.played_datasets import write_dataset

VIEW = PictureView(elevation=0.384, azimuth=0.611, field_of_view=0.559, reach=0.5, layers=24)


@pytest.fixture(scope="module")
def contest(debris: Path, tmp_path_factory) -> PictureTest:
    """Two models of known answers: one of fewer layers than the towers, and one of more, which is told friction and height."""
    folder = tmp_path_factory.mktemp("models")
    short = make_card(3, 32, HEADS[:8], preset="short", view=VIEW)
    tall = make_card(8, 32, HEADS[:8], preset="tall", view=VIEW)
    write_model(folder / "a.onnx", card=short)
    write_model(folder / "b.onnx", card=tall, pull=(1.0, 2.0, 3.0), lift=10.0)
    models = {name: PictureModel.from_file(folder / f"{file}.onnx") for name, file in (("short", "a"), ("tall", "b"))}
    return PictureTest.open(models, Dataset(debris), workers=1, progress=lambda *_: None)


@pytest.fixture(scope="module")
def trials(debris: Path) -> dict[str, PictureTrial]:
    return {trial.name: trial for trial in PictureTest.list_trials(Dataset(debris))}


@pytest.fixture(scope="module")
def answers(contest: PictureTest, trials: dict[str, PictureTrial]) -> dict[str, Answers]:
    return {name: said for name, _, said in contest.answer(trials["test"])}


@pytest.fixture(scope="module")
def untold(contest: PictureTest, trials: dict[str, PictureTrial]) -> dict[str, Answers]:
    return {name: said for name, _, said in contest.answer(trials["test-untold"])}


@pytest.fixture(scope="module")
def rows(contest: PictureTest, trials: dict[str, PictureTrial]) -> list[ScoreRow]:
    chosen = [trials[name] for name in ("test", "test-untold", "test-tall")]
    return [row for part in contest.evaluate(chosen, resamples=20) for row in part]


def test_all_that_is_tried(trials: dict[str, PictureTrial]) -> None:
    assert list(trials) == ["test", "test-untold", "test-tall", "test-light", "test-camera-near", "test-camera-any"]
    assert {name: len(trial.examples) for name, trial in trials.items()} == dict.fromkeys(trials, 8) | {"test-tall": 2}
    for trial in trials.values():
        assert all(str(split).startswith("test") for split in trial.examples.split)
    assert [trial.with_facts for trial in trials.values()] == [True, False, True, True, True, True]
    recipe = trials["test-camera-any"].recipe(32, 24, 0.5)
    assert (recipe.camera, recipe.domain, recipe.plain_first) == ("any", True, False)
    assert trials["test"].recipe(32, 24, 0.5).plain_first


def test_rows_have_the_shape_of_the_design(rows: list[ScoreRow]) -> None:
    assert ScoreRow._fields[:7] == ("split", "head", "metric", "model", "value", "low", "high")
    assert list(dict.fromkeys(row.model for row in rows)) == [*BASELINES, "short", "tall"]
    assert {row.head for row in rows} == {*MEASURES, "unlike"}
    strange = {"unlike-known", "unlike-near", "unlike-far"}
    assert {"test", "test-low", "test-nominal", "test-high", "test-untold", "test-tall", *strange} == {row.split for row in rows}
    assert len({row[:4] for row in rows}) == len(rows)  # each number is told once
    for row in rows:
        if np.isfinite(row.value) and np.isfinite(row.low):
            assert row.low <= row.value + 1e-9
            assert row.value <= row.high + 1e-9
    counts = {row.split: row.count for row in rows if (row.head, row.model) == ("num_removed", "prior")}
    assert counts["test"] == 8 == sum(counts[f"test-{level}"] for level in ("low", "nominal", "high"))
    assert counts["test-tall"] == 2


def test_a_number_by_hand(rows: list[ScoreRow], contest: PictureTest, trials: dict[str, PictureTrial]) -> None:
    examples = trials["test"].examples
    levels = np.array([(0.25, 0.4, 0.6).index(friction) for friction in examples.friction])
    said = 4 + np.array([1.0, 2.0, 3.0])[levels] + 10 * examples.layers
    (row,) = [row for row in rows if row[:4] == ("test", "num_removed", "mae", "tall")]
    assert row.value == pytest.approx(np.abs(said - examples.removed_count).mean(), rel=1e-6)
    (blind,) = [row for row in rows if row[:4] == ("test-untold", "num_removed", "mae", "tall")]
    assert blind.value == pytest.approx(np.abs(4 - examples.removed_count).mean(), rel=1e-6)


@pytest.mark.parametrize("model", ["ridge", "prior", "neighbour", "short", "tall"])
def test_the_level_that_is_told_is_not_told_back(answers, untold, model: str) -> None:
    np.testing.assert_array_equal(answers[model].friction_level, untold[model].friction_level)


@pytest.mark.parametrize("model", ["ridge", "prior", "tall"])
def test_what_is_told_is_used(answers, untold, model: str) -> None:
    assert (answers[model].num_removed != untold[model].num_removed).all()


def test_ridge_does_not_say_the_level_that_it_was_told(contest: PictureTest, trials: dict[str, PictureTrial]) -> None:
    from anastylosis.training.picture.ridge import join_features

    trial = trials["test"]
    plain = contest.draw(trial, contest.recipe.size, contest.recipe.layers, contest.recipe.reach)
    level = plain.truth.friction_level
    features = (join_features(plain.grey, level, trial.examples.layers, with_facts=yes) for yes in (True, False))
    told, blind = (contest.ridge.answer(each) for each in features)
    np.testing.assert_array_equal(told.friction_level, blind.friction_level)
    assert not np.allclose(told.num_removed, blind.num_removed)  # of what it is told it makes use elsewhere


def test_slots_that_a_model_lacks_are_left_to_the_prior(contest: PictureTest, answers) -> None:
    known, said = known_answers(make_card(3, 32, HEADS[:8])), answers["short"]
    assert contest.layers == 5
    np.testing.assert_allclose(said.removed_locs[:, :9], np.broadcast_to(known["removed_locs"], (8, 9)), rtol=1e-6)
    rest = contest.prior.answer(np.full(8, -1)).removed_locs[:, 9:]
    np.testing.assert_allclose(said.removed_locs[:, 9:], rest)
    np.testing.assert_allclose(said.failure_layer[:, :3], np.broadcast_to(known["failure_layer"], (8, 3)), rtol=1e-6)
    assert (said.failure_layer[:, 3:] == 0).all()
    assert said.failure_layer.shape == (8, 5)
    assert said.block_set is said.displacement is None


def test_slots_that_no_tower_has_are_left_out(answers) -> None:
    known, said = known_answers(make_card(8, 32, HEADS[:8])), answers["tall"]
    np.testing.assert_allclose(said.removed_locs, np.broadcast_to(known["removed_locs"][:15], (8, 15)), rtol=1e-6)
    assert (said.failure_layer.shape, said.block_set.shape, said.displacement.shape) == ((8, 5), (8, 15, 6), (8, 15, 2))


def test_models_of_one_name_are_told_apart() -> None:
    assert name_model("fast", Path("n.onnx"), BASELINES) == "fast"
    assert name_model("fast", Path("n.onnx"), {*BASELINES, "fast"}) == "n"
    assert name_model("fast", Path("elsewhere/n.onnx"), {*BASELINES, "fast", "n"}) == "n-2"
    assert name_model("ridge", Path("mine.onnx"), BASELINES) == "mine"
    assert name_model("ridge", Path("ridge.onnx"), BASELINES) == "ridge-2"  # not the baseline of that name
    assert name_model("ridge", Path("ridge.onnx"), {*BASELINES, "ridge-2"}) == "ridge-3"


def test_debris_of_another_engine_is_tried_too(debris: Path, project: Path, tmp_path: Path, contest: PictureTest) -> None:
    table = pq.read_table(project / "benchmarks" / "mujoco_debris.parquet").slice(0, 3)
    pq.write_table(table, tmp_path / "others.parquet")
    trials = {trial.name: trial for trial in PictureTest.list_trials(Dataset(debris), [tmp_path / "others.parquet"])}
    assert len(trials["test-mujoco"].examples) == 3
    found = [row for part in contest.evaluate([trials["test-mujoco"]], resamples=5) for row in part]
    assert {row.split for row in found} == {"test-mujoco"}


def test_a_dataset_without_a_test_split(tmp_path: Path) -> None:
    dataset = Dataset(write_dataset(tmp_path / "few", *fallen(4, 5)))
    with pytest.raises(InvalidInput, match="has no collapse in its split 'test'; simulate more episodes"):
        PictureTest.list_trials(dataset)


def test_one_episode_is_no_trial(contest: PictureTest, trials: dict[str, PictureTrial]) -> None:
    alone = PictureTrial("test", trials["test"].examples.take(slice(0, 1)))
    assert list(contest.evaluate([alone])) == []
