"""Where the compiled kernels are kept, keyed by the kernels' source and numba's version.

With numba's own cache a caller keeps old machine code after a callee in another file changes, so every
version of the sources gets a directory of its own. Nothing here imports numba: `anastylosis doctor` looks
without it.
"""

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

__all__ = ["cache_directory", "is_compiled", "mark_compiled", "prepare_cache"]

KERNEL_ROOM = Path(__file__).parent / "physics"
KEEP_CACHES = 3  # generations of compiled kernels kept on disk; older ones are deleted
COMPILED_MARK = "compiled"


@cache
def cache_directory() -> Path:
    """Where the machine code of exactly these sources, for this numba, is kept; it may not exist yet."""
    digest = hashlib.sha256(metadata.version("numba").encode())
    for source in sorted(KERNEL_ROOM.glob("*.py")):
        digest.update(source.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anastylosis" / f"kernels-{digest.hexdigest()[:16]}"


@cache
def prepare_cache() -> Path:
    """The cache directory, made if need be, with old generations deleted."""
    directory = cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        prune_caches(directory.parent)
    except OSError:  # a read-only home: compile into a folder of this process
        directory = Path(tempfile.mkdtemp(prefix="anastylosis-kernels-"))
    return directory


def prune_caches(parent: Path) -> None:
    """Delete all but the newest generations of compiled kernels."""
    generations = sorted(parent.glob("kernels-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in generations[KEEP_CACHES:]:
        shutil.rmtree(old, ignore_errors=True)


def is_compiled() -> bool:
    """True when the kernels of this source are already on disk."""
    return (cache_directory() / COMPILED_MARK).exists()


def mark_compiled() -> None:
    """Remember that the kernels of this source are on disk; where nothing can be written, nothing is remembered."""
    if not is_compiled():
        with suppress(OSError):
            (prepare_cache() / COMPILED_MARK).touch()
