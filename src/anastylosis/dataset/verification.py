"""Check that a dataset is whole, and that every episode in it is still the one that was played."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from anastylosis.arrays import hash_arrays
from anastylosis.dataset.manifest import MANIFEST, Manifest, read_manifest
from anastylosis.dataset.meaning import find_odd_cells, find_odd_episode
from anastylosis.dataset.parquet import open_shard
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.store import ShardPlace, list_files
from anastylosis.dataset.tables import POSES, build_frames
from anastylosis.errors import InvalidInput
from anastylosis.whole_file import hash_file

PLAY_AGAIN = "delete it, and simulate again"
GO_ON = "`anastylosis simulate` goes on"
ROWS_AT_ONCE = 100  # episodes whose cells are objects of Python at a time
WIDTHS = {"positions": 3, "quaternions": 4}
EPISODE_COLUMNS = [
    "episode", "level", "index", "round_count", "blocks", "fingerprint",
    *(f"{when}_{what}" for when in POSES for what in WIDTHS),
]  # fmt: skip


class DatasetFault(NamedTuple):
    """A fault of a dataset: its file, what is wrong, what to do."""

    file: str  # within the dataset
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}: {self.problem}; {self.remedy}"


class Verified(NamedTuple):
    """Progress of a check, and the faults found since the last report."""

    episodes: int  # looked at so far
    total: int  # episodes that are there
    findings: list[DatasetFault]


def verify(folder: Path | str) -> Iterator[Verified]:
    """Check all of a dataset, shard by shard; raise `InvalidInput` for what is not a dataset at all.

    Nothing is written, and one shard at a time is in memory.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    files = list(list_files(folder))
    finished = list_finished(files, manifest)
    done, total = 0, sum(len(place.indices) for place in finished)
    yield Verified(done, total, [*check_files(files, manifest), *check_places(finished, manifest)])
    for place in finished:
        findings = list(check_shard(folder, place, manifest.files))
        done += len(place.indices)
        yield Verified(done, total, findings)


def list_finished(files: Iterable[tuple[str, ShardPlace | None]], manifest: Manifest) -> list[ShardPlace]:
    """Return the shards of the manifest's levels that have all their files."""
    paths = {path for path, _ in files}
    places = {place for _, place in files if place and place.level in manifest.levels}
    return sorted(place for place in places if all(place.path(table) in paths for table in TABLES))


def check_files(files: list[tuple[str, ShardPlace | None]], manifest: Manifest) -> Iterator[DatasetFault]:
    """Yield files that are not of this dataset, files that are missing, files whose hash is not known."""
    there, known = {path for path, _ in files}, set(manifest.files)
    for path, place in files:
        if place is None or place.level not in manifest.levels:
            yield DatasetFault(path, "no shard of this dataset has that name", "move it elsewhere: queries would read it")
    ours = {place for _, place in files if place and place.level in manifest.levels}
    for path in sorted({place.path(table) for place in ours for table in TABLES} | known):
        if path not in there:
            yield DatasetFault(path, "it is missing", "simulate again" if path in known else GO_ON)
    unknown = {place.path(table) for place in list_finished(files, manifest) for table in TABLES} - known
    if unknown:
        yield DatasetFault(MANIFEST, f"it has no hash of {len(unknown)} of {len(there)} files", GO_ON)


def check_places(finished: list[ShardPlace], manifest: Manifest) -> Iterator[DatasetFault]:
    """Yield episodes that are there twice, that nobody asked for, or that are not there yet."""
    for level, wanted in manifest.episodes.items():
        count, reached, holder = 0, -1, None
        for (first, last), place in sorted((run, each) for each in finished if each.level == level for run in each.runs):
            if holder and first <= reached:
                problem = f"it begins at episode {first}, and {holder.path('episodes')} has those up to {reached} too"
                yield DatasetFault(place.path("episodes"), problem, PLAY_AGAIN)
            if last >= wanted:
                yield DatasetFault(place.path("episodes"), f"{level!r} has episodes 0 to {wanted - 1} only", "move it elsewhere")
            count += max(0, min(last + 1, wanted) - max(first, reached + 1))
            if last > reached:
                reached, holder = last, place
        if count < wanted:
            yield DatasetFault(MANIFEST, f"{count:,} of {wanted:,} episodes of {level!r} are there", GO_ON)


def check_shard(folder: Path, place: ShardPlace, hashes: dict[str, str]) -> Iterator[DatasetFault]:
    """Yield the faults in the files of a shard, each file alone and all together."""
    tables: dict[str, list[pa.Table]] = {}
    for table in TABLES:
        path = place.path(table)
        try:
            if not (folder / path).is_file():  # to read a pipe would take for ever
                yield DatasetFault(path, "it is no regular file", PLAY_AGAIN)
                continue
            if path in hashes and hash_file(folder / path) != hashes[path]:
                yield DatasetFault(path, "its SHA-256 is not the one in the manifest", PLAY_AGAIN)
                continue
            tables[table] = read_groups(folder / path, table, len(place.indices))
        except InvalidInput as error:
            yield DatasetFault(path, reason_unreadable(error), PLAY_AGAIN)
        except OSError as error:
            yield DatasetFault(path, reason_unreadable(error), "let it be read, and verify again")
    if len(tables) == len(TABLES):
        episodes, rounds = pa.concat_tables(tables["episodes"]), pa.concat_tables(tables["rounds"])
        rows = episodes.select(EPISODE_COLUMNS).to_pylist()
        yield from check_rows(place, rows)
        yield from check_rounds(place, rows, rounds)
        yield from check_cells(place, episodes, rounds)
        yield from check_frames(place, rows, tables["trajectories"])


