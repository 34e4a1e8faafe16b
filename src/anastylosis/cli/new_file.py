"""Files and folders that a command will write, refused before any work; and `--force`, without which none is written over."""

import os
from pathlib import Path
from typing import Annotated

import typer

from anastylosis.errors import InvalidInput

Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]


def check_new_file(path: Path, force: bool) -> None:
    """Raise when there is something of that name that was not to be written over."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise InvalidInput(f"{path} is there already; name another file, or write over it with --force")


def check_out_file(path: Path, *endings: str) -> None:
    """Raise when a file of this name cannot be written: it is a folder, ends otherwise, or there is no place for it."""
    if path.is_dir():
        raise InvalidInput(f"--out is {path}, a folder; name a file")
    if endings and path.suffix.lower() not in endings:
        raise InvalidInput(f"--out is {path}; name a file that ends in {' or '.join(endings)}")
    if path.exists() and not os.access(path, os.W_OK):
        raise InvalidInput(f"--out is {path}, which may not be written; name another file")
    check_place(path, path.absolute().parent)


def check_out_folder(path: Path) -> None:
    """Raise when there can be no folder of this name."""
    check_place(path, path.absolute())


def check_place(out: Path, folder: Path) -> None:
    """Raise when a folder is not there and cannot be made, or may not be written to."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir():
        raise InvalidInput(f"--out is {out}, and {there} is a file; name another place")
    if not os.access(there, os.W_OK):
        raise InvalidInput(f"--out is {out}, and {there} may not be written to; name another place")
