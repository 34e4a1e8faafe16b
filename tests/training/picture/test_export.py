"""Model files answer as the net did, in SI units, and keep their cards."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from anastylosis.dataset import Dataset, Recipe
from anastylosis.errors import InvalidInput
from anastylosis.models.answers import HEADS
from anastylosis.models.card import HISTORY_KEY
from anastylosis.models.picture_model import PictureModel, write_picture_card
from anastylosis.training import loop
from anastylosis.training.model_file import store_model
from anastylosis.training.picture.config import build_view, fast_config, paper_config
from anastylosis.training.picture.export import CalibratedPictureNet, export_net
from anastylosis.training.picture.heads import default_weights
from anastylosis.training.picture.job import PictureJob, list_heads, measure_rates, write_card_of
from anastylosis.training.picture.net import PictureNet
from anastylosis.training.picture.scale import Scale, measure_scale
from anastylosis.training.picture.train import train_picture_net
from support.games import fallen
from support.models import make_card
from support.played_datasets import write_dataset
from support.truths import LEVELS, make_truth, perfect_answers

LAYERS, SIZE = 6, 32


def make_answering(preset: str) -> CalibratedPictureNet:
    torch.manual_seed(2)
    config = {"paper": paper_config, "fast": fast_config}[preset]().change(width=0.125, size=SIZE)
    net = PictureNet(config.net, LAYERS, LEVELS, build_view(config.pictures), SIZE)
    for _ in range(2):  # so that batch norm is not as it began
        net(torch.rand(8, 1, SIZE, SIZE), torch.zeros(8, LEVELS), torch.zeros(8))
    scale = measure_scale(make_truth(50, LAYERS), standardise=config.standardise)
    return CalibratedPictureNet(net.eval(), scale, list_heads(config.weights), slope=1.7, offset=-0.4).eval()


@pytest.mark.parametrize("preset", ["paper", "fast"])
def test_the_file_answers_as_the_net_did(tmp_path: Path, preset: str) -> None:
    answering = make_answering(preset)
    card = make_card(LAYERS, SIZE, answering.heads, unlikeness=None)
    store_model(tmp_path / "m.onnx", export_net(answering, SIZE, LEVELS), write_picture_card(card))
    model, rng = PictureModel.from_file(tmp_path / "m.onnx"), np.random.default_rng(0)
    for count in (1, 5):
        grey = rng.integers(0, 256, (count, SIZE, SIZE), dtype=np.uint8)
        friction, layers = rng.integers(-1, LEVELS, count), rng.integers(0, 7, count)
        found = model.run(grey, friction, layers)
        told = (friction[:, None] == np.arange(LEVELS)).astype(np.float32)
        asked = (torch.from_numpy(part) for part in (grey[:, None] / np.float32(255), told, layers.astype(np.float32)))
        with torch.no_grad():
            expected = answering(*asked)
        for head, answer in zip(answering.heads, expected, strict=True):
            np.testing.assert_allclose(getattr(found, head), answer.numpy(), rtol=1e-5, atol=1e-5, err_msg=f"{head} of {count}")


def test_heads_without_a_weight_are_left_out() -> None:
    assert list_heads(paper_config().weights) == (*HEADS[:4], "embedding")
    assert list_heads(default_weights()) == HEADS
    assert list_heads(default_weights() | {"block_set": 0}) == tuple(head for head in HEADS if head != "block_set")


def test_answers_are_in_si_units() -> None:
    """Raw outputs of 0 are the means of training; the paper's imbalance is in millimetres inside and in metres outside."""
    answering = make_answering("fast")
    raw = answering.net(torch.rand(2, 1, SIZE, SIZE), torch.zeros(2, LEVELS), torch.zeros(2))
    zero = {name: torch.zeros_like(part) for name, part in raw.items()}
    truth, answers = make_truth(50, LAYERS), answering.answer(zero)
    assert float(answers["imbalance"][0]) == pytest.approx(truth.imbalance.mean(), rel=1e-4)
    np.testing.assert_allclose(answers["removed_locs"].numpy(), 1 / (1 + np.exp(0.4)), rtol=1e-5)
    np.testing.assert_allclose(answers["failure_layer"].numpy(), 1 / LAYERS, rtol=1e-5)
    sure = answering.answer(zero | {"removed_locs": torch.full_like(zero["removed_locs"], 2.0)})["removed_locs"]
    np.testing.assert_allclose(sure.numpy(), 1 / (1 + np.exp(0.4 - 1.7 * 2)), rtol=1e-5)  # calibrated
    minus = answering.answer(zero | {name: torch.full((2,), -100.0) for name in ("num_removed", "torque_risk")})
    assert minus["num_removed"].tolist() == minus["torque_risk"].tolist() == [0, 0]
    paper = make_answering("paper").answer(zero | {"imbalance": torch.full((2,), -7.0)})
    assert paper["imbalance"].tolist() == pytest.approx([-0.007] * 2)


