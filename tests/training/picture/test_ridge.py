"""Ridge regression: the file says what it says, at any size; it learns what is a straight line, and leaks nothing."""

from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset.pictures import Pictures
from anastylosis.models.picture_model import PictureModel, write_picture_card
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.config import ridge_config
from anastylosis.training.picture.job import PictureJob
from anastylosis.training.picture.ridge import (
    RIDGE_HEADS,
    Ridge,
    build_features,
    build_graph,
    build_targets,
    fit_ridge,
    train_ridge,
)
from support.models import make_card
from support.truths import LEVELS, make_pictures, make_truth

LAYERS = 3


def fit(size: int = 32) -> tuple[Ridge, Pictures]:
    val = make_pictures(16, size, LAYERS, seed=1)
    return fit_ridge(make_pictures(24, size, LAYERS), val), val


@pytest.mark.parametrize("size", [32, 64, 100, 24])
def test_the_file_says_what_the_regression_says(tmp_path: Path, size: int) -> None:
    ridge, val = fit(size)
    card = make_card(LAYERS, size, RIDGE_HEADS, frictions={"low": 0.25, "nominal": 0.4, "high": 0.6}, unlikeness=None)
    store_model(tmp_path / "m.onnx", build_graph(ridge, size), write_picture_card(card))
    model = PictureModel.from_file(tmp_path / "m.onnx")
    layers = val.truth.slots.sum(axis=1) // 3
    for told in (True, False):
        found = model.run(val.grey, val.truth.friction_level, layers) if told else model.run(val.grey)
        expected = ridge.answer(build_features(val, with_facts=told))
        for head in RIDGE_HEADS:
            np.testing.assert_allclose(getattr(found, head), getattr(expected, head), rtol=1e-5, atol=2e-5, err_msg=head)


def test_what_is_a_straight_line_is_learned() -> None:
    """Blocks removed are as many as the picture is bright."""

    def make(count: int, seed: int) -> Pictures:
        pictures = make_pictures(count, 32, LAYERS, seed)
        light = np.random.default_rng(1000 + seed).integers(0, 200, (count, 1, 1))
        grey = (light + pictures.grey // 8).astype(np.uint8)
        return Pictures(grey, pictures.truth._replace(num_removed=grey.mean(axis=(1, 2), dtype=np.float32) / 10))

    train, val, test = make(400, 0), make(100, 1), make(40, 2)
    wanted = test.truth.num_removed
    for told in (True, False):
        said = fit_ridge(train, val).answer(build_features(test, with_facts=told)).num_removed
        assert np.abs(said - wanted).mean() < 0.15 * np.abs(wanted - train.truth.num_removed.mean()).mean()


def test_answers_can_be_what_they_are_called() -> None:
    ridge, val = fit()
    answers = ridge.answer(build_features(val, with_facts=True))
    assert ((answers.removed_locs > 0) & (answers.removed_locs < 1)).all()
    np.testing.assert_allclose(answers.failure_layer.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(answers.friction_level.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(answers.block_set[..., 0], 1 - answers.removed_locs, rtol=1e-5)
    assert answers.num_removed.min() >= 0
    assert all(np.isfinite(part).all() for part in answers if part is not None)


def test_what_is_not_known_is_the_mean_of_training() -> None:
    train, val = make_truth(30, LAYERS), make_truth(10, LAYERS, seed=1)
    targets = build_targets(val, train)
    slots = targets[:, 3 : 3 + 3 * LAYERS]
    rate = np.where(train.slots, train.removed_locs, 0).sum(axis=0) / train.slots.sum(axis=0)
    np.testing.assert_allclose(slots[~val.slots], np.broadcast_to(rate, slots.shape)[~val.slots], rtol=1e-5)
    np.testing.assert_array_equal(slots[val.slots], val.removed_locs[val.slots])
    ways = targets[:, -6 * LAYERS :].reshape(10, 3 * LAYERS, 2)
    unknown = ~np.isfinite(val.displacement)
    mean = np.broadcast_to(np.nanmean(train.displacement, axis=0), ways.shape)
    np.testing.assert_allclose(ways[unknown], mean[unknown], rtol=1e-4, atol=1e-7)


def test_a_tower_that_gave_way_above_all_slots_chooses_no_layer() -> None:
    truth = make_truth(4, LAYERS)._replace(failure_layer=np.array([0, LAYERS, 40, LAYERS - 1]))
    layers = build_targets(truth, truth)[:, 3 + 3 * LAYERS : 3 + 4 * LAYERS]
    assert layers.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_friction_that_is_told_is_one_number_of_three() -> None:
    pictures = make_pictures(6, 32, LAYERS)
    told, untold = (build_features(pictures, with_facts=told) for told in (True, False))
    np.testing.assert_array_equal(told[:, :1024], untold[:, :1024])
    np.testing.assert_array_equal(told[:, 1024 : 1024 + LEVELS].argmax(axis=1), pictures.truth.friction_level)
    np.testing.assert_allclose(told[:, -2], pictures.truth.slots.sum(axis=1) / 3 / 24)
    assert (told[:, -1] == 1).all()
    assert (untold[:, 1024:] == 0).all()


def test_a_ridge_model_is_a_model_like_any_other(job: PictureJob, tmp_path: Path) -> None:
    ridge = train_ridge(ridge_config().change(size=32), job, tmp_path / "m.onnx")
    model = PictureModel.from_file(tmp_path / "m.onnx")
    assert (model.card.kind, model.card.preset, model.card.size, model.card.layers) == ("ridge", "ridge", 32, 5)
    assert model.card.heads == RIDGE_HEADS
    assert (model.card.calibration.slope, model.card.calibration.offset) == (ridge.slope, ridge.offset)
    assert model.inputs == ["picture", "friction", "layers"]
    assert model.run(job.val.grey).removed_locs.shape == (8, 15)


def test_two_trainings_give_the_same_bytes(job: PictureJob, tmp_path: Path) -> None:
    for name in ("one", "other"):
        train_ridge(ridge_config().change(size=32), job, tmp_path / f"{name}.onnx")
    assert (tmp_path / "one.onnx").read_bytes() == (tmp_path / "other.onnx").read_bytes()
