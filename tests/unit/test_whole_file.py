"""Files that are there whole or not at all."""

import os
from pathlib import Path

import pytest

from anastylosis.whole_file import write_whole


def test_the_file_appears_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")
    with write_whole(path) as part:
        part.write_text("after")
        assert path.read_text() == "before"
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_a_body_that_raises_leaves_what_was_there(tmp_path: Path, stop: type[BaseException]) -> None:
    path = tmp_path / "a.txt"
    path.write_text("before")

    def fail(part: Path) -> None:
        part.write_text("half")
        raise stop

    with pytest.raises(stop), write_whole(path) as part:
        fail(part)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with write_whole(path) as first, write_whole(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first"  # it ended last
    assert list(tmp_path.iterdir()) == [path]


def test_the_content_is_on_disk_before_the_name(tmp_path: Path, monkeypatch) -> None:
    steps = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: (steps.append("sync"), fsync(file)))
    monkeypatch.setattr(Path, "replace", lambda self, to: (steps.append("rename"), replace(self, to)))
    with write_whole(tmp_path / "a.txt") as part:
        part.write_text("content")
    assert steps == ["sync", "rename"]


def test_a_folder_that_is_not_there_is_named_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"'[^']*/nowhere/a\.txt'$"), write_whole(tmp_path / "nowhere" / "a.txt"):
        pytest.fail("the body must not run")
