"""Samples: by number, name and slice; arrays that are those of the episode; pictures that models learn from; broken rows."""

import pickle
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset, Recipe, Sample, plan_shot
from anastylosis.dataset.schema import EPISODES, arrow_schema
from anastylosis.dataset.shots import DebrisPose, draw_shot
from anastylosis.episode.annotation import annotate
from anastylosis.errors import InvalidInput
from anastylosis.rendering import still_camera
from anastylosis.rendering.camera import top_camera
from anastylosis.rendering.look import paper_look, stone_look
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset

GAMES = {"nominal_exp_0000": (6, FALLS), "nominal_exp_0001": (4, STANDS), "nominal_exp_0002": (4, FALLS)}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Dataset:
    episodes = [played(*each) for each in GAMES.values()]
    folder = write_dataset(tmp_path_factory.mktemp("dataset") / "games", *episodes, shard=2, split=("train", "val", "train"))
    return Dataset(folder)


def test_samples_by_number_name_and_slice(dataset: Dataset) -> None:
    names = list(GAMES)
    assert (len(dataset), [sample.name for sample in dataset]) == (3, names)
    assert [dataset[number].name for number in (0, 2, -1, -3, np.int64(1))] == [names[i] for i in (0, 2, 2, 0, 1)]
    assert [sample.name for sample in dataset[-2:]] == names[1:]
    assert [sample.name for sample in dataset[::-1]] == names[::-1]
    assert dataset[names[1]].name == names[1]
    assert [sample.name for sample in reversed(dataset)] == names[::-1]  # type: ignore[call-overload]
    assert (repr(dataset[0]), repr(dataset)) == ("Sample('nominal_exp_0000')", f"Dataset('{dataset.folder}': 3 episodes)")


