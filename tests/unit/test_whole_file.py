"""Files that are there whole or not at all."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.whole_file import sweep, write_whole


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


def write_and_hang(path: Path) -> subprocess.Popen:
    """A process that is in the middle of writing a file."""
    code = """
import sys, time
from pathlib import Path
from anastylosis.whole_file import write_whole
with write_whole(Path(sys.argv[1])) as part:
    print(part, flush=True)
    time.sleep(60)
"""
    return subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)


def test_a_file_that_is_taken_for_abandoned_before_it_is_locked_is_made_anew(tmp_path: Path, monkeypatch) -> None:
    taken = []

    def be_late(file, *, wait: bool) -> None:
        if not taken:
            taken.append(Path(file.name))
            taken[0].unlink()

    monkeypatch.setattr("anastylosis.whole_file.lock_file", be_late)
    with write_whole(tmp_path / "a.txt") as part:
        part.write_text("content")
    assert part != taken[0]
    assert (tmp_path / "a.txt").read_text() == "content"


def test_what_a_killed_writer_left_is_deleted_and_what_a_live_one_writes_is_not(tmp_path: Path) -> None:
    others = tmp_path / ".mine.part"
    others.touch()
    with write_and_hang(tmp_path / "dead.txt") as dead, write_and_hang(tmp_path / "alive.txt") as alive:
        left, written = (Path(writer.stdout.readline().strip()) for writer in (dead, alive))
        dead.send_signal(signal.SIGKILL)
        dead.wait(timeout=30)
        assert left.exists()
        sweep.cache_clear()
        with write_whole(tmp_path / "a.txt"):
            assert not left.exists()
            assert written.exists()
        alive.kill()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted((others.name, written.name, "a.txt"))
