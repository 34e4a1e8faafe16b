"""Store: the folder of a dataset. Shards are there whole or not at all; one process writes, any number read."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from anastylosis.dataset.manifest import MANIFEST, Manifest, merge, read_manifest, write_manifest
from anastylosis.dataset.schema import TABLES
from anastylosis.errors import DatasetBusy
from anastylosis.whole_file import write_whole

__all__ = ["Place", "Writer", "hash_file", "list_places", "open_writer"]

FILE = re.compile(r"([a-z0-9][a-z0-9.-]*)_(\d{6,})-(\d{6,})\.parquet")
LAST_TABLE = "episodes"  # written after the others: where it is, all are
SHARD_MAX = 1000  # episodes


class Place(NamedTuple):
    """Where the episodes `first` to `last` of a level are."""

    level: str
    first: int
    last: int

    def path(self, table: str) -> str:
        """The file of a table, within the dataset."""
        return f"{table}/{self.level}_{self.first:06d}-{self.last:06d}.parquet"

    @property
    def indices(self) -> range:
        return range(self.first, self.last + 1)


def list_places(folder: Path) -> list[Place]:
    """The finished shards of a dataset, in order."""
    places = []
    for path in (folder / LAST_TABLE).glob("*.parquet"):
        match = FILE.fullmatch(path.name)
        if match and 0 <= int(match[3]) - int(match[2]) < SHARD_MAX:
            place = Place(match[1], int(match[2]), int(match[3]))
            if all((folder / place.path(table)).is_file() for table in TABLES):
                places.append(place)
    return sorted(places)


class Writer:
    """The one who may write to a dataset."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder, self.manifest = folder, manifest

    def stored(self) -> dict[str, set[int]]:
        """The finished episodes of each level."""
        there: dict[str, set[int]] = {}
        for place in list_places(self.folder):
            there.setdefault(place.level, set()).update(place.indices)
        return there

    def write_shard(self, place: Place, files: dict[str, bytes]) -> None:
        """Write the three files of a shard; the episodes are finished when the last is there."""
        for table in TABLES:
            path = place.path(table)
            with write_whole(self.folder / path) as part:
                part.write_bytes(files[table])
            self.manifest.files[path] = hashlib.sha256(files[table]).hexdigest()

    def seal(self) -> None:
        """Write the manifest with the hash of every finished file, of those too that a killed process had no time to note."""
        finished = [place.path(table) for place in list_places(self.folder) for table in TABLES]
        known = self.manifest.files
        hashes = {path: known.get(path) or hash_file(self.folder / path) for path in sorted(finished)}
        self.manifest = replace(self.manifest, files=hashes)
        write_manifest(self.folder, self.manifest)


@contextmanager
def open_writer(folder: Path, wanted: Manifest) -> Iterator[Writer]:
    """A dataset to write to, made if it is not there. Refuses one that another process writes to, or that was made otherwise."""
    for table in TABLES:
        (folder / table).mkdir(parents=True, exist_ok=True)
    with lock(folder):
        manifest = merge(read_manifest(folder), wanted, folder) if (folder / MANIFEST).exists() else wanted
        write_manifest(folder, manifest)
        writer = Writer(folder, manifest)
        try:
            yield writer
        finally:
            writer.seal()


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Keep other writers out. The system lets go of it when this process ends, however it ends."""
    import fcntl

    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise DatasetBusy(f"another process writes to {folder}; wait for it, or name another folder") from error
        yield


def hash_file(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
