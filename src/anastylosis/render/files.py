"""A file that is there whole or not at all: written under another name, then renamed."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anastylosis.errors import InvalidInput

__all__ = ["write_whole"]


@contextmanager
def write_whole(path: str | Path, suffix: str) -> Iterator[Path]:
    """Give a temporary file beside `path`; it becomes `path` at the end, or is deleted when the body raises.

    The temporary name is hidden and its own for every writer, so two that write the same file cannot mix. Only a process that
    is killed outright leaves it behind (`.name.*.part`).
    """
    path = Path(path)
    if path.suffix.lower() != suffix:
        raise InvalidInput(f"{str(path)!r} has to end in {suffix}: nothing else is written here")
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder: name a file in it")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.open("xb").close()
    except FileNotFoundError as error:
        raise InvalidInput(f"the folder {str(path.parent)!r} is not there: make it first") from error
    except OSError as error:
        raise InvalidInput(f"cannot write {str(path)!r}: {error.strerror}") from error
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
