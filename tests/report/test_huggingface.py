"""The export for Hugging Face, opened with the real package: splits, columns, pixels; resume, and what is refused."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from anastylosis.dataset import Dataset
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering import still_camera
from anastylosis.rendering.look import stone_look
from anastylosis.report.exports.huggingface import COLUMNS, DEPTH_UNIT, encode_depth, export_huggingface, list_features
from anastylosis.report.exports.progress import ExportSettings
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset

SIZE = 96
SPLITS = ("train", "test-tall", "val", "train")
SETTINGS = ExportSettings(size=SIZE)


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Dataset:
    episodes = [played(6, FALLS), played(4, STANDS), played(4, FALLS), played(4, 2, rounds=0)]
    return Dataset(write_dataset(tmp_path_factory.mktemp("dataset") / "games", *episodes, shard=3, split=SPLITS))


@pytest.fixture(scope="module")
def exported(games: Dataset, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "towers"
    assert [tuple(each) for each in export_huggingface(games.folder, out, SETTINGS)][-1] == (4, 4, 4)
    return out


@pytest.fixture(scope="module")
def loaded(exported: Path, tmp_path_factory) -> Iterator[Any]:
    """The folder as `datasets.load_dataset` opens it, with no network and a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
        datasets = pytest.importorskip("datasets")
        datasets.disable_progress_bars()
        yield datasets.load_dataset(str(exported), cache_dir=str(tmp_path_factory.mktemp("cache")))


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_folder_is_laid_out_by_split(exported: Path) -> None:
    splits = ("test_tall", "train", "validation")
    assert sorted(files(exported)) == ["README.md", *(f"data/{split}-00000-of-00001.parquet" for split in splits)]
    assert not any(path.name.startswith(".") for path in exported.iterdir())


def test_splits_are_those_of_the_dataset(loaded: Any, games: Dataset) -> None:
    assert list(loaded) == ["train", "validation", "test_tall"]
    names = {"train": "train", "val": "validation", "test-tall": "test_tall"}
    assert {names[split]: held for split, held in games.splits.items()} == {split: loaded[split]["name"][:] for split in loaded}


def test_rows_hold_what_samples_hold(loaded: Any, games: Dataset) -> None:
    for rows in loaded.values():
        for row in rows:
            sample = games[row["name"]]
            image = sample.draw(SIZE)
            assert image.ids is not None
            assert image.depth is not None
            assert row["rgb"].mode == "RGB"
            np.testing.assert_array_equal(np.asarray(row["rgb"]), image.rgb)
            np.testing.assert_array_equal(np.asarray(row["block_ids"]).astype(int) - 1, image.ids)
            assert np.abs(np.asarray(row["depth"]) * DEPTH_UNIT - image.depth).max() <= DEPTH_UNIT / 2 + 1e-6
            camera = still_camera(SIZE)
            assert row["camera"] == {name: list(told) if isinstance(told, tuple) else told for name, told in vars(camera).items()}
            np.testing.assert_array_equal(row["size"], sample.size)
            for name in ("poses_before", "poses_after"):
                poses = [[np.nan] * 7 if pose is None else pose for pose in row[name]]
                np.testing.assert_array_equal(poses, getattr(sample, name))
            np.testing.assert_array_equal(row["slots"], sample.slots)
            np.testing.assert_array_equal(row["standing"], sample.standing)
            assert {name: row[name] for name in sample.labels} == sample.labels
            assert (row["seed"], row["level"]) == (sample.seed, "nominal")


def test_the_head_of_the_card_says_what_the_files_say(loaded: Any, exported: Path) -> None:
    import datasets
    from huggingface_hub import DatasetCard

    head = DatasetCard.load(exported / "README.md").data.to_dict()
    features = datasets.Features.from_dict(list_features())
    assert loaded["train"].features == features
    assert head["dataset_info"]["features"] == features._to_yaml_list()
    told = {split["name"]: (split["num_examples"], split["num_bytes"]) for split in head["dataset_info"]["splits"]}
    assert {name: count for name, (count, _) in told.items()} == {"train": 2, "validation": 1, "test_tall": 1}
    assert head["dataset_info"]["download_size"] == sum(path.stat().st_size for path in (exported / "data").iterdir())
    assert head["dataset_info"]["dataset_size"] == sum(size for _, size in told.values())
    assert head["size_categories"] == ["n<1K"]
    assert "license" not in head  # it is for whoever publishes the folder


