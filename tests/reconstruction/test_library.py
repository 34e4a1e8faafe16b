"""The library that ships, and files that are none."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anastylosis.dataset import Dataset
from anastylosis.episode import run_episode
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.falls import SHIPPED_LIBRARY, read_falls, read_library, write_library


def test_the_library_that_ships_is_small_and_of_the_training_split() -> None:
    assert SHIPPED_LIBRARY.stat().st_size < 5e6
    falls = read_library()
    assert len(falls) >= 1000
    assert {fall.split for fall in falls} == {"train"}
    assert len({fall.name for fall in falls}) == len(falls)


def test_its_episodes_can_be_played_again_to_the_same_bits() -> None:
    fall = min(read_library(), key=lambda each: (each.layers, each.rounds))
    assert run_episode(*fall.recipe).fingerprint() == fall.fingerprint


def test_a_library_of_a_dataset(debris: Path, tmp_path: Path) -> None:
    count = write_library(Dataset(debris), tmp_path / "library.parquet", 5)
    falls = read_library(tmp_path / "library.parquet")
    assert count == len(falls) == 5
    whole = read_falls(Dataset(debris), ["train"], 5)
    assert [fall.name for fall in falls] == [fall.name for fall in whole]
    assert abs(falls[0].lies[falls[0].found] - whole[0].lies[whole[0].found]).max() <= 5.1e-5
    assert len(read_library(debris)) == 12  # a dataset is one, too


def spoil(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        pq.write_table(change(pq.read_table(SHIPPED_LIBRARY).slice(0, 2)), path)

    return write


def set_column(table: pa.Table, name: str, values: list) -> pa.Table:
    field = table.schema.field(name)
    return table.set_column(table.schema.get_field_index(name), field, pa.array(values, field.type))


@pytest.mark.parametrize(
    "write",
    [
        lambda path: None,  # not there
        lambda path: path.write_bytes(b"not a table"),
        lambda path: path.write_bytes(SHIPPED_LIBRARY.read_bytes()[:-500]),
        spoil(lambda table: table.drop_columns(["sizes"])),
        spoil(lambda table: table.slice(0, 0)),
        spoil(lambda table: set_column(table, "friction", [0.4, float("nan")])),
        spoil(lambda table: set_column(table, "course", [[0] * len(row) for row in table["course"].to_pylist()])),
        spoil(lambda table: set_column(table, "episode", ["../../escape", "b"])),
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "library.parquet"
    write(path)
    with pytest.raises(InvalidInput):
        read_library(path)


@pytest.mark.parametrize(
    ("vectors", "says"),
    [
        ([[0.0]], "lies_positions cannot be read: a vector has 1 numbers instead of 3"),
        ([[0.0] * 3] * 3001, "lies_positions cannot be read: a tower has 3,001 blocks; there are up to 3,000"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(tmp_path: Path, vectors: list[list[float]], says: str) -> None:
    path = tmp_path / "library.parquet"
    spoil(lambda table: set_column(table, "lies_positions", [vectors, vectors]))(path)
    with pytest.raises(InvalidInput, match=says):
        read_library(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "library.parquet"
    with path.open("wb") as file:
        file.truncate(30_000_000)
    with pytest.raises(InvalidInput, match="20 MB"):
        read_library(path)
