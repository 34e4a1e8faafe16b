"""Page folder: where all visitors of one page have theirs. What a killed page left behind is deleted by the next one."""

import os
import re
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from anastylosis.machine import lock_file, own_user

PREFIX = "anastylosis-page-"
NAME = re.compile(rf"{PREFIX}(\d+)-(\d+)-\w+", re.ASCII)  # process, when it started, and what keeps two apart
LOCK = "lock"
STARTED = 19  # place of the start time after the name of a process, in Linux's /proc/N/stat


class PageFolder:
    """A folder of this process, locked as long as it lives."""

    def __init__(self) -> None:
        sweep(Path(tempfile.gettempdir()))
        number = os.getpid()
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{number}-{find_start(number) or 0}-"))
        self.lock = (self.path / LOCK).open("xb")
        with suppress(OSError):  # a file system without locks
            lock_file(self.lock, wait=False)

    def close(self) -> None:
        self.lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def sweep(parent: Path) -> list[Path]:
    """Delete the folders that pages of this user left when they were killed; return them."""
    left = [path for path in parent.glob(f"{PREFIX}*") if is_abandoned(path)] if own_user() is not None else []
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return left


def is_abandoned(path: Path) -> bool:
    """Return whether a folder is ours by name and owner, its process is gone, and nobody holds its lock.

    The lock tells of pages in other containers, whose processes cannot be seen from here.
    """
    name = NAME.fullmatch(path.name)
    try:
        owner = path.lstat().st_uid
        if name is None or path.is_symlink() or not path.is_dir() or owner != own_user():
            return False
        return not is_alive(int(name[1]), int(name[2])) and not is_locked(path / LOCK)
    except OSError:  # gone meanwhile, or not ours to see
        return False


def is_alive(number: int, start: int) -> bool:
    """Return whether the process of this number still is the one that started then; 0: nobody knows when."""
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # of another user, so it is not the one
        return False
    now = find_start(number)
    return not start or now is None or now == start


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock; a folder without one was left before it was locked."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        try:
            lock_file(file, wait=False)
        except OSError:
            return True
    return False


def find_start(number: int) -> int | None:
    """Return when a process started, in ticks since the machine did; None: this system does not tell."""
    try:
        status = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace")
        return int(status.rpartition(")")[2].split()[STARTED])
    except (OSError, ValueError, IndexError):
        return None