@pytest.mark.parametrize(
    ("which", "error", "message"),
    [
        (3, IndexError, "sample 3 of .* is asked for, and there are 3"),
        (-4, IndexError, "sample -4"),
        (1.0, TypeError, "float"),
        ("low_exp_0000", InvalidInput, "has no episode 'low_exp_0000'; they are named like nominal_exp_0000"),
    ],
)
def test_samples_that_are_not_there(dataset: Dataset, which: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        dataset[which]  # type: ignore[call-overload]


@pytest.mark.parametrize("name", GAMES)
def test_arrays_are_those_of_the_episode(dataset: Dataset, name: str) -> None:
    episode, sample = played(*GAMES[name]), dataset[name]
    labels = episode.labels
    np.testing.assert_array_equal(sample.size, episode.structure.blocks.size)
    for poses, told in ((sample.poses_before, labels.stood), (sample.poses_after, labels.lies)):
        position, orientation = told.seen
        np.testing.assert_array_equal(poses, np.concatenate([position, orientation], axis=1))
    np.testing.assert_array_equal(sample.removed, labels.removed)
    np.testing.assert_array_equal(np.isfinite(sample.poses_before[:, 0]), labels.standing)
    there = sample.slots[sample.slots >= 0]
    assert sorted(there) == np.flatnonzero(sample.standing).tolist()
    assert len(there) == labels.standing.sum()
    for told in (sample.labels, sample.document["labels"]):
        assert (told["friction"], told["removed_count"], told["imbalance"]) == (0.4, labels.removed_count, labels.imbalance)
    assert (sample.labels["failure_layer"], sample.labels["torque_risk"]) == (labels.failure_course, labels.torque_moves)
    assert (sample.labels["collapsed"], sample.labels["ending"]) == (episode.collapsed, episode.ending)
    assert (sample.seed, sample.document) == (episode.seed, annotate(episode))
    for array, kept in zip(sample.frames, episode.frames, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_splits_are_told(dataset: Dataset) -> None:
    assert dataset.splits == {"train": ["nominal_exp_0000", "nominal_exp_0002"], "val": ["nominal_exp_0001"]}
    assert [sample.split for sample in dataset] == ["train", "val", "train"]


def test_the_plain_picture_is_the_one_that_models_learn_from(dataset: Dataset) -> None:
    for sample in dataset:
        scene = DebrisPose(sample.size, sample.poses_before, sample.poses_after)
        learned = draw_shot(scene, plan_shot(Recipe(size=128), sample.seed, 0))
        np.testing.assert_array_equal(sample.draw(128).grey, learned)


def test_pixels_tell_their_block_and_how_far_it_is(dataset: Dataset) -> None:
    sample = dataset[0]
    assert (sample.rgb.shape, sample.rgb.dtype) == ((512, 512, 3), np.uint8)
    assert (sample.block_ids.shape, sample.depth.shape, sample.camera) == ((512, 512), (512, 512), still_camera(512))
    assert sample.rgb is sample.rgb  # drawn once
    seen = set(np.unique(sample.block_ids).tolist()) - {-1}
    assert len(seen) > 10
    assert seen <= set(np.flatnonzero(np.isfinite(sample.poses_after[:, 0])).tolist())
    pixels, depth = sample.camera.project(sample.poses_after[:, :3])
    half = np.linalg.norm(sample.size, axis=1) / 2
    for block in seen:
        rows, columns = np.nonzero(sample.block_ids == block)
        assert np.abs(sample.depth[rows, columns] - depth[block]).max() <= half[block] + 1e-6
        away = np.hypot(columns + 0.5 - pixels[block, 0], rows + 0.5 - pixels[block, 1])
        assert away.max() <= half[block] / (sample.camera.pixel_size * (depth[block] - half[block])) + 1


def test_pictures_of_another_camera_and_look(dataset: Dataset) -> None:
    sample = dataset[0]
    camera = top_camera(96, 64, layers=6)
    image = sample.draw(camera=camera, look=paper_look(), antialias=1, shadows="none")
    assert image.rgb.shape == (64, 96, 3)
    assert (sample.draw(camera=camera).rgb != image.rgb).any()
    stone = stone_look(sample.seed % 2**32)
    np.testing.assert_array_equal(sample.draw(64, look="stone").rgb, sample.draw(64, look=stone).rgb)
    with pytest.raises(InvalidInput, match="look is 'marble'; choose one of wood, stone, paper"):
        sample.draw(look="marble")


def test_a_dataset_keeps_no_samples(dataset: Dataset) -> None:
    first, second = dataset[0], dataset[0]
    assert first is not second
    assert first.row is first.row
    assert all(sample is not other for sample, other in pairwise(dataset))
    assert not any(isinstance(value, Sample) for value in vars(dataset).values())


def test_datasets_and_samples_go_to_other_processes(dataset: Dataset) -> None:
    sample = pickle.loads(pickle.dumps(dataset[2]))
    assert sample.name == "nominal_exp_0002"
    np.testing.assert_array_equal(sample.poses_after, dataset[2].poses_after)


@pytest.mark.parametrize(
    ("column", "value", "message", "ask"),
    [
        ("sizes", None, "sizes does not hold 3 numbers a block", "size"),
        ("sizes", [[0.1, 0.1, 0.1]], "sizes does not hold 3 numbers a block", "size"),
        ("lies_positions", [[0.0, 0.0]] * 12, "lies_positions does not hold 3 numbers a block", "poses_after"),
        ("lies_positions", [[0.0, 0.0, 0.0]] * 12, "are not of the same blocks", "poses_after"),
        ("course", [None] * 12, "course does not hold one item a block", "slots"),
        ("removed", None, "removed does not hold one item a block", "standing"),
    ],
)
def test_a_broken_row_names_its_file_and_what_to_run(
    dataset: Dataset, tmp_path: Path, column: str, value: object, message: str, ask: str
) -> None:
    folder = shutil.copytree(dataset.folder, tmp_path / "bad")
    path = folder / "episodes" / "nominal_000002-000002.parquet"
    row = pq.read_table(path).to_pylist()[0]
    pq.write_table(pa.Table.from_pylist([row | {column: value}], arrow_schema(EPISODES)), path)
    sample = Dataset(folder)[2]
    if message == "are not of the same blocks":
        sample.row["lies_quaternions"][0] = None
    with pytest.raises(InvalidInput, match=message) as caught:
        getattr(sample, ask)
    assert f"{path}, nominal_exp_0002" in str(caught.value)
    assert str(caught.value).endswith(f"run `anastylosis verify {folder}`")


def test_a_shard_with_other_episodes_in_it(dataset: Dataset, tmp_path: Path) -> None:
    folder = shutil.copytree(dataset.folder, tmp_path / "bad")
    rows = pq.read_table(folder / "episodes" / "nominal_000000-000001.parquet").slice(0, 1)
    pq.write_table(rows, folder / "episodes" / "nominal_000002-000002.parquet")
    with pytest.raises(InvalidInput, match="it does not hold nominal_exp_0002 once; run `anastylosis verify"):
        _ = Dataset(folder)[2].size
