"""Cache files: detection takes longer than training on its results, so these are kept on disk, part by part."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from anastylosis import __version__
from anastylosis.errors import InvalidInput
from anastylosis.whole_file import write_whole

ABOUT, FORMAT = "about.json", 5
PART = 50  # collapses in one file
Item = TypeVar("Item")
Arrays = Mapping[str, NDArray[Any]]


class CachePart(NamedTuple):
    """One file of a cache, and what computes it."""

    name: str
    compute: Callable[[], Arrays]


def read_cache(
    folder: Path, parts: Iterable[CachePart], identity: Mapping[str, Any], build: Callable[[Arrays], list[Item]],
    progress: Callable[[int], None] | None = None,
) -> list[Item]:  # fmt: skip
    """Return all items, as `build` makes them of the files in `folder`; files that are there are not computed again.

    `identity` says whose they are; a folder of another training is refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    claim(folder, {**identity, "version": __version__, "format": FORMAT})
    items: list[Item] = []
    for number, part in enumerate(parts):
        path = folder / f"{part.name}.npz"
        if not path.is_file():
            store(path, part.compute())
        items += restore(path, build)
        if progress:
            progress(number + 1)
    return items


def claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Write down to which training this folder belongs; raise when it is another's."""
    path, mine = folder / ABOUT, json.loads(json.dumps(identity))
    if path.is_file():
        try:
            theirs = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{path} cannot be read ({error!s:.100}); delete {folder}, and it is made again") from error
        if theirs != mine:
            raise InvalidInput(
                f"{folder} holds proposals or detections of another training; delete it, or name another file with --out"
            )
        return
    if any(folder.glob("*.npz")):
        raise InvalidInput(
            f"{folder} holds proposals or detections, and no note of which training; delete it, or name another file with --out"
        )
    with write_whole(path) as part:
        part.write_text(json.dumps(mine))


def store(path: Path, arrays: Arrays) -> None:
    """Write one file of numbers, whole or not at all."""
    with write_whole(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # none of the names is `allow_pickle`


def restore(path: Path, build: Callable[[Arrays], list[Item]]) -> list[Item]:
    """Read what `store` wrote."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as named:
            return build({name: named[name] for name in named.files})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InvalidInput(f"{path} cannot be read ({error!s:.100}); delete it, and it is made again") from error
