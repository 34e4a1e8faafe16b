"""What `verify` finds: every way in which a dataset can be broken, named by its file; and nothing in one that is not."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset, verify
from anastylosis.dataset.manifest import MANIFEST
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.shard import encode
from anastylosis.errors import InvalidInput
from anastylosis.report.games import read_games
from anastylosis.whole_file import hash_file
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset

FIRST, SECOND = "nominal_000000-000001.parquet", "nominal_000002-000002.parquet"
PLAY_AGAIN = "delete it, and simulate again"
GO_ON = "`anastylosis simulate` goes on"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """Three episodes in two shards; the third has no rounds."""
    games = played(4, FALLS), played(4, STANDS), played(4, 2, rounds=0)
    return write_dataset(tmp_path_factory.mktemp("dataset") / "games", *games, shard=2)


@pytest.fixture
def games(whole: Path, tmp_path: Path) -> Path:
    """A copy of it, to be broken."""
    return shutil.copytree(whole, tmp_path / "games")


def find(folder: Path) -> list[str]:
    return [str(finding) for checked in verify(folder) for finding in checked.findings]


def change(folder: Path, **parts: Any) -> None:
    """Change parts of the manifest."""
    document = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(document | parts))


def accept(folder: Path) -> None:
    """Write today's hashes into the manifest, as if the files had been written so."""
    files = [path for table in TABLES for path in sorted((folder / table).glob("*.parquet"))]
    change(folder, files={path.relative_to(folder).as_posix(): hash_file(path) for path in files})


def rewrite(folder: Path, path: str, alter: Callable[[pa.Table], pa.Table]) -> None:
    """Write a shard's file anew, each row group altered, and accept it."""
    file = pq.ParquetFile(folder / path)
    groups = [alter(file.read_row_group(number)) for number in range(file.num_row_groups)]
    (folder / path).write_bytes(encode(groups, TABLES[Path(path).parent.name]))
    accept(folder)


def replace_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