def test_the_card_tells_every_column(exported: Path) -> None:
    text = (exported / "README.md").read_text()
    for name, column in COLUMNS.items():
        assert f"| `{name}` | {column.meaning} |" in text
    assert "4 simulated games" in text
    assert f"{SIZE} x {SIZE} pixels" in text


def test_a_stopped_export_goes_on(games: Dataset, exported: Path, tmp_path: Path) -> None:
    out = tmp_path / "towers"
    progress = export_huggingface(games.folder, out, SETTINGS)
    assert [tuple(next(progress)) for _ in range(2)] == [(0, 4, 0), (2, 4, 2)]
    progress.close()  # type: ignore[attr-defined]
    assert sorted(files(out)) == [".data.part/train-00000-of-00001.parquet"]  # nothing that looks like a finished export
    kept = (out / ".data.part" / "train-00000-of-00001.parquet").stat().st_mtime_ns
    assert [tuple(each) for each in export_huggingface(games.folder, out, SETTINGS)] == [(2, 4, 0), (3, 4, 1), (4, 4, 2)]
    assert (out / "data" / "train-00000-of-00001.parquet").stat().st_mtime_ns == kept
    assert files(out) == files(exported)
    assert [tuple(each) for each in export_huggingface(games.folder, out, SETTINGS)] == [(4, 4, 0)]
    assert files(out) == files(exported)


def test_any_number_of_workers_gives_the_same_bits(games: Dataset, exported: Path, tmp_path: Path) -> None:
    for _ in export_huggingface(games.folder, tmp_path / "towers", ExportSettings(size=SIZE, workers=2)):
        pass
    assert files(tmp_path / "towers") == files(exported)


def test_another_look(games: Dataset, tmp_path: Path) -> None:
    for _ in export_huggingface(games.folder, tmp_path, ExportSettings(size=SIZE, look="stone")):
        pass
    row = pq.read_table(tmp_path / "data" / "validation-00000-of-00001.parquet").to_pylist()[0]
    (tmp_path / "rgb.png").write_bytes(row["rgb"]["bytes"])
    sample = games[row["name"]]
    with Image.open(tmp_path / "rgb.png") as picture:
        np.testing.assert_array_equal(np.asarray(picture), sample.draw(SIZE, look=stone_look(sample.seed % 2**32)).rgb)


def test_exports_are_never_mixed(games: Dataset, exported: Path, tmp_path: Path) -> None:
    out = shutil.copytree(exported, tmp_path / "towers")
    with pytest.raises(InvalidInput, match=r"is of another dataset, or was drawn with other settings; delete .*data, or name"):
        list(export_huggingface(games.folder, out, ExportSettings(size=64)))
    (out / "data" / "train-00001-of-00002.parquet").write_text("not a Parquet file")
    with pytest.raises(InvalidInput, match=r"train-00001-of-00002\.parquet is of another dataset"):
        list(export_huggingface(games.folder, out, SETTINGS))
    (out / "data" / "train-00001-of-00002.parquet").unlink()
    (out / "data" / "train-00000-of-00001.parquet").unlink()
    with pytest.raises(InvalidInput, match=r"train-00000-of-00001\.parquet is missing; delete"):
        list(export_huggingface(games.folder, out, SETTINGS))


def test_a_readme_of_the_user_is_left_alone(games: Dataset, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(InvalidInput, match=r"README\.md is not of an export; move it elsewhere, or name another folder"):
        list(export_huggingface(games.folder, tmp_path, SETTINGS))
    assert files(tmp_path) == {"README.md": b"mine"}


def test_settings_that_cannot_be_drawn(games: Dataset, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="look is 'marble'; choose one of wood, stone, paper"):
        list(export_huggingface(games.folder, tmp_path / "out", ExportSettings(look="marble")))
    with pytest.raises(InvalidConfig, match="size is 3"):
        ExportSettings(size=3)
    assert not (tmp_path / "out").exists()


def test_depth_beyond_what_16_bits_hold_is_none() -> None:
    depth = np.array([[0.0, 1.0, 13.107, 13.2, np.inf]], np.float32)
    assert encode_depth(depth).tolist() == [[0, 5000, 65535, 0, 0]]
