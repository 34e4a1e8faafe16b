"""Compiled kernels: one directory for each room and source, announced once, never compiled twice."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import anastylosis
from anastylosis import physics, rendering
from anastylosis.kernel_cache import (
    COMPILED_MARK,
    KEEP_CACHES,
    KERNEL_ROOMS,
    OUTSIDE,
    PARTS,
    cache_directory,
    prune_caches,
    room_of,
)

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


def run_python(code: str, *words: str, package: Path = PACKAGE, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = os.environ | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=settings, check=True)


def directory_of(package: Path, **environment: str) -> Path:
    code = "from anastylosis.kernel_cache import cache_directory; print(cache_directory('physics'))"
    return Path(run_python(code, package=package, **environment).stdout.strip())


@pytest.fixture(scope="module")
def compiled() -> Path:
    """The cache directory of this source, filled, as that of the pictures is."""
    physics.warm_up()
    rendering.warm_up()
    return cache_directory("physics")


@pytest.fixture
def cached(compiled: Path, tmp_path: Path) -> Path:
    """The compiled kernels without the marks that they are complete: as good as new, and no minute of waiting."""
    for room in KERNEL_ROOMS:
        fresh = tmp_path / "cache" / "anastylosis" / cache_directory(room).name
        # another test may be compiling
        shutil.copytree(cache_directory(room), fresh, ignore=shutil.ignore_patterns("*.tmp.*", COMPILED_MARK))
    return tmp_path / "cache"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package, copied elsewhere."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "elsewhere" / "anastylosis", ignore=shutil.ignore_patterns("__pycache__")))


def test_the_same_source_has_the_same_directory(copy: Path) -> None:
    assert directory_of(copy) == directory_of(PACKAGE) == cache_directory("physics")


def edited_rooms(monkeypatch, copy: Path, name: str) -> set[str]:
    """The rooms that get another directory when this file changes."""
    monkeypatch.setattr("anastylosis.kernel_cache.PACKAGE", copy)
    rooms = [*KERNEL_ROOMS, OUTSIDE]
    before = [cache_directory.__wrapped__(room) for room in rooms]
    source = copy / name
    source.write_text(source.read_text(encoding="utf-8") + "\nCONSTANT = 1.0\n", encoding="utf-8")
    return {room for room, old in zip(rooms, before, strict=True) if cache_directory.__wrapped__(room) != old}


KERNEL_FILES = sorted((room, path.name) for room in KERNEL_ROOMS for path in (PACKAGE / room).glob("*.py"))


@pytest.mark.parametrize(("room", "name"), KERNEL_FILES, ids=[f"{room}/{name}" for room, name in KERNEL_FILES])
def test_every_kernel_file_is_in_the_key_of_its_room_alone(monkeypatch, copy: Path, room: str, name: str) -> None:
    assert edited_rooms(monkeypatch, copy, f"{room}/{name}") == {room, OUTSIDE}


def test_the_decorators_are_in_every_key(monkeypatch, copy: Path) -> None:
    assert edited_rooms(monkeypatch, copy, "kernel.py") == {*KERNEL_ROOMS, OUTSIDE}


def test_files_without_kernels_are_in_no_key(monkeypatch, copy: Path) -> None:
    assert edited_rooms(monkeypatch, copy, "structure/tower.py") == set()


@pytest.mark.parametrize("room", KERNEL_ROOMS)
def test_a_kernel_is_kept_with_its_room(room: str) -> None:
    assert room_of(f"anastylosis.{room}.step") == room
    assert room_of(f"elsewhere.{room}.step") == room_of("anastylosis.structure.tower") == room_of("worlds") == OUTSIDE


def test_a_changed_constant_has_another_directory(copy: Path) -> None:
    source = copy / "physics" / "box_box.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("PREFERENCE = ", "PREFERENCE = 2 * "), encoding="utf-8")
    assert source.read_text(encoding="utf-8") != text
    changed = directory_of(copy)
    assert changed != cache_directory("physics")
    assert changed.parent == cache_directory("physics").parent


def test_the_user_may_say_where_it_is(tmp_path: Path) -> None:
    assert directory_of(PACKAGE, NUMBA_CACHE_DIR=str(tmp_path)).parent == tmp_path / "anastylosis"
    assert directory_of(PACKAGE, NUMBA_CACHE_DIR="", XDG_CACHE_HOME=str(tmp_path)).parent == tmp_path / "anastylosis"


def test_nothing_is_compiled_the_second_time(compiled: Path) -> None:
    done = run_python(TINY)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_first_use_says_so_once(cached: Path) -> None:
    first = run_python(TINY, NUMBA_CACHE_DIR=str(cached))
    assert first.stderr.count("compiling") == 1
    assert len(first.stderr.splitlines()) == 1
    assert first.stdout.strip() == "[]"  # they were found in the copy
    assert (cached / "anastylosis" / cache_directory("physics").name / COMPILED_MARK).exists()
    again = run_python(TINY, NUMBA_CACHE_DIR=str(cached))
    assert again.stderr == ""


@pytest.mark.parametrize("room", KERNEL_ROOMS)
def test_another_clone_of_the_same_source_is_not_compiled(compiled: Path, copy: Path, room: str) -> None:
    # numba looks for machine code by the place of the source: the first use in a second clone compiles all of it anew.
    code = f"from anastylosis.kernel_cache import is_compiled; print(is_compiled({room!r}))"
    assert run_python(code).stdout.strip() == "True"
    assert run_python(code, package=copy).stdout.strip() == "False"


def test_the_command_line_says_that_it_compiles_when_piped(tmp_path: Path, cached: Path) -> None:
    code = "from anastylosis.cli import main; main()"
    simulate = run_python(code, "simulate", str(tmp_path / "games"), "--layers", "3", NUMBA_CACHE_DIR=str(cached))
    assert simulate.stderr.count("compiling the physics kernels") == 1
    render = run_python(code, "render", str(tmp_path / "games"), "--size", "64", NUMBA_CACHE_DIR=str(cached))
    assert render.stderr.count("compiling the rendering kernels") == 1


def test_a_home_that_cannot_be_written_is_no_obstacle(compiled: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    code = "from anastylosis.kernel_cache import prepare_cache; print(prepare_cache('physics'))"
    done = run_python(code, NUMBA_CACHE_DIR=str(blocked), TMPDIR=str(tmp_path))
    assert Path(done.stdout.strip()).parent == tmp_path
    assert Path(done.stdout.strip()).is_dir()


def test_doctor_knows_whether_kernels_are_compiled(compiled: Path, tmp_path: Path) -> None:
    code = "from anastylosis.cli.doctor import describe_machine; print(describe_machine()['kernels_compiled'])"
    assert run_python(code).stdout.strip() == "True"
    assert run_python(code, NUMBA_CACHE_DIR=str(tmp_path)).stdout.strip() == "False"
    assert not (tmp_path / "anastylosis").exists()  # it only looked


@pytest.mark.parametrize("room", KERNEL_ROOMS)
def test_doctor_compiles_what_is_not_compiled(call_main, capsys, monkeypatch, room: str) -> None:
    warmed: list[str] = []
    for module in (physics, rendering):
        monkeypatch.setattr(module, "warm_up", lambda part=None, name=module.__name__: warmed.append(part or name))
    monkeypatch.setattr("anastylosis.kernel_cache.is_compiled", lambda other: other != room)
    monkeypatch.setattr("anastylosis.cli.doctor.count_cores", lambda: 1)  # so in this process
    assert call_main("doctor --warm --json") == 0
    assert warmed == [*PARTS.get(room, ()), f"anastylosis.{room}"]
    assert json.loads(capsys.readouterr().out)["machine"]["warm_up_seconds"] >= 0


def test_old_generations_of_the_room_are_deleted(tmp_path: Path) -> None:
    for age in range(KEEP_CACHES + 2):
        generation = tmp_path / f"physics-{age}"
        generation.mkdir()
        os.utime(generation, (1e9 - age, 1e9 - age))
    (tmp_path / "else-0").mkdir()
    prune_caches(tmp_path, "physics")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["else-0", *(f"physics-{age}" for age in range(KEEP_CACHES))]
