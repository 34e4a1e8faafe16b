"""The training job of the assignment net: it learns what is there to be learned, goes on after it was cut, and calibrates."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from anastylosis.assignment.assigner import Assigner
from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidInput
from anastylosis.training.assignment.batches import collect
from anastylosis.training.assignment.calibration import calibrate
from anastylosis.training.assignment.config import AssignmentConfig, AssignmentNetConfig, SurveyRecipe
from anastylosis.training.assignment.job import AssignmentJob, train_assignment_net
from anastylosis.training.assignment.losses import measure_losses
from anastylosis.training.assignment.net import AssignmentNet
from anastylosis.training.loop import Epoch
from support.assignments import make_debris, open_cases

SMALL = AssignmentConfig(
    preset="of-tests", net=AssignmentNetConfig(features=32, block_layers=1, joint_layers=1), epochs=2, batch=4, learning_rate=3e-3
)
ABOUT = {"fingerprint": "none", "episodes": {"train": 16, "val": 8}, "seed": 0}


def job(train: int = 16, val: int = 8) -> AssignmentJob:
    return AssignmentJob(train=make_debris(train), val=make_debris(val, seed=1), dataset=ABOUT)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, list[Epoch]]:
    """A model, and the epochs of its training, which nothing interrupted."""
    path = tmp_path_factory.mktemp("whole") / "m.onnx"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anastylosis.training.loop.count_cores", lambda: 1)
        return path, list(train_assignment_net(SMALL, job(), path))


def test_a_lesson_ends_in_a_model_that_assigns(whole: tuple[Path, list[Epoch]]) -> None:
    path, epochs = whole
    assert [epoch.number for epoch in epochs] == [1, 2]
    assert {"val_blocks", "val_slots", "val_removed", "val_failure", "val_courses", "val_friction"} <= set(epochs[-1].losses)
    assigner = Assigner.from_file(path)
    assert assigner.card.dataset == ABOUT
    assert (assigner.card.fewest_courses, assigner.card.most_courses) == (3, 5)
    assert {"placed.top1", "placed.layer_error", "removed_locs.auc", "num_removed.mae"} <= set(assigner.card.metrics)
    assert len(assigner.model.history) == 2


def test_a_training_that_was_cut_ends_with_the_same_model(whole: tuple[Path, list[Epoch]], tmp_path: Path) -> None:
    next(iter(train_assignment_net(SMALL, job(), tmp_path / "cut.onnx")))
    assert not (tmp_path / "cut.onnx").exists()
    assert [epoch.number for epoch in train_assignment_net(SMALL, job(), tmp_path / "cut.onnx")] == [2]
    one, other = (Assigner.from_file(path) for path in (whole[0], tmp_path / "cut.onnx"))
    assert one.card == other.card
    sheet = open_cases(make_debris(1))[0].sheet
    for a, b in zip(one.model.run(sheet), other.model.run(sheet), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.slow
def test_it_learns_where_blocks_stood(tmp_path: Path) -> None:
    """Debris that keeps its order, pushed aside by 20 cm: every block's slot can be told from its height and its neighbours."""
    config = replace(SMALL, net=AssignmentNetConfig(features=64, block_layers=1, joint_layers=2), epochs=30, batch=8)
    config = replace(config, surveys=SurveyRecipe(exact=1.0, complete=1.0, pure=1.0))
    list(train_assignment_net(config, job(96, 16), tmp_path / "m.onnx"))
    assert Assigner.from_file(tmp_path / "m.onnx").card.metrics["placed.top1"] > 0.8


def test_half_precision_does_not_reach_the_matching() -> None:
    """On a GPU the net runs in half precision, in which exp(20) is infinite."""
    torch.manual_seed(0)
    net, batch = AssignmentNet(SMALL.net), collect(open_cases(make_debris(4)))
    with torch.no_grad():
        net.near.weight.fill_(50.0)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = net(batch.sheet)
        assert logits.pairs.dtype == torch.float32
    assert all(torch.isfinite(part).all() for part in logits)


def test_calibration_makes_the_truth_more_probable() -> None:
    torch.manual_seed(0)
    net = AssignmentNet(SMALL.net).eval()
    with torch.no_grad():
        net.near.weight.fill_(4.0)  # far too sure of what is near
    batches = [collect(open_cases(make_debris(12)))]
    found = calibrate(net, batches)

    def loss(factor: float) -> float:
        with torch.no_grad():
            return float(measure_losses(net(batches[0].sheet, factor), batches[0])["blocks"])

    assert found.pairs != 1.0
    assert loss(found.pairs) <= min(loss(1.0), loss(0.5), loss(2.0)) + 1e-3
    assert np.isfinite([found.slope, found.offset]).all()


def test_a_dataset_is_read(debris: Path) -> None:
    found = AssignmentJob.open(Dataset(debris), episodes=10)
    assert (len(found.train), len(found.val)) == (10, 8)
    assert found.dataset["episodes"] == {"train": 10, "val": 8}


def test_too_few_collapses_are_said_to_be(debris: Path) -> None:
    with pytest.raises(InvalidInput, match="has 2 collapses in its split 'train'; to learn takes 8 or more"):
        AssignmentJob.open(Dataset(debris), episodes=2)
