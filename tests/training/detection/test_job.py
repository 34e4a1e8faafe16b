"""Trainings of the detector: batches that say what is true, and trainings that end in files that can be opened."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.assignment.assigner import Assigner
from anastylosis.dataset import Dataset
from anastylosis.dataset.examples import Examples
from anastylosis.detection.detector import BlockDetector
from anastylosis.detection.nets import SlotClassifierModel, VoteNetModel
from anastylosis.detection.overlaps import measure_overlaps
from anastylosis.detection.refiner import CROP, VOTE_CROP, aim_frames
from anastylosis.detection.view import Photo
from anastylosis.errors import InvalidInput
from anastylosis.geometry import make_rotations
from anastylosis.models.shipped import SHIPPED_ASSIGNMENT, list_detector
from anastylosis.training.detection.config import DETECTOR_PRESETS
from anastylosis.training.detection.evaluation import DetectorTest, pair
from anastylosis.training.detection.job import DetectorJob, train_detector_net
from anastylosis.training.detection.refiner import RefinerBatches, RefinerNet, label_proposals
from anastylosis.training.detection.scenes import (
    DebrisScene,
    SceneRecipe,
    draw_camera,
    draw_shot,
    find_displaced,
    mirror,
    open_scene,
    thin_out,
    twist,
)
from anastylosis.training.detection.scores import match_blocks
from anastylosis.training.detection.slot_classifier import SlotBatches
from anastylosis.training.detection.votes import TRAINING_CROP, VoteBatches, VoteNet
from support.drawn_debris import BLOCK, SLOTS, make_scene, open_witness, photograph, shake

RECIPE = SceneRecipe(  # what nets that learned on plain floors know
    antialias=(1,), photographed=0.0, elevation=(math.radians(18), math.radians(60)), field_of_view=(0.31, 0.79)
)


def test_crops_and_their_votes(examples: Examples) -> None:
    batches = VoteBatches(examples, pictures=2, recipe=RECIPE, seed=0)
    drawn = list(batches.shuffled(0))
    assert len(drawn) == len(batches)
    batch = drawn[0]
    assert batch.picture.shape[1:] == (7, TRAINING_CROP, TRAINING_CROP)
    assert (batch.weight > 0).eq(batch.block > 0).all()
    assert 0.02 < float(batch.block.mean()) < 0.9
    again = next(iter(batches.shuffled(0)))
    assert all(one.equal(other) for one, other in zip(batch, again, strict=True))


def test_slots_are_filled_and_empty(examples: Examples) -> None:
    batches = SlotBatches(examples, pictures=3, recipe=RECIPE, seed=0)
    drawn = list(batches.shuffled(0))
    assert len(drawn) == len(batches)
    filled = np.concatenate([batch.filled.numpy() for batch in drawn])
    assert 0.1 < filled.mean() < 0.95
    assert drawn[0].picture.shape[1:] == (6, 24, 32)


def test_proposals_and_where_they_belong(examples: Examples) -> None:
    shipped = VoteNetModel.from_file(list_detector()[0])
    batches = RefinerBatches(examples, shipped, pictures=2, recipe=RECIPE, seed=0)
    drawn = list(batches.shuffled(0))
    assert len(drawn) == len(batches)
    batch = drawn[0]
    assert batch.picture.shape[1:] == (6, *CROP)
    assert batch.own.shape[1:] == VOTE_CROP
    assert 0.1 < float(batch.near.mean()) < 1
    assert not batch.own[batch.near == 0].any()  # no block, no pixel of its own
    assert 0.02 < float(batch.own[batch.near > 0].mean()) < 0.5
    again = next(iter(batches.shuffled(0)))
    assert all(one.equal(other) for one, other in zip(batch, again, strict=True))


def test_a_block_belongs_where_it_is() -> None:
    blocks = make_scene().blocks
    away, near, which = label_proposals(blocks, blocks, aim_frames(np.array([0.5, 0.5, 0.5]), blocks))
    np.testing.assert_allclose(away, 0, atol=1e-9)
    assert near.all()
    assert which.tolist() == list(range(12))


def test_a_judge_begins_with_what_a_finder_sees() -> None:
    vote_net, refiner = VoteNet(), RefinerNet()
    refiner.start(vote_net.state_dict())
    assert refiner.stages[1][0].first[0].weight.equal(vote_net.stages[1][0].first[0].weight)
    first = refiner.stem[0][0].weight
    assert first[:, :4].equal(vote_net.stem[0][0].weight[:, :4])
    assert not first[:, 4:].any()  # where faces would be, a vote net has not been told


def test_of_thinned_scenes_nothing_is_left_in_the_air() -> None:
    tower = SLOTS.take(np.arange(18))
    scene = DebrisScene(tower, np.zeros(18, bool), 0)
    counts = set()
    for seed in range(40):
        left = thin_out(scene, np.random.default_rng(seed))
        height = left.blocks.position[:, 2]
        counts.add(len(height))
        whole = len(height) == np.count_nonzero(tower.position[:, 2] <= height.max())
        assert len(height) >= 1
        assert whole or height.max() < 0.019  # all that is below is there, or it lies on the floor
    assert len(counts) > 4


def test_photographs_show_the_same_blocks_as_plain_pictures() -> None:
    scene, rng = make_scene(), np.random.default_rng(2)
    recipe = replace(RECIPE, photographed=1.0)
    camera = draw_camera(scene, recipe, rng)
    photographed, plain = (draw_shot(scene, camera, each, np.random.default_rng(1)) for each in (recipe, RECIPE))
    both = (photographed.ids >= 0) & (plain.ids >= 0)  # some are hidden by things
    assert (photographed.ids[both] == plain.ids[both]).mean() > 0.98
    assert both.sum() > 0.7 * (plain.ids >= 0).sum()
    assert np.isfinite(photographed.view.picture).all()


def test_a_fall_of_large_blocks_is_seen_as_one_of_the_papers(examples: Examples) -> None:
    lengths = np.array([2.0] * 3 + [1.0] * 4)
    large = replace(examples, size=2 * examples.size, stood=lengths * examples.stood, lies=lengths * examples.lies)
    for row in range(4):
        one, other = open_scene(examples, row), open_scene(large, row)
        np.testing.assert_allclose(other.blocks.position, one.blocks.position, atol=1e-9)
        assert (one.fell == other.fell).all()
        assert (other.size == one.size).all()


def test_blocks_that_fell_are_told_from_those_that_stand(examples: Examples) -> None:
    for row in range(len(examples)):
        scene = open_scene(examples, row)
        moved = np.linalg.norm(examples.lies[row, :, :3] - examples.stood[row, :, :3], axis=1)
        stayed = examples.lies[row, moved <= 0.03, :3]
        np.testing.assert_array_equal(scene.blocks.position[~scene.fell], stayed)


def test_what_is_in_no_slot_is_displaced_even_if_it_went_not_far() -> None:
    blocks = SLOTS.take(np.arange(9))
    assert not find_displaced(blocks, BLOCK).any()
    moved = blocks.position + np.where(np.arange(9) == 4, 0.025, 0.0)[:, None] * (1.0, 0.0, 0.0)
    turned = make_rotations(np.where(np.arange(9) == 7, np.radians(25), 0.0)[:, None] * (0.0, 0.0, 1.0)) @ blocks.axes
    assert np.flatnonzero(find_displaced(blocks._replace(position=moved, axes=turned), BLOCK)).tolist() == [4, 7]


def test_a_twisted_tower_has_turned_as_one(examples: Examples) -> None:
    rng = np.random.default_rng(4)
    for row in range(len(examples)):
        stood = examples.stood[row, np.isfinite(examples.stood[row, :, 0])]
        scene = twist(examples, row, rng)
        tower, strewn = scene.blocks.position[: len(stood)], scene.blocks.position[len(stood) :]
        moved = np.linalg.norm(tower - stood[:, :3], axis=1) > 1e-9
        assert 0 < moved.sum() < len(moved)
        assert stood[moved, 2].min() > stood[~moved, 2].min()
        apart, was = (np.linalg.norm(part[moved][:, None] - part[moved], axis=2) for part in (tower, stood[:, :3]))
        np.testing.assert_allclose(apart, was, atol=1e-12)  # as one
        assert (tower[moved, 2] >= stood[moved, 2] - 1e-3).all()  # and into nothing that is below
        assert (np.hypot(strewn[:, 0], strewn[:, 1]) > 0.13).all()


def test_a_mirror_shows_debris_as_real_as_it_was(examples: Examples) -> None:
    scene = open_scene(examples, 0)
    other = mirror(scene)
    np.testing.assert_allclose(np.linalg.det(other.blocks.axes), 1, atol=1e-9)  # rotations, not reflections
    np.testing.assert_array_equal(other.fell, scene.fell)
    apart, were = (measure_overlaps(each.blocks) for each in (other, scene))
    for one, before in zip(apart, were, strict=True):  # they touch as they did
        np.testing.assert_allclose(one, before, atol=1e-9)
    twice = mirror(other)
    assert len(match_blocks(twice.blocks, scene.blocks, 1e-9, 1e-6).true) == len(scene.fell)
    assert len(match_blocks(mirror(make_scene()).blocks, make_scene().blocks).true) < 12  # and it is another heap


def test_engines_are_compared_on_the_same_towers(examples: Examples) -> None:
    theirs = examples.take(np.array([3, 1, 2]))
    strange = replace(theirs, seed=np.append(theirs.seed[:2], np.uint64(2**40)))
    one, other = pair(strange, examples)
    assert one.seed.tolist() == other.seed.tolist() == sorted(strange.seed[:2].tolist())
    nobody = replace(theirs, seed=theirs.seed + np.uint64(2**40))
    one, other = pair(nobody, examples)
    assert one.seed.tolist() == nobody.seed.tolist()
    assert len(other) == 0


def test_matches_are_one_to_one() -> None:
    scene = make_scene()
    near = shake(scene.blocks, 0.005, 0.1)
    matches = match_blocks(near, scene.blocks)
    np.testing.assert_array_equal(matches.found, matches.true)
    assert len(matches.true) == 12
    assert len(match_blocks(shake(scene.blocks, 0.0, 1.2), scene.blocks).true) < 12
    assert len(match_blocks(near.take(np.zeros(0, int)), scene.blocks).true) == 0


@pytest.mark.slow
def test_four_trainings_make_a_detector(debris: Path, tmp_path: Path) -> None:
    job, proposals = DetectorJob.open(Dataset(debris)), None
    files = {preset: tmp_path / f"{preset}.onnx" for preset in DETECTOR_PRESETS}
    for preset, make in DETECTOR_PRESETS.items():
        config = replace(make(), pictures=2, validation_pictures=2, epochs=1, scenes=RECIPE)
        if preset == "rescorer":
            proposals = job.gather_proposals(open_witness(), tmp_path / "proposals", config)  # new nets would propose nothing
        assert len(list(train_detector_net(config, job, files[preset], vote_net=files["vote_net"], proposals=proposals))) == 1
    detector = BlockDetector.from_files(*files.values())
    assert detector.proposal_nets.vote_net.card.dataset["episodes"] == {"train": 12, "val": 8}
    assert len(detector.proposal_nets.slot_classifier.history) == 1
    with pytest.raises(InvalidInput, match=r"not a vote.net"):
        VoteNetModel.from_file(files["slot_classifier"])
    with pytest.raises(InvalidInput, match=r"not a slot.classifier"):
        SlotClassifierModel.from_file(files["vote_net"])
    trials = DetectorTest.list_trials(Dataset(debris), most=2)
    assert [trial.name for trial in trials] == [
        "test", "test-two", "test-light", "test-floors", "test-unseen-floors", *(f"test-from-{low}" for low in (15, 30, 45, 60)),
    ]  # fmt: skip
    rows = [
        row
        for part in DetectorTest(detector=detector, assigner=Assigner.from_file(SHIPPED_ASSIGNMENT)).evaluate(
            trials[:2], resamples=5
        )
        for row in part
    ]
    told = {(row.split, row.head, row.metric): row.value for row in rows}
    assert len(told) == len(rows) == 22
    assert 0 <= told["test", "standing", "auc"] <= 1
    assert 0 <= told["test-two", "fallen", "recall"] <= 1
    assert 0 <= told["test-two", "num_removed", "in_sight"] <= told["test", "num_removed", "in_sight"]  # a second side shows more
    assert told["test", "seconds", "median"] > 0
    scene = make_scene()
    shot = photograph(scene)
    found = detector.detect([Photo(np.zeros((*shot.ids.shape, 3), np.uint8), shot.view.camera)])
    assert np.isfinite(found.logit).all()
    for preset in ("refiner", "rescorer"):
        with pytest.raises(InvalidInput, match=f"a {preset} is trained on"):
            next(train_detector_net(DETECTOR_PRESETS[preset](), job, tmp_path / "other.onnx"))


@pytest.mark.slow
def test_a_training_starts_from_a_model(debris: Path, tmp_path: Path) -> None:
    job, shipped = DetectorJob.open(Dataset(debris)), dict(zip(DETECTOR_PRESETS, list_detector(), strict=True))
    config = replace(
        DETECTOR_PRESETS["vote_net"](), pictures=4, validation_pictures=2, epochs=1, learning_rate=1e-5, scenes=RECIPE
    )
    begun = next(train_detector_net(config, job, tmp_path / "new.onnx"))
    gone_on = next(train_detector_net(config, job, tmp_path / "more.onnx", start=shipped["vote_net"]))
    assert gone_on.losses["val"] < begun.losses["val"] / 2
    with pytest.raises(InvalidInput, match=r"not a vote.net"):
        next(train_detector_net(config, job, tmp_path / "other.onnx", start=shipped["slot_classifier"]))