def test_cards_come_back_with_the_file(job: PictureJob, tmp_path: Path) -> None:
    config = fast_config().change(width=0.125, size=SIZE)
    truth = job.val.truth
    answers = perfect_answers(truth)._replace(num_removed=truth.num_removed + 1)
    card = write_card_of("picture_net", config, job, answers, HEADS, (1.5, -0.25))
    answering = make_answering("fast")
    answering.net = PictureNet(config.net, job.layers, LEVELS, build_view(config.pictures), SIZE).eval()
    answering.scale = Scale(3 * job.layers)
    history = [{"epoch": 1, "val": 0.5}, {"epoch": 2, "val": 0.25}]
    store_model(tmp_path / "m.onnx", export_net(answering, SIZE, LEVELS), write_picture_card(card), history)
    model = PictureModel.from_file(tmp_path / "m.onnx")
    assert replace(model.card, config={}) == replace(card, config={})
    assert model.card.config == json.loads(json.dumps(card.config))
    assert json.loads(model.metadata[HISTORY_KEY]) == history
    assert (card.calibration.slope, card.calibration.offset, card.calibration.examples) == (1.5, -0.25, 8)
    assert card.calibration.half_width["num_removed"] == 1
    assert card.metrics["num_removed.mae"] == 1
    assert (card.layers, card.dataset["episodes"]) == (5, {"train": 12, "val": 8})
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]


def test_rates_are_never_certain() -> None:
    truth = make_truth(40, LAYERS)
    rates = measure_rates(truth)
    often = (truth.removed_locs.sum(axis=0) + 1) / (truth.slots.sum(axis=0) + 2)
    np.testing.assert_allclose(rates["removed_locs"], often)
    for name in ("failure_layer", "friction_level"):
        assert rates[name].sum() == pytest.approx(1)
        assert rates[name].min() > 0
    above = measure_rates(truth._replace(failure_layer=np.full(40, 30)))  # above all slots
    np.testing.assert_allclose(above["failure_layer"], 1 / LAYERS)


def test_a_trained_model_tells_how_its_training_went(job: PictureJob, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(loop, "count_cores", lambda: 1)
    config = fast_config().change(width=0.125, size=SIZE, epochs=2, batch=8)
    epochs = list(train_picture_net(config, job, tmp_path / "m.onnx"))
    model = PictureModel.from_file(tmp_path / "m.onnx")
    history = json.loads(model.metadata[HISTORY_KEY])
    assert [row["val"] for row in history] == [epoch.losses["val"] for epoch in epochs]
    assert onnx.load(str(tmp_path / "m.onnx")).producer_name == "anastylosis"
    # What the card says was measured on the validation split by the file itself.
    truth = job.val.truth
    layers = truth.slots.sum(axis=1) // 3
    answers = model.run(job.val.grey, truth.friction_level, layers)
    error = np.abs(answers.num_removed - truth.num_removed)
    assert error.mean() == pytest.approx(model.card.metrics["num_removed.mae"], rel=1e-3)
    assert (error <= model.card.calibration.half_width["num_removed"] + 1e-4).mean() >= 0.9
    scores = model.measure_unlikeness(job.val.grey)
    assert model.card.unlikeness is not None
    assert model.card.unlikeness.parts == ("maps", "layout")
    assert scores is not None
    assert scores.max() == pytest.approx(1, abs=1e-4)  # of eight pictures the farthest is the limit


def test_too_few_collapses_are_not_enough(tmp_path: Path) -> None:
    dataset = Dataset(write_dataset(tmp_path / "few", *fallen(4, 5, 4), split=("train", "train", "val")))
    with pytest.raises(InvalidInput, match="has 2 collapses in its split 'train'; to learn takes 8 or more"):
        PictureJob.open(dataset, Recipe(size=32), 1, workers=1, progress=lambda *_: None)


def test_a_training_does_not_use_the_test_splits(job: PictureJob, debris: Path, monkeypatch) -> None:
    assert (len(job.train[0]), len(job.val)) == (12, 8)
    assert job.layers == 5  # the towers of six layers are in a test split
    assert job.train[0].truth.slots.shape == (12, 15)
    drawn: list[set[str]] = []

    def draw(examples, recipe, number, **_):
        drawn.append(set(examples.split.tolist()))
        return job.train[0] if "train" in drawn[-1] else job.val

    monkeypatch.setattr("anastylosis.training.picture.job.draw_pictures", draw)
    views = PictureJob.open(Dataset(debris), Recipe(size=32, mirror=True), 3, progress=lambda *_: None)
    assert drawn == [{"train"}, {"train"}, {"train"}, {"val"}, {"val"}, {"val"}]
    assert (len(views.train), len(views.known)) == (3, 2)


def test_two_trainings_of_one_seed_give_the_same_bytes(job: PictureJob, tmp_path: Path) -> None:
    """The history had how long each epoch took."""
    config = fast_config().change(width=0.125, size=SIZE, epochs=2, batch=8)
    files = [tmp_path / "one" / "m.onnx", tmp_path / "other" / "m.onnx"]
    for file in files:
        file.parent.mkdir()
        list(train_picture_net(config, job, file))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert {name for row in PictureModel.from_file(files[0]).history for name in row if "second" in name} == set()