def test_a_whole_dataset(whole: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*")}
    checks = list(verify(whole))
    assert [(checked.episodes, checked.total, checked.findings) for checked in checks] == [(0, 3, []), (2, 3, []), (3, 3, [])]
    assert {path: path.stat().st_mtime_ns for path in whole.rglob("*")} == before  # nothing is written


@pytest.mark.parametrize("table", TABLES)
def test_a_flipped_bit(games: Path, table: str) -> None:
    path = games / table / FIRST
    data, column = bytearray(path.read_bytes()), pq.read_metadata(path).row_group(0).column(0)
    begin = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
    data[begin + column.total_compressed_size - 1] ^= 1  # in the content of a page, not in its header
    path.write_bytes(data)
    assert find(games) == [f"{table}/{FIRST}: its SHA-256 is not the one in the manifest; {PLAY_AGAIN}"]
    accept(games)  # nor does it go unnoticed where the hash is that of the broken file
    (finding,) = find(games)
    assert finding.startswith(f"{table}/{FIRST}: ")
    assert "CRC" in finding
    assert finding.endswith(PLAY_AGAIN)


@pytest.mark.parametrize(("keep", "reason"), [(0, "0 bytes"), (7, "smaller than the minimum"), (-9, "magic bytes not found")])
@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_ends_too_early(games: Path, table: str, keep: int, reason: str) -> None:
    path = games / table / SECOND
    path.write_bytes(path.read_bytes()[:keep])
    assert find(games) == [f"{table}/{SECOND}: its SHA-256 is not the one in the manifest; {PLAY_AGAIN}"]
    accept(games)
    (finding,) = find(games)
    assert finding.startswith(f"{table}/{SECOND}: ")
    assert reason in finding


@pytest.mark.parametrize("table", TABLES)
def test_one_of_three_files_is_missing(games: Path, table: str) -> None:
    (games / table / FIRST).unlink()
    lost = f"{MANIFEST}: 1 of 3 episodes of 'nominal' are there; {GO_ON}"
    assert find(games) == [f"{table}/{FIRST}: it is missing; simulate again", lost]
    change(games, files={})  # as of a process that was killed
    assert find(games) == [
        f"{table}/{FIRST}: it is missing; {GO_ON}",
        f"{MANIFEST}: it has no hash of 3 of 5 files; {GO_ON}",
        lost,
    ]


def test_all_three_files_are_missing(games: Path) -> None:
    for table in TABLES:
        (games / table / SECOND).unlink()
    assert find(games) == [
        *(f"{table}/{SECOND}: it is missing; simulate again" for table in sorted(TABLES)),
        f"{MANIFEST}: 2 of 3 episodes of 'nominal' are there; {GO_ON}",
    ]


def test_an_unfinished_dataset(games: Path) -> None:
    levels = json.loads((games / MANIFEST).read_text())["levels"]
    levels["nominal"]["episodes"] = 5000
    change(games, levels=levels | {"rough": levels["nominal"] | {"episodes": 8}})
    assert find(games) == [
        f"{MANIFEST}: 3 of 5,000 episodes of 'nominal' are there; {GO_ON}",
        f"{MANIFEST}: 0 of 8 episodes of 'rough' are there; {GO_ON}",
    ]


def test_more_than_was_asked_for(games: Path) -> None:
    levels = json.loads((games / MANIFEST).read_text())["levels"]
    levels["nominal"]["episodes"] = 2
    change(games, levels=levels)
    assert find(games) == [f"episodes/{SECOND}: 'nominal' has episodes 0 to 1 only; move it elsewhere"]


@pytest.mark.parametrize("table", TABLES)
def test_a_foreign_file_under_a_shards_name(games: Path, table: str) -> None:
    pq.write_table(pa.table({"stones": [1, 2, 3]}), games / table / SECOND)
    assert find(games) == [f"{table}/{SECOND}: its SHA-256 is not the one in the manifest; {PLAY_AGAIN}"]
    accept(games)
    assert find(games) == [f"{table}/{SECOND}: its columns are not those of this version; {PLAY_AGAIN}"]


@pytest.mark.parametrize("name", ["notes.parquet", "Nominal_000000-000001.parquet", "stones_000000-000001.parquet"])
def test_a_file_of_another_name(games: Path, name: str) -> None:
    (games / "rounds" / name).write_bytes(b"whatever it is")
    assert find(games) == [f"rounds/{name}: no shard of this dataset has that name; move it elsewhere: queries would read it"]


def test_a_file_that_is_being_written_is_not_there_yet(games: Path) -> None:
    (games / "rounds" / f".{FIRST}.5eed.part").touch()
    assert find(games) == []


def test_one_shard_under_the_name_of_another(games: Path) -> None:
    for table in TABLES:
        shutil.copy(games / table / FIRST, games / table / "nominal_000001-000002.parquet")
        (games / table / SECOND).unlink()
    accept(games)
    path = "episodes/nominal_000001-000002.parquet"
    assert find(games) == [
        f"{path}: it begins at episode 1, and episodes/{FIRST} has those up to 1 too; {PLAY_AGAIN}",
        f"{path}: it does not hold nominal_exp_0001 to nominal_exp_0002, each once and in order; {PLAY_AGAIN}",
    ]


@pytest.mark.parametrize("column", ["stood_positions", "stood_quaternions", "lies_positions", "lies_quaternions"])
def test_a_block_that_was_moved(games: Path, column: str) -> None:
    def nudge(table: pa.Table) -> pa.Table:
        poses = table.column(column).to_pylist()
        if table.column("index").to_pylist() == [1]:
            there = next(row for row in poses[0] if row is not None)
            there[0] = float(np.nextafter(there[0], 1.0))
        return replace_column(table, column, poses)

    rewrite(games, f"episodes/{FIRST}", nudge)
    assert find(games) == [
        f"trajectories/{FIRST}: nominal_exp_0001 is not as it was played: its fingerprint is another; {PLAY_AGAIN}"
    ]


@pytest.mark.parametrize(
    ("column", "alter", "problem"),
    [
        ("present", lambda rows: [[not each for each in row] for row in rows], "is not as it was played"),
        ("position", lambda rows: [row[:-1] for row in rows], "its frames are not those of 12 blocks"),
        ("position", lambda rows: [[float("nan")] * len(row) for row in rows], "its frames are not all finite"),
        ("present", lambda rows: [[None] * len(row) for row in rows], "its frames are not those of 12 blocks"),
        ("time", lambda rows: [None] * len(rows), "its frames are not all finite"),
        ("episode", lambda rows: ["nominal_exp_0007"] * len(rows), "does not hold the frames of nominal_exp_0002, one"),
    ],
)
def test_frames_that_were_changed(games: Path, column: str, alter: Callable, problem: str) -> None:
    rewrite(
        games,
        f"trajectories/{SECOND}",
        lambda table: replace_column(table, column, alter(table.column(column).to_pylist())),
    )
    (finding,) = find(games)
    assert finding.startswith(f"trajectories/{SECOND}: ")
    assert problem in finding


def test_an_episode_without_frames(games: Path) -> None:
    rewrite(games, f"trajectories/{SECOND}", lambda table: table.slice(0, 0))
    (finding,) = find(games)
    assert "it does not hold the frames of nominal_exp_0002, one after the other" in finding


@pytest.mark.parametrize("keep", [slice(1, None), slice(0, -1), slice(0, 0)])
def test_rounds_that_are_not_all_there(games: Path, keep: slice) -> None:
    count = len(played(4, FALLS).rounds)
    rewrite(
        games,
        f"rounds/{FIRST}",
        lambda table: table[keep] if table["index"][0].as_py() == 0 else table,
    )
    left = len(range(count)[keep])
    assert find(games) == [
        f"rounds/{FIRST}: it holds {left} rounds of nominal_exp_0000; {count} were played, numbered from 0; {PLAY_AGAIN}"
    ]


def test_rounds_of_an_episode_that_is_elsewhere(games: Path) -> None:
    path = f"rounds/{FIRST}"
    shutil.copy(games / path, games / "rounds" / SECOND)
    accept(games)
    assert find(games) == [f"rounds/{SECOND}: it holds rounds of nominal_exp_0000, which is not in this shard; {PLAY_AGAIN}"]


def test_poses_that_are_no_poses(games: Path) -> None:
    rewrite(games, f"episodes/{SECOND}", lambda table: replace_column(table, "lies_positions", [[[0.0, None], [1.0]]]))
    odd, finding = find(games)
    assert "lies_positions does not hold 3 numbers a block" in odd
    assert "nominal_exp_0002 cannot be checked: poses are not of three and four numbers a block" in finding


def test_what_is_not_a_dataset(tmp_path: Path, games: Path) -> None:
    with pytest.raises(InvalidInput, match="is not a dataset"):
        list(verify(tmp_path))
    change(games, schema=1)
    with pytest.raises(InvalidInput, match="has schema 1"):
        list(verify(games))


def test_bits_flipped_anywhere_end_in_findings(games: Path) -> None:
    """No hash to warn: whatever is read, nothing is raised."""
    change(games, files={})
    rng = np.random.default_rng(5)
    for table in TABLES:
        path = games / table / SECOND
        whole = path.read_bytes()
        for _ in range(40):
            data = bytearray(whole)
            for at in rng.integers(len(data), size=rng.integers(1, 4)):
                data[at] ^= 1 << rng.integers(8)
            path.write_bytes(data)
            find(games)
        path.write_bytes(whole)
    assert find(games) == [f"{MANIFEST}: it has no hash of 6 of 6 files; {GO_ON}"]


def test_a_file_that_may_not_be_read(games: Path, monkeypatch) -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(sys.modules["anastylosis.dataset.verification"], "hash_file", refuse)
    assert f"rounds/{FIRST}: it cannot be read: Permission denied; let it be read, and verify again" in find(games)


def test_a_system_that_is_short_of_something_breaks_no_file(games: Path, monkeypatch) -> None:
    def refuse(path: Path, **_: object) -> None:
        raise OSError(24, "Too many open files", str(path))

    monkeypatch.setattr("anastylosis.dataset.parquet.pq.ParquetFile", refuse)
    found = find(games)
    assert f"rounds/{FIRST}: it cannot be read: Too many open files; let it be read, and verify again" in found
    assert not [finding for finding in found if "delete" in finding]


DEEP = "[" * 100_000


def first(column: str, value: Any) -> Callable[[pa.Table], pa.Table]:
    """Put a value into the first row of a column."""
    return lambda rows: replace_column(rows, column, [value, *rows.column(column).to_pylist()[1:]])


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("episodes", "friction", np.nan, "friction has NaN or infinity"),
        ("episodes", "masses", [np.nan] * 12, "masses has NaN or infinity"),
        ("episodes", "sizes", [[np.inf, 1.0, 1.0]] * 12, "sizes has NaN or infinity"),
        ("episodes", "friction", -1.0, "friction is not everywhere 0 or more"),
        ("episodes", "friction", None, "friction is missing in 1 of 2 rows"),
        ("episodes", "layers", 10**9, "it has 1,000,000,000 layers and 12 blocks"),
        ("episodes", "masses", [0.1] * 3, "masses does not hold one item a block"),
        ("episodes", "masses", [0.0] * 12, "sizes and masses are not everywhere above 0"),
        ("episodes", "sizes", [[0.1, 0.1]] * 12, "sizes does not hold 3 numbers a block"),
        ("episodes", "blocks", ["a"] * 12, "its blocks have no ids that are all different"),
        ("episodes", "stood_positions", [None] * 12, "stood_positions and stood_quaternions are not of the same blocks"),
        ("episodes", "round_count", 2**62, "4611686018427387904 were played, numbered from 0"),
        ("episodes", "config", DEEP, "config cannot be read: maximum recursion depth"),
        ("episodes", "config", "{", "config cannot be read: "),
        ("episodes", "config", "[]", "config is no JSON object"),
        ("rounds", "force_peak", np.nan, "force_peak has NaN or infinity"),
        ("rounds", "force_peak", None, "force_peak is missing in 1 of "),
        ("rounds", "path", [[np.nan]], "path has NaN or infinity"),
        ("rounds", "outcome", "won", "outcome is 'won', not one of out, stuck, collapse"),
    ],
)
def test_cells_that_mean_nothing(games: Path, table: str, column: str, value: Any, said: str) -> None:
    """Hashes and fingerprints say nothing of them: all was said to be well."""
    rewrite_first(games, f"{table}/{FIRST}", first(column, value))
    assert any(said in finding for finding in find(games)), find(games)


