"""Page folder: what killed pages leave is swept away, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anastylosis.web.page_folder import PREFIX, PageFolder, find_start, is_alive, sweep

PAGE = """
import sys
from anastylosis.web.page_folder import PageFolder
folder = PageFolder()
(folder.path / "visitor").mkdir()
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def make(parent: Path, name: str) -> Path:
    path = parent / name
    (path / "visitor").mkdir(parents=True)
    return path


def test_the_folder_of_a_killed_page_is_swept_by_the_next_one_and_that_of_a_living_one_is_not(temporary: Path) -> None:
    environment = os.environ | {"TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", PAGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as page:
        left = Path(page.stdout.readline().strip())
        assert left.parent == temporary
        assert sweep(temporary) == []
        page.kill()
        page.wait()
    assert left.exists()
    ours = PageFolder()
    assert not left.exists()
    assert list(temporary.iterdir()) == [ours.path]
    assert sweep(temporary) == []
    ours.close()
    assert list(temporary.iterdir()) == []


def test_what_is_not_ours_by_its_name_is_left_alone(temporary: Path) -> None:
    for name in (f"{PREFIX}old", f"{PREFIX}1-x-abc", "anastylosis-kernels-abc", "anastylosis-99999999-1-abc"):
        make(temporary, name)
    (temporary / f"{PREFIX}99999999-1-file").touch()
    aside = make(temporary, "aside")
    (temporary / f"{PREFIX}99999999-1-link").symlink_to(aside)
    before = sorted(temporary.rglob("*"))
    assert sweep(temporary) == []
    assert sorted(temporary.rglob("*")) == before


def test_what_is_not_ours_by_its_owner_is_left_alone(temporary: Path, monkeypatch) -> None:
    left = make(temporary, f"{PREFIX}99999999-1-abc")
    monkeypatch.setattr("os.getuid", lambda: left.stat().st_uid + 1)
    assert sweep(temporary) == []
    monkeypatch.undo()
    assert sweep(temporary) == [left]


def test_a_page_whose_process_cannot_be_seen_still_has_its_lock(temporary: Path) -> None:
    """A container has processes of its own, and may share its temporary folder."""
    ours = PageFolder()
    hidden = ours.path.rename(temporary / f"{PREFIX}99999999-1-abc")
    assert sweep(temporary) == []
    ours.lock.close()
    assert sweep(temporary) == [hidden]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system does not tell when a process started")
def test_a_process_that_has_got_the_number_of_another_is_not_taken_for_it() -> None:
    start = find_start(os.getpid())
    assert start is not None
    assert is_alive(os.getpid(), start)
    assert not is_alive(os.getpid(), start + 1)
    assert is_alive(os.getpid(), 0)  # nobody knows when it started
    assert not is_alive(10**30, 1)
