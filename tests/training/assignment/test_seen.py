"""The second training job of the assignment net: what the eye finds is kept, labelled rightly, and learned from."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.assignment.assigner import Assigner
from anastylosis.dataset import Dataset
from anastylosis.detection.detector import BlockDetector
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT, list_detector
from anastylosis.training.assignment.batches import FOREIGN
from anastylosis.training.assignment.config import AssignmentConfig, AssignmentNetConfig, seen_config
from anastylosis.training.assignment.debris import gather_debris
from anastylosis.training.assignment.seen_batches import SeenBatches
from anastylosis.training.assignment.seen_job import SeenJob, train_seen_net
from anastylosis.training.detection.detection_cache import NEAR, NO_BLOCK, cache_detections

CONFIG = replace(seen_config(), net=AssignmentNetConfig(features=32, block_layers=1, joint_layers=1), epochs=2, repeats=1)


class Blind:
    """An eye that must not be asked."""

    def look(self, photos: object) -> None:
        raise AssertionError("it was looked at again")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("detections")


@pytest.fixture(scope="module")
def job(debris: Path, folder: Path) -> SeenJob:
    return SeenJob.open(Dataset(debris), BlockDetector.from_files(*list_detector()), folder, CONFIG, episodes=8)


def test_what_is_found_is_told_from_what_is_not_there(job: SeenJob) -> None:
    examples = job.collapses.train
    assert len(job.train) <= len(examples)
    found = [each for each in job.train if (each.origin != NO_BLOCK).any()]
    assert len(found) >= len(examples) // 2  # blocks of most heaps are found
    for row, survey, origin in found:
        own = origin != NO_BLOCK
        assert len(set(origin[own])) == own.sum()  # no block is found twice
        apart = np.linalg.norm(survey.position[own] - examples.lies[row, origin[own], :3], axis=1)
        assert apart.max() <= NEAR


def test_what_was_seen_is_kept(job: SeenJob, folder: Path) -> None:
    asked: dict = {"repeats": 1, "seed": 0, "identity": job.collapses.dataset}
    again = cache_detections(job.collapses.train, Blind(), folder / "train", **asked)  # type: ignore[arg-type]
    assert len(again) == len(job.train)
    for one, other in zip(again, job.train, strict=True):
        assert one.row == other.row
        assert (one.survey.position == other.survey.position).all()
        assert (one.survey.certainty == other.survey.certainty).all()
        assert (other.survey.certainty < 1).any()  # it is the eye's own
        assert (one.origin == other.origin).all()
    with pytest.raises(InvalidInput, match="holds proposals or detections of another training"):
        cache_detections(job.collapses.train, Blind(), folder / "train", **asked | {"seed": 1})  # type: ignore[arg-type]


def test_a_file_that_is_damaged_is_named(job: SeenJob, folder: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(folder / "train", tmp_path / "train"))
    part = next(copied.glob("*.npz"))
    part.write_bytes(part.read_bytes()[:200])
    asked: dict = {"repeats": 1, "seed": 0, "identity": job.collapses.dataset}
    with pytest.raises(InvalidInput, match="delete it"):
        cache_detections(job.collapses.train, Blind(), copied, **asked)  # type: ignore[arg-type]
    (copied / "about.json").unlink()
    with pytest.raises(InvalidInput, match="no note of which"):
        cache_detections(job.collapses.train, Blind(), copied, **asked)  # type: ignore[arg-type]


def test_batches_say_where_found_blocks_stood(job: SeenJob) -> None:
    debris = gather_debris(job.collapses.train)
    batches = SeenBatches(debris, job.train, size=4, hide_friction=1.0)
    first = next(batches.in_order())
    for number, detections in enumerate(job.train[:4]):
        slot = first.answer.slot[number, : len(detections.origin)].numpy()
        own = detections.origin != NO_BLOCK
        assert (slot[~own] == FOREIGN).all()
        assert (slot[own] == debris.slot[detections.row, detections.origin[own]]).all()
    assert sum(len(batch.answer.friction) for batch in batches.shuffled(0)) == len(job.train)
    one, other = (next(iter(batches.shuffled(3))).sheet.block_position for _ in range(2))
    assert one.equal(other)


def test_a_net_is_trained_on_and_answers(job: SeenJob, tmp_path: Path) -> None:
    start, config = SHIPPED_ASSIGNMENT, replace(CONFIG, net=seen_config().net)
    with pytest.raises(InvalidInput, match="of another net than this one"):
        next(train_seen_net(CONFIG, job, start, tmp_path / "seen.onnx"))
    with pytest.raises(InvalidInput, match="there is no model"):
        next(train_seen_net(config, job, tmp_path / "none.onnx", tmp_path / "seen.onnx"))
    epochs = list(train_seen_net(config, job, start, tmp_path / "seen.onnx"))
    assert [epoch.number for epoch in epochs] == [1, 2]
    assigner = Assigner.from_file(tmp_path / "seen.onnx")
    assert assigner.card.preset == "seen"
    said = assigner.assign(job.val[0].survey, 5)
    assert said.placed.shape == (len(job.val[0].survey), 15)


def test_repeats_and_preset_belong_together() -> None:
    with pytest.raises(InvalidConfig, match="seen"):
        AssignmentConfig(repeats=2)
    with pytest.raises(InvalidConfig, match="seen"):
        AssignmentConfig(preset="seen")
