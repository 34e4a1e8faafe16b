"""Parquet files of a few kilobytes that stand for gigabytes: refused, and hardly any memory is used."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset, parquet, verify
from anastylosis.dataset.parquet import CELL_MAX, open_shard
from anastylosis.dataset.schema import TABLES, arrow_schema
from anastylosis.errors import InvalidInput
from support.games import FALLS, played
from support.played_datasets import write_dataset

MEMORY = 700e6  # bytes; Python with Arrow has some 150e6
OPEN = """
import sys
from pathlib import Path
from anastylosis.dataset import Dataset, parquet, verify
from anastylosis.dataset.parquet import open_shard
from anastylosis.errors import InvalidInput
try:
    with open_shard(Path(sys.argv[1]), sys.argv[2], episodes=int(sys.argv[3])) as shard:
        shard.read()
except InvalidInput as error:
    print(error)
told = Path("/proc/self/status").read_text().splitlines()  # getrusage begins with what the parent had
print(next(int(line.split()[1]) * 1024 for line in told if line.startswith("VmHWM:")))
"""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("dataset") / "games", played(4, FALLS), shard=1)


@pytest.fixture(scope="module")
def episode(dataset: Path) -> pa.Table:
    (path,) = (dataset / "episodes").glob("*.parquet")
    return pq.read_table(path)


def write(path: Path, columns: dict[str, Any], table: str = "episodes") -> Path:
    """Write columns under the schema of a table; a dictionary is one on disk, too."""
    schema = arrow_schema(TABLES[table])
    fields = [pa.field(field.name, columns[field.name].type, metadata=field.metadata) for field in schema]
    rows = pa.Table.from_arrays([columns[field.name] for field in schema], schema=pa.schema(fields, metadata=schema.metadata))
    pq.write_table(rows, path, compression="zstd", store_schema=False, dictionary_pagesize_limit=10**9)
    return path


def repeat(episode: pa.Table, count: int) -> dict[str, Any]:
    return {name: pa.concat_arrays(count * episode.column(name).chunks) for name in episode.column_names}


def repeat_word(word: str, count: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([word]))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("size", "count", "told", "said"),
    [
        (90_000_000, 1, 1, f"a cell of it has 90,000,000 bytes, and none has more than {CELL_MAX:,}"),
        (150_000_000, 1, 1, "its words have 150,"),
        (2_000_000, 1000, 1000, "a cell of it has 2,000,000 bytes"),
        (2_000_000, 1000, 999, "it has 1,000 rows, and no more than 999 belong there"),
    ],
    ids=["long", "longer", "many times", "more rows than its name tells"],
)
def test_words_that_take_gigabytes(episode: pa.Table, tmp_path: Path, size: int, count: int, told: int, said: str) -> None:
    path = write(tmp_path / "bomb.parquet", repeat(episode, count) | {"config": repeat_word("x" * size, count)})
    assert path.stat().st_size < 200_000
    done = subprocess.run([sys.executable, "-c", OPEN, path, "episodes", str(told)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer, memory = done.stdout.splitlines()
    assert said in answer
    assert float(memory) < MEMORY


@pytest.mark.parametrize("column", ["course", "blocks"])
def test_cells_with_very_many_items(episode: pa.Table, tmp_path: Path, monkeypatch, column: str) -> None:
    monkeypatch.setattr(parquet, "FILE_MAX", 10_000_000)
    items = pa.array([0 if column == "course" else "a"]).take(pa.array([0] * 3_000_000))
    cell = pa.ListArray.from_arrays(pa.array([0, len(items)], pa.int32()), items)
    path = write(tmp_path / "bomb.parquet", repeat(episode, 1) | {column: cell})
    assert path.stat().st_size < 50_000
    with pytest.raises(InvalidInput, match="it has more than 10,000,000 bytes"), open_shard(path, "episodes", episodes=1):
        pass


def test_ids_that_are_long_and_many(episode: pa.Table, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(parquet, "FILE_MAX", 10_000_000)
    cell = pa.ListArray.from_arrays(pa.array([0, 1000], pa.int32()), repeat_word("x" * 50_000, 1000))
    path = write(tmp_path / "bomb.parquet", repeat(episode, 1) | {"blocks": cell})
    with open_shard(path, "episodes", episodes=1) as shard:
        assert shard.read(["friction"]).num_rows == 1
    with pytest.raises(InvalidInput, match="its words may take 50,"), open_shard(path, "episodes", episodes=1) as shard:
        shard.read()


def test_a_folder_whose_name_is_no_text(dataset: Path, tmp_path: Path) -> None:
    """Arrow takes no such names."""
    folder = tmp_path / os.fsdecode(b"games\xff")
    shutil.copytree(dataset, folder)
    assert not [finding for checked in verify(folder) for finding in checked.findings]
    assert Dataset(folder).read("episodes", ["friction"]).num_rows == 1