def rewrite_first(folder: Path, path: str, alter: Callable[[pa.Table], pa.Table]) -> None:
    """Alter the first row group of a file."""
    left = [alter]
    rewrite(folder, path, lambda rows: left.pop()(rows) if left else rows)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("episodes", "friction", np.nan),
        ("episodes", "blocks_on_floor", -1),
        ("episodes", "layers", 0),
        ("episodes", "masses", []),
        ("episodes", "level", None),
        ("rounds", "layer", -1),
        ("rounds", "outcome", None),
        ("rounds", "ziglar_risk", "some"),
        ("rounds", "episode", "nominal_exp_0009"),
        ("rounds", "angle_peak", np.inf),
    ],
)
def test_what_the_summary_refuses_is_found(games: Path, table: str, column: str, value: Any) -> None:
    """It says to run `verify`, which said that all was well."""
    rewrite_first(games, f"{table}/{FIRST}", first(column, value))
    with pytest.raises(InvalidInput, match="run `anastylosis verify`"):
        read_games(Dataset(games))
    assert find(games)


def test_a_pipe_is_not_waited_for(games: Path) -> None:
    (games / "rounds" / FIRST).unlink()
    os.mkfifo(games / "rounds" / FIRST)
    assert f"rounds/{FIRST}: it is no regular file; {PLAY_AGAIN}" in find(games)
