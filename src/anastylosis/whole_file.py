"""A file that is there whole or not at all: written under another name, then renamed."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["write_whole"]


@contextmanager
def write_whole(path: Path) -> Iterator[Path]:
    """Give a temporary file beside `path`; it becomes `path` at the end, or is deleted when the body raises.

    The temporary name is hidden and its own for every writer, so two that write the same file cannot mix. Only a process that
    is killed outright leaves it behind (`.name.*.part`). What cannot be written raises `OSError` before the body runs.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.open("xb").close()
    except OSError as error:  # of the file that was meant, not of the hidden one
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        yield part
        with part.open("rb+") as file:  # on disk before it has its name: a power cut leaves no empty file
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
