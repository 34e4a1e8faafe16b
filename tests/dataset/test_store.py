"""The folder of a dataset: which files are shards, and what becomes of unfinished ones."""

from pathlib import Path

import pytest

from anastylosis.dataset import Plan, friction_levels
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.shard import encode_shard
from anastylosis.dataset.store import Place, list_files, list_places, open_writer

MANIFEST = plan_manifest(Plan(levels=friction_levels([(0.4, 0.4)], 8)), "of tests")
FILES = encode_shard([])


def write(folder: Path, *places: Place) -> None:
    with open_writer(folder, MANIFEST) as writer:
        for place in places:
            writer.write_shard(place, FILES)


@pytest.mark.parametrize(
    "name",
    [
        "nominal_0000000-0000003",
        "nominal_000003-000000",
        "nominal_000000-009999",
        "nominal_00000٣-000003",
        "Nominal_000000-000003",
    ],
)
def test_only_names_that_shards_have_are_shards(tmp_path: Path, name: str) -> None:
    write(tmp_path, Place("nominal", 0, 3))
    for table in TABLES:
        (tmp_path / table / f"{name}.parquet").write_bytes(b"a file of someone else")
    assert list_places(tmp_path) == [Place("nominal", 0, 3)]
    assert [path for path, place in list_files(tmp_path) if place is None] == [f"{table}/{name}.parquet" for table in TABLES]


def test_a_shard_of_two_files_is_not_finished(tmp_path: Path) -> None:
    write(tmp_path, Place("nominal", 0, 3), Place("nominal", 4, 7))
    (tmp_path / Place("nominal", 0, 3).path("rounds")).unlink()
    assert list_places(tmp_path) == [Place("nominal", 4, 7)]


def test_what_a_killed_process_left_makes_room_for_a_longer_shard(tmp_path: Path) -> None:
    write(tmp_path, Place("nominal", 0, 3), Place("nominal", 4, 5))
    left = [tmp_path / Place("nominal", *ends).path("rounds") for ends in ((0, 3), (4, 5))]
    for ends in ((0, 3), (4, 5)):
        (tmp_path / Place("nominal", *ends).path("episodes")).unlink()
    write(tmp_path)
    assert all(path.exists() for path in left)  # nothing is deleted before there is something better
    write(tmp_path, Place("nominal", 4, 7))
    assert [path.exists() for path in left] == [True, False]
    assert list_places(tmp_path) == [Place("nominal", 4, 7)]
