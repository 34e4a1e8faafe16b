"""Episodes on disk: whole, or not there."""

import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from anastylosis.episode import files
from anastylosis.episode.annotation import annotate
from anastylosis.episode.files import is_written, read_annotation, read_episode, read_manifest, write_episode, write_manifest
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


def test_an_episode_comes_back_as_it_was(tmp_path: Path) -> None:
    episode = played(seed=FALLS)
    write_episode(episode, tmp_path, "e0")
    for folder in (tmp_path, str(tmp_path)):
        document, frames = read_episode(folder, "e0")
        assert document == annotate(episode)
        for name, array in episode.frames._asdict().items():
            assert np.array_equal(getattr(frames, name), array), name
            assert getattr(frames, name).dtype == array.dtype, name


@pytest.mark.parametrize("kind", ["json", "npz"])
def test_a_missing_half_is_named(tmp_path: Path, kind: str) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    (tmp_path / f"e0.{kind}").unlink()
    with pytest.raises(InvalidInput, match=rf"e0\.{kind} is not there; an episode is two files"):
        read_episode(tmp_path, "e0")


def arrays(**changes: np.ndarray) -> dict[str, np.ndarray]:
    return played(seed=FALLS).frames._asdict() | changes


WRONG_FRAMES = {
    "other blocks": lambda: arrays(position=np.zeros((5, 7, 3), np.float32)),
    "other type": lambda: arrays(time=arrays()["time"].astype(float)),
    "one too many": lambda: arrays(more=np.zeros(3)),
    "one missing": lambda: {name: array for name, array in arrays().items() if name != "time"},
    "a number": lambda: arrays(time=np.float32(3)),
    "no frames": lambda: {name: array[:0] for name, array in arrays().items()},
    "objects": lambda: arrays(present=np.array([None, {}], dtype=object)),
    "not finite": lambda: arrays(position=np.full_like(arrays()["position"], np.nan)),
}


@pytest.mark.parametrize("name", WRONG_FRAMES)
def test_frames_that_the_document_does_not_promise_are_refused(tmp_path: Path, name: str) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    np.savez(tmp_path / "e0.npz", **WRONG_FRAMES[name]())
    with pytest.raises(InvalidInput, match=r"e0\.npz (does not hold the frames of 18 blocks|has frames that are not finite)"):
        read_episode(tmp_path, "e0")


@pytest.mark.parametrize(
    "break_it", [lambda b: b"", lambda b: b"hello", lambda b: b[: len(b) // 2], lambda b: b[:5000] + bytes(99) + b[5099:]]
)
def test_broken_frames_are_refused(tmp_path: Path, break_it) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    path = tmp_path / "e0.npz"
    path.write_bytes(break_it(path.read_bytes()))
    with pytest.raises(InvalidInput, match=r"e0\.npz is not a file of frames of ours, or is broken"):
        read_episode(tmp_path, "e0")


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    with zipfile.ZipFile(tmp_path / "e0.npz", "w") as archive:
        archive.writestr("time.npy", pickle.dumps([1, 2]))
    with pytest.raises(InvalidInput, match="is not a file of frames of ours"):
        read_episode(tmp_path, "e0")


def test_what_is_too_large_is_refused_before_it_is_read(tmp_path: Path, monkeypatch) -> None:
    episode = played(seed=FALLS)
    write_episode(episode, tmp_path, "e0")
    poses = len(episode.frames.time) * 18
    assert read_episode(tmp_path, "e0", most=poses)
    monkeypatch.setattr(np, "load", None)
    with pytest.raises(InvalidInput, match=f"frames of 18 blocks; to read it, pass most={poses}"):
        read_episode(tmp_path, "e0", most=poses - 1)
    monkeypatch.setattr(files, "BYTES_MAX", 1000)
    with pytest.raises(InvalidInput, match=r"e0\.json has .* bytes; no more than 1,000 are read"):
        read_episode(tmp_path, "e0")


def test_a_document_without_blocks_is_refused(tmp_path: Path) -> None:
    write_episode(played(seed=FALLS), tmp_path, "e0")
    (tmp_path / "e0.json").write_text('{"schema": 1}')
    with pytest.raises(InvalidInput, match=r"e0\.json names no blocks"):
        read_episode(tmp_path, "e0")


def test_seeds_of_a_dataset_are_all_different() -> None:
    seeds = {episode_seed(seed, index) for seed in range(5) for index in range(200)}
    assert len(seeds) == 1000
    assert episode_seed(1, 2) != episode_seed(2, 1)
