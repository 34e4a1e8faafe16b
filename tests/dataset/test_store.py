"""The folder of a dataset: which files are shards, and what becomes of unfinished ones."""

from pathlib import Path

import pytest

from anastylosis.dataset import Plan
from anastylosis.dataset.manifest import plan_manifest
from anastylosis.dataset.preset import friction_levels
from anastylosis.dataset.schema import TABLES
from anastylosis.dataset.shard import encode_shard
from anastylosis.dataset.store import ShardPlace, list_files, list_places, open_writer
from anastylosis.errors import InvalidInput

MANIFEST = plan_manifest(Plan(levels=friction_levels([(0.4, 0.4)], 8)), "of tests")
FILES = encode_shard([])


def write(folder: Path, *places: ShardPlace) -> None:
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
        "nominal_000004-000005_000000-000003",
        "nominal_000000-000001_000002-000003",
        "nominal_000000-000001_000001-000003",
        "nominal_000000-000600_000700-001400",
    ],
)
def test_only_names_that_shards_have_are_shards(tmp_path: Path, name: str) -> None:
    write(tmp_path, ShardPlace("nominal", ((0, 3),)))
    for table in TABLES:
        (tmp_path / table / f"{name}.parquet").write_bytes(b"a file of someone else")
    assert list_places(tmp_path) == [ShardPlace("nominal", ((0, 3),))]
    assert [path for path, place in list_files(tmp_path) if place is None] == [f"{table}/{name}.parquet" for table in TABLES]


def test_a_shard_with_gaps_is_named_after_its_stretches(tmp_path: Path) -> None:
    gaps, rest = ShardPlace("nominal", ((1, 1), (4, 6))), ShardPlace("nominal", ((0, 0), (2, 3), (7, 7)))
    assert gaps.path("rounds") == "rounds/nominal_000001-000001_000004-000006.parquet"
    assert (gaps.indices, gaps.first) == ([1, 4, 5, 6], 1)
    assert not gaps.overlaps(rest)
    assert gaps.overlaps(ShardPlace("nominal", ((2, 4),)))
    assert not gaps.overlaps(ShardPlace("low", ((4, 4),)))
    write(tmp_path, gaps, rest)
    assert list_places(tmp_path) == [rest, gaps]


def test_a_shard_of_two_files_is_not_finished(tmp_path: Path) -> None:
    write(tmp_path, ShardPlace("nominal", ((0, 3),)), ShardPlace("nominal", ((4, 7),)))
    (tmp_path / ShardPlace("nominal", ((0, 3),)).path("rounds")).unlink()
    assert list_places(tmp_path) == [ShardPlace("nominal", ((4, 7),))]


def test_what_a_killed_process_left_makes_room_for_a_longer_shard(tmp_path: Path) -> None:
    write(tmp_path, ShardPlace("nominal", ((0, 3),)), ShardPlace("nominal", ((4, 5),)))
    left = [tmp_path / ShardPlace("nominal", (ends,)).path("rounds") for ends in ((0, 3), (4, 5))]
    for ends in ((0, 3), (4, 5)):
        (tmp_path / ShardPlace("nominal", (ends,)).path("episodes")).unlink()
    write(tmp_path)
    assert all(path.exists() for path in left)  # nothing is deleted before there is something better
    write(tmp_path, ShardPlace("nominal", ((4, 7),)))
    assert [path.exists() for path in left] == [True, False]
    assert list_places(tmp_path) == [ShardPlace("nominal", ((4, 7),))]


def test_what_a_process_killed_after_its_shard_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    """It had written the longer shard and not yet deleted what that replaces; nobody writes this shard again."""
    write(tmp_path, ShardPlace("nominal", ((0, 7),)))
    left = tmp_path / ShardPlace("nominal", ((0, 3),)).path("rounds")
    left.write_bytes(FILES["rounds"])
    write(tmp_path)
    assert not left.exists()
    assert list_places(tmp_path) == [ShardPlace("nominal", ((0, 7),))]


def test_shards_without_a_manifest_are_refused(tmp_path: Path) -> None:
    """Nobody knows from which seed they are: they would be taken for episodes of this one."""
    write(tmp_path, ShardPlace("nominal", ((0, 3),)))
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(InvalidInput, match=r"holds shards and no manifest\.json; bring that back, or name another folder"):
        write(tmp_path)
    assert not (tmp_path / "manifest.json").exists()


def test_a_folder_of_something_else_gets_no_folders(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(InvalidInput):
        write(tmp_path)
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_a_file_system_without_locks_is_not_busy(tmp_path: Path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        write(tmp_path)
