"""The folder of a dataset. Shards are there whole or not at all; one process writes, any number read."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from anastylosis.dataset.card import write_card
from anastylosis.dataset.level import NAME
from anastylosis.dataset.manifest import MANIFEST, Manifest, merge, read_manifest, write_manifest
from anastylosis.dataset.plan import SHARD_MAX, Runs, list_indices
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.tables import name_episode
from anastylosis.errors import FolderBusy, InvalidInput
from anastylosis.machine import lock_file
from anastylosis.whole_file import hash_file, write_whole

FILE = re.compile(rf"({NAME.pattern})((?:_\d{{6,}}-\d{{6,}})+)\.parquet")
LAST_TABLE = "episodes"  # written after the others: where it is, all are


class ShardPlace(NamedTuple):
    """Place of some episodes of a level: one stretch of them, or several where others are between."""

    level: str
    runs: Runs

    def path(self, table: str) -> str:
        """Return the file of a table, within the dataset."""
        return f"{table}/{self.level}{''.join(f'_{first:06d}-{last:06d}' for first, last in self.runs)}.parquet"

    @property
    def first(self) -> int:
        return self.runs[0][0]

    @property
    def indices(self) -> list[int]:
        return list_indices(self.runs)

    @property
    def names(self) -> list[str]:
        """Names of the episodes."""
        return [name_episode(self.level, index) for index in self.indices]

    def __str__(self) -> str:
        """Name the episodes as people read them: `low_exp_0000 to low_exp_0007`, and each further stretch."""
        ends = ([name_episode(self.level, index) for index in run] for run in self.runs)
        return ", ".join(first if first == last else f"{first} to {last}" for first, last in ends)

    def overlaps(self, other: "ShardPlace") -> bool:
        """Return whether both have an episode."""
        both = ((mine, theirs) for mine in self.runs for theirs in other.runs)
        return self.level == other.level and any(mine[0] <= theirs[1] and theirs[0] <= mine[1] for mine, theirs in both)


def read_place(name: str) -> ShardPlace | None:
    """Return the place that a file's name tells; None of a name that `ShardPlace.path` does not give."""
    match = FILE.fullmatch(name)
    if not match:
        return None
    ends = [tuple(map(int, run.split("-"))) for run in match[2][1:].split("_")]
    place = ShardPlace(match[1], tuple((first, last) for first, last in ends))
    numbers = [number for run in place.runs for number in run]
    rising = sorted(numbers) == numbers and all(before[1] + 1 < run[0] for before, run in pairwise(place.runs))
    count = sum(last - first + 1 for first, last in place.runs)
    return place if rising and count <= SHARD_MAX and place.path(LAST_TABLE) == f"{LAST_TABLE}/{name}" else None


def list_files(folder: Path) -> Iterator[tuple[str, ShardPlace | None]]:
    """Yield every Parquet file of the three tables: its path within the dataset, and the place it says it has."""
    for table in TABLES:
        for path in sorted((folder / table).glob("*.parquet")):
            if not path.name.startswith("."):  # being written
                yield f"{table}/{path.name}", read_place(path.name)


def list_places(folder: Path) -> list[ShardPlace]:
    """Return the finished shards of a dataset, in order."""
    there = {place for _, place in list_files(folder) if place}
    return sorted(place for place in there if all((folder / place.path(table)).is_file() for table in TABLES))


class Writer:
    """Writer of a dataset; there is one at a time."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest
        finished = set(list_places(folder))
        self.unfinished = [(path, place) for path, place in list_files(folder) if place and place not in finished]
        for place in finished:  # of a process that was killed before it had deleted what its shard replaces
            self.delete_replaced(place)

    def stored(self) -> dict[str, set[int]]:
        """Return the finished episodes of each level."""
        there: dict[str, set[int]] = {}
        for place in list_places(self.folder):
            there.setdefault(place.level, set()).update(place.indices)
        return there

    def write_shard(self, place: ShardPlace, files: dict[str, bytes]) -> None:
        """Write the three files of a shard; the episodes are finished when the last is there."""
        for table in TABLES:
            path = place.path(table)
            with write_whole(self.folder / path) as part:
                part.write_bytes(files[table])
            self.manifest.files[path] = hashlib.sha256(files[table]).hexdigest()
        self.delete_replaced(place)

    def delete_replaced(self, place: ShardPlace) -> None:
        """Delete what a killed process left of a finished shard's episodes: a query over a table's folder finds each once."""
        for path, other in self.unfinished:
            if other != place and other.overlaps(place):
                (self.folder / path).unlink(missing_ok=True)

    def seal(self) -> None:
        """Write the manifest with the hash of every finished file, of those too that a killed process had no time to note.

        Then the card, which tells people what the manifest tells programs.
        """
        places = list_places(self.folder)
        finished = [place.path(table) for place in places for table in TABLES]
        known = self.manifest.files
        hashes = {path: known.get(path) or hash_file(self.folder / path) for path in sorted(finished)}
        self.manifest = replace(self.manifest, files=hashes)
        write_manifest(self.folder, self.manifest)
        write_card(self.folder, self.manifest, [place.path("episodes") for place in places])


@contextmanager
def open_writer(folder: Path, wanted: Manifest) -> Iterator[Writer]:
    """Open a dataset to write to; make it if it is not there. Refuse one that is being written, or was made otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    with lock(folder):
        manifest = find_manifest(folder, wanted)
        for table in TABLES:
            (folder / table).mkdir(exist_ok=True)
        write_manifest(folder, manifest)
        writer = Writer(folder, manifest)
        try:
            yield writer
        except BaseException:
            with suppress(InvalidInput):  # of a broken shard: what went wrong first is what to tell
                writer.seal()
            raise
        writer.seal()


def find_manifest(folder: Path, wanted: Manifest) -> Manifest:
    """Return the manifest that a dataset is to have; refuse shards without a record of how they were made."""
    begun = {place.level for _, place in list_files(folder) if place}
    if (folder / MANIFEST).exists():
        return merge(read_manifest(folder), wanted, folder, begun)
    if begun:
        raise InvalidInput(f"{folder} holds shards and no {MANIFEST}; bring that back, or name another folder")
    return wanted


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep other writers out. The system lets go of it when this process ends, however it ends."""
    with (folder / ".lock").open("wb") as file:
        try:
            lock_file(file, wait=False)
        except (BlockingIOError, PermissionError) as error:  # Windows: the latter
            raise FolderBusy(f"another process writes to {folder}; wait for it, or name another folder") from error
        yield
