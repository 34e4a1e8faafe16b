"""Episodes on disk: whole, or not there."""

import json
from pathlib import Path

import numpy as np
import pytest

from anastylosis.episode import files
from anastylosis.episode.annotation import annotate
from anastylosis.episode.files import is_written, read_annotation, read_manifest, write_episode, write_manifest
from anastylosis.episode.play import episode_seed
from anastylosis.errors import InvalidInput
from games import FALLS, played


def test_an_episode_is_written_whole(tmp_path: Path) -> None:
    episode = played(seed=FALLS)
    assert not is_written(tmp_path, "e7")
    write_episode(episode, tmp_path, "e7")
    assert is_written(tmp_path, "e7")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e7.json", "e7.npz"]  # nothing in parts
    assert json.loads((tmp_path / "e7.json").read_text()) == annotate(episode)
    with np.load(tmp_path / "e7.npz", allow_pickle=False) as arrays:
        for name, array in episode.frames._asdict().items():
            assert np.array_equal(arrays[name], array), name
            assert arrays[name].dtype == array.dtype, name


def test_a_half_written_episode_is_not_there(tmp_path: Path, monkeypatch) -> None:
    def power_cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "annotate", power_cut)
        with pytest.raises(KeyboardInterrupt):
            write_episode(played(seed=FALLS), tmp_path, "e0")
    assert not is_written(tmp_path, "e0")  # the frames are there, and are not taken for the whole
    write_episode(played(seed=FALLS), tmp_path, "e0")
    assert is_written(tmp_path, "e0")
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("left", [".e0.json.5eed.part", ".e0.npz.5eed.part", "e0.npz"])
def test_what_a_killed_run_left_is_not_an_episode(tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_bytes(b'{"schema"')
    assert not is_written(tmp_path, "e0")
    write_episode(played(seed=FALLS), tmp_path, "e0")
    assert json.loads((tmp_path / "e0.json").read_text())["seed"] == FALLS


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    assert read_manifest(folder) == {}
    manifest = {"low": {"version": "1", "seed": 3, "config": {"friction": 0.25}}}
    write_manifest(folder, manifest)
    assert read_manifest(folder) == manifest
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


NO_DOCUMENTS = [b"", b"{", b"[1, 2]", b"null", b"\xff\xfe", b"[" * 100_000]


@pytest.mark.parametrize("content", [*NO_DOCUMENTS, b'{"name": "an app"}', b'{"low": {"seed": 1}}'])
def test_a_file_that_is_no_manifest_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"manifest\.json is not a .*name another folder"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("content", [*NO_DOCUMENTS, b"{}", b'{"schema": 0}'])
def test_a_file_that_is_no_annotation_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "e0.json").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"e0\.json is not a.*delete it, or name another folder"):
        read_annotation(tmp_path, "e0")


def test_an_annotation_without_its_frames_is_played_again(tmp_path: Path) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    assert read_annotation(tmp_path, "e0")["seed"] == FALLS
    (tmp_path / "e0.npz").unlink()
    assert not is_written(tmp_path, "e0")


def test_seeds_of_a_dataset_are_all_different() -> None:
    seeds = {episode_seed(seed, index) for seed in range(5) for index in range(200)}
    assert len(seeds) == 1000
    assert episode_seed(1, 2) != episode_seed(2, 1)
