"""Files that are written and must not take the place of others unasked: `--force`."""

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