def read_groups(path: Path, table: str, episodes: int) -> list[pa.Table]:
    """Read every row group of a file, and validate it."""
    with open_shard(path, table, episodes=episodes) as shard:
        groups = [shard.read_row_group(number, use_threads=False) for number in range(shard.num_row_groups)]
        for group in groups:
            group.validate(full=True)
        return groups or [shard.schema.empty_table()]


def check_cells(place: ShardPlace, episodes: pa.Table, rounds: pa.Table) -> Iterator[DatasetFault]:
    """Yield faults unless the cells mean what their columns say: whatever another command refuses is found here."""
    for table, rows in (("episodes", episodes), ("rounds", rounds)):
        for problem in find_odd_cells(table, rows):
            yield DatasetFault(place.path(table), problem, PLAY_AGAIN)
    for start in range(0, len(episodes), ROWS_AT_ONCE):
        for row in episodes.slice(start, ROWS_AT_ONCE).to_pylist():
            if problem := find_odd_episode(row):
                yield DatasetFault(place.path("episodes"), f"{row['episode']}: {problem}", PLAY_AGAIN)


def check_rows(place: ShardPlace, rows: list[dict[str, Any]]) -> Iterator[DatasetFault]:
    """Yield a fault unless every episode has its row, under its name, in order."""
    keys = [(row["episode"], row["level"], row["index"]) for row in rows]
    if keys != [(name, place.level, index) for name, index in zip(place.names, place.indices, strict=True)]:
        yield DatasetFault(place.path("episodes"), f"it does not hold {place}, each once and in order", PLAY_AGAIN)


def check_rounds(place: ShardPlace, rows: list[dict[str, Any]], rounds: pa.Table) -> Iterator[DatasetFault]:
    """Yield faults unless every episode has as many rounds as it says, numbered, and there are no others."""
    numbers: dict[str, list[int]] = {}
    for played in rounds.select(["episode", "round"]).to_pylist():
        numbers.setdefault(played["episode"], []).append(played["round"])
    for row in rows:
        there = numbers.pop(row["episode"], [])
        if len(there) != (row["round_count"] or 0) or there != list(range(len(there))):
            problem = f"it holds {len(there)} rounds of {row['episode']}; {row['round_count']} were played, numbered from 0"
            yield DatasetFault(place.path("rounds"), problem, PLAY_AGAIN)
    if numbers:
        yield DatasetFault(
            place.path("rounds"), f"it holds rounds of {next(iter(numbers))}, which is not in this shard", PLAY_AGAIN
        )


def check_frames(place: ShardPlace, rows: list[dict[str, Any]], groups: list[pa.Table]) -> Iterator[DatasetFault]:
    """Yield faults unless every episode has its frames, and they are what was played, to the last bit."""
    path = place.path("trajectories")
    if [group.column("episode").unique().to_pylist() for group in groups] != [[row["episode"]] for row in rows]:
        yield DatasetFault(path, f"it does not hold the frames of {place}, one after the other", PLAY_AGAIN)
        return
    for row, group in zip(rows, groups, strict=True):
        try:
            if hash_motion(row, group) != row["fingerprint"]:
                yield DatasetFault(path, f"{row['episode']} is not as it was played: its fingerprint is another", PLAY_AGAIN)
        except InvalidInput as error:
            yield DatasetFault(path, f"{row['episode']} cannot be checked: {error}", PLAY_AGAIN)


def hash_motion(row: dict[str, Any], group: pa.Table) -> str:
    """Recompute `Episode.fingerprint` from the row and the frames of an episode."""
    frames = build_frames(group, len(row["blocks"] or ()))
    poses = [build_poses(row[f"{when}_{what}"], width) for when in POSES for what, width in WIDTHS.items()]
    return hash_arrays(*frames, *poses)


def build_poses(rows: list[list[float] | None] | None, width: int) -> NDArray[np.float64]:
    """Return (B, width) NaN for blocks that are gone."""
    gone = [np.nan] * width
    try:
        return np.array([gone if row is None else row for row in rows or ()], dtype=np.float64).reshape(-1, width)
    except (TypeError, ValueError) as error:
        raise InvalidInput("poses are not of three and four numbers a block") from error


def reason_unreadable(error: Exception) -> str:
    """Return why a file cannot be read, without its name."""
    cause = error.__cause__ or error
    if isinstance(cause, InvalidInput):
        return str(cause)
    reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    return f"it cannot be read: {' '.join(reason.split()).rstrip('.')}"
