"""A file that is there whole or not at all: written under another name, then renamed; and the hash of a whole file."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

from anastylosis.machine import WINDOWS, has_locks, lock_file

__all__ = ["delete_abandoned", "hash_file", "write_whole"]

ENDING = ".anastylosis.part"


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path`; it becomes `path` at the end, or is deleted when the body raises.

    The temporary name is hidden and its own for every writer, so two that write the same file cannot mix. A process that is
    killed outright leaves it behind (`.name.*.anastylosis.part`); the next one that writes to the folder deletes it. What
    cannot be written raises `OSError` before the body runs.
    """
    sweep(path.parent.absolute())
    part, held = open_part(path)
    try:
        with held:
            yield part
            os.fsync(held.fileno())  # on disk before it has its name: a power cut leaves no empty file
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def open_part(path: Path) -> tuple[Path, IO[bytes]]:
    """Open a new temporary file beside `path`, locked."""
    while True:
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}{ENDING}")
        try:
            held = part.open("xb")
        except OSError as error:  # of the file that was meant, not of the hidden one
            raise OSError(error.errno, error.strerror, str(path)) from error
        with suppress(OSError):  # a file system without locks: nobody can lock it, so nobody deletes it
            lock_file(held, wait=True)
        if part.exists():
            return part, held
        held.close()  # taken for abandoned before it was locked


@cache
def sweep(folder: Path) -> None:
    """Run `delete_abandoned`, once a process."""
    delete_abandoned(folder)


def delete_abandoned(folder: Path) -> None:
    """Delete the temporary files in a folder whose writers are dead: nobody holds their locks."""
    for part in folder.glob(f".*{ENDING}") if has_locks() else ():
        with suppress(OSError):  # another one deletes it just now, or its writer lives
            with part.open("rb") as held:
                lock_file(held, wait=False)
                if not WINDOWS:
                    part.unlink()
            if WINDOWS:  # which deletes no file that is open
                part.unlink()
