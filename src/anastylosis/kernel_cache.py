"""Cache of compiled kernels, keyed by room, by the kernels' source and by numba's version.

With numba's own cache a caller keeps old machine code after a callee in another file changes, so every
version of the sources of a room gets a directory of its own; rooms with kernels never import each other, so
an edit in one leaves the others compiled. Nothing here imports numba: `anastylosis doctor` looks without it.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

__all__ = ["cache_directory", "compile_kernels", "is_compiled", "mark_compiled", "prepare_cache", "room_of", "warm_room"]

PACKAGE = Path(__file__).parent
KERNEL_ROOMS = ("physics", "rendering")
PARTS = {"physics": ("contacts", "solvers")}  # of a room, that two processes compile at the same time: see its `warm_up`
OUTSIDE = "outside"  # the kernels of tests and scripts, which may call those of every room
KEEP_CACHES = 3  # generations of compiled kernels of a room kept on disk; older ones are deleted
# numba keeps the machine code of every clone and installation of these sources apart, so each has its own mark.
COMPILED_MARK = f"compiled-{hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:16]}"


def room_of(module: str) -> str:
    """Return the room of the module of this name: "anastylosis.physics.step" is in "physics"."""
    names = module.split(".")
    return names[1] if names[0] == PACKAGE.name and len(names) > 1 and names[1] in KERNEL_ROOMS else OUTSIDE


@cache
def cache_directory(room: str) -> Path:
    """Return the folder for the machine code of exactly these sources, for this numba; it may not exist yet."""
    rooms = KERNEL_ROOMS if room == OUTSIDE else (room,)
    digest = hashlib.sha256(metadata.version("numba").encode())
    for source in [PACKAGE / "kernel.py", *(path for name in rooms for path in sorted((PACKAGE / name).glob("*.py")))]:
        digest.update(source.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anastylosis" / f"{room}-{digest.hexdigest()[:16]}"


@cache
def prepare_cache(room: str) -> Path:
    """Make the cache directory of a room if need be, delete old generations, and return it."""
    directory = cache_directory(room)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        prune_caches(directory.parent, room)
        if not os.access(directory, os.W_OK):
            raise PermissionError(directory)
    except OSError:  # a home that cannot be written, or another user's cache: compile into a folder of this process
        directory = Path(tempfile.mkdtemp(prefix="anastylosis-kernels-"))
    return directory


def prune_caches(parent: Path, room: str) -> None:
    """Delete all but the newest generations of compiled kernels of a room."""
    generations = sorted(parent.glob(f"{room}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in generations[KEEP_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)


def is_compiled(room: str) -> bool:
    """Return True when the kernels of this source, at this place, are already on disk."""
    return (cache_directory(room) / COMPILED_MARK).exists()


def mark_compiled(room: str) -> None:
    """Note that the kernels are on disk; where nothing can be written, nothing is noted."""
    if not is_compiled(room):
        with suppress(OSError):
            (prepare_cache(room) / COMPILED_MARK).touch()


def compile_kernels(execute: Callable[..., Iterator[Any]]) -> None:
    """Compile missing kernels, several processes side by side, before all of them need them. The first run takes about a minute.

    Parts of a room come first, then what puts them together, beside the rooms that have no parts.
    """
    missing = [room for room in KERNEL_ROOMS if not is_compiled(room)]
    parts = [(room, part) for room in missing for part in PARTS.get(room, ())]
    for jobs in (parts, [(room, None) for room in missing]):
        for _ in execute(warm_part, jobs) if jobs else ():
            pass


def warm_part(job: tuple[str, str | None]) -> None:
    """Compile one part of a room."""
    room, part = job
    if part is None:
        warm_room(room)
    else:
        import_module(f"anastylosis.{room}").warm_up(part)


def warm_room(room: str) -> None:
    """Compile the kernels of a room."""
    import_module(f"anastylosis.{room}").warm_up()
