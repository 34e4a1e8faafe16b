"""Compiled kernels: one directory for each source, announced once, never compiled twice."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anastylosis
from anastylosis.kernel_cache import COMPILED_MARK, KEEP_CACHES, cache_directory, prune_caches
from anastylosis.physics import warm_up

PACKAGE = Path(anastylosis.__file__).parent
# Two simulations in one process; prints the kernels that numba had to compile.
TINY = """
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
from anastylosis.physics import Simulation
from anastylosis.structure import jenga_tower
for _ in range(2):
    Simulation(jenga_tower(1)).run(0.01)
print(sorted({str(e.data["dispatcher"]) for _, e in recorder.buffer}))
"""


def run_python(code: str, *, package: Path = PACKAGE, **environment: str) -> subprocess.CompletedProcess[str]:
    words = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env=words, check=True)


def directory_of(package: Path, **environment: str) -> Path:
    code = "from anastylosis.kernel_cache import cache_directory; print(cache_directory())"
    return Path(run_python(code, package=package, **environment).stdout.strip())


@pytest.fixture(scope="module")
def compiled() -> Path:
    """The cache directory of this source, filled."""
    warm_up()
    return cache_directory()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package, copied elsewhere."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "elsewhere" / "anastylosis", ignore=shutil.ignore_patterns("__pycache__")))


def test_the_same_source_has_the_same_directory(copy: Path) -> None:
    assert directory_of(copy) == directory_of(PACKAGE) == cache_directory()


@pytest.mark.parametrize("name", sorted(path.name for path in (PACKAGE / "physics").glob("*.py")))
def test_every_kernel_file_is_in_the_key(monkeypatch, copy: Path, name: str) -> None:
    monkeypatch.setattr("anastylosis.kernel_cache.KERNEL_ROOM", copy / "physics")
    before = cache_directory.__wrapped__()
    source = copy / "physics" / name
    source.write_text(source.read_text(encoding="utf-8") + "\nCONSTANT = 1.0\n", encoding="utf-8")
    assert cache_directory.__wrapped__() != before


def test_a_changed_constant_has_another_directory(copy: Path) -> None:
    source = copy / "physics" / "box_box.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("PREFERENCE = ", "PREFERENCE = 2 * "), encoding="utf-8")
    assert source.read_text(encoding="utf-8") != text
    changed = directory_of(copy)
    assert changed != cache_directory()
    assert changed.parent == cache_directory().parent


def test_the_user_may_say_where_it_is(tmp_path: Path) -> None:
    assert directory_of(PACKAGE, NUMBA_CACHE_DIR=str(tmp_path)).parent == tmp_path / "anastylosis"
    assert directory_of(PACKAGE, NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path)).parent == tmp_path / "anastylosis"


def test_nothing_is_compiled_the_second_time(compiled: Path) -> None:
    done = run_python(TINY)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_first_use_says_so_once(compiled: Path, tmp_path: Path) -> None:
    # The compiled kernels without the mark that they are complete: as good as new, and no minute of waiting.
    fresh = tmp_path / "anastylosis" / compiled.name
    shutil.copytree(compiled, fresh, ignore=shutil.ignore_patterns("*.tmp.*"))  # another test may be compiling
    (fresh / COMPILED_MARK).unlink()
    first = run_python(TINY, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("compiling") == 1
    assert len(first.stderr.splitlines()) == 1
    assert first.stdout.strip() == "[]"  # they were found in the copy
    assert (fresh / COMPILED_MARK).exists()
    again = run_python(TINY, NUMBA_CACHE_DIR=str(tmp_path))
    assert again.stderr == ""


def test_a_home_that_cannot_be_written_is_no_obstacle(compiled: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    code = "from anastylosis.kernel_cache import prepare_cache; print(prepare_cache())"
    done = run_python(code, NUMBA_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert Path(done.stdout.strip()).parent == tmp_path
    assert Path(done.stdout.strip()).is_dir()


def test_doctor_knows_whether_kernels_are_compiled(compiled: Path, tmp_path: Path) -> None:
    code = "from anastylosis.cli.doctor import describe_machine; print(describe_machine()['kernels_compiled'])"
    assert run_python(code).stdout.strip() == "True"
    assert run_python(code, NUMBA_CACHE_DIR=str(tmp_path)).stdout.strip() == "False"
    assert not (tmp_path / "anastylosis").exists()  # it only looked


def test_old_generations_are_deleted(tmp_path: Path) -> None:
    for age in range(KEEP_CACHES + 2):
        generation = tmp_path / f"kernels-{age}"
        generation.mkdir()
        os.utime(generation, (1e9 - age, 1e9 - age))
    (tmp_path / "else").mkdir()
    prune_caches(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["else", *(f"kernels-{age}" for age in range(KEEP_CACHES))]
