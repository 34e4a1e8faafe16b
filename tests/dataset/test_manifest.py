"""The manifest of a dataset: what is not one is refused, also where only a part of it is not what it says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from anastylosis.dataset import Plan
from anastylosis.dataset.manifest import MANIFEST, merge, plan_manifest, read_manifest, write_manifest
from anastylosis.dataset.preset import learn_levels, size_levels
from anastylosis.errors import InvalidInput

PLAN = Plan(levels=learn_levels(8))


def change(folder: Path, *where: str, to: object) -> None:
    """Write a manifest in which one value is another."""
    write_manifest(folder, plan_manifest(PLAN, "of tests"))
    document = json.loads((folder / MANIFEST).read_text())
    inner = document
    for name in where[:-1]:
        inner = inner[name]
    inner[where[-1]] = to
    (folder / MANIFEST).write_text(json.dumps(document))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    manifest = plan_manifest(PLAN, "of tests")
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_levels_without_sizes_are_written_as_before(tmp_path: Path) -> None:
    """So datasets of an earlier version are read, and gather no second identity."""
    plain, sized = plan_manifest(PLAN, ""), plan_manifest(Plan(levels=size_levels(8)), "")
    assert not any("sizes" in level for level in plain.levels.values())
    assert sized.levels["sizes"]["sizes"]["length"] == [4.2, 5.5]
    write_manifest(tmp_path, sized)
    assert read_manifest(tmp_path) == sized


@pytest.mark.parametrize("to", [7, {"length": 3}, {"height": ["a", "b"]}, {"depth": [1, 2]}])
def test_sizes_are_ranges(tmp_path: Path, to: object) -> None:
    write_manifest(tmp_path, plan_manifest(Plan(levels=size_levels(8)), ""))
    document = json.loads((tmp_path / MANIFEST).read_text())
    document["levels"]["sizes"]["sizes"] = to
    (tmp_path / MANIFEST).write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match="is not a manifest of ours"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a/b", "", ".", "..", "Learn", "a_b", "a\n"])
def test_a_level_has_the_name_of_a_file(tmp_path: Path, name: str) -> None:
    change(tmp_path, "levels", name, to=plan_manifest(PLAN, "").levels["tall"])
    with pytest.raises(InvalidInput, match="is not a manifest of ours"):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("episodes", "many"), ("episodes", True), ("friction", 0.4), ("friction", [0.2, "0.7"]),
        ("friction", [0.2, float("nan")]),
        ("layers", []), ("layers", [18]), ("layers", [[18.5, 1.0]]), ("layers", [[18, 0]]), ("layers", [[18, float("inf")]]),
        ("players", []), ("players", ["random"]), ("players", [{"policy": "random", "rule": 3, "weight": 1.0}]),
        ("split", 3), ("config", []), ("colour", "red"),
    ],
)  # fmt: skip
def test_a_level_is_described_as_levels_are(tmp_path: Path, part: str, value: object) -> None:
    change(tmp_path, "levels", "tall", part, to=value)
    with pytest.raises(InvalidInput, match="is not a manifest of ours"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("value", [[], {"episodes/x.parquet": 3}, None])
def test_files_have_hashes(tmp_path: Path, value: object) -> None:
    change(tmp_path, "files", to=value)
    with pytest.raises(InvalidInput, match="is not a manifest of ours"):
        read_manifest(tmp_path)


def test_another_schema_says_what_to_do(tmp_path: Path) -> None:
    change(tmp_path, "schema", to=1)
    with pytest.raises(InvalidInput, match="has schema 1, and this version reads 2; simulate again into another folder"):
        read_manifest(tmp_path)


def test_a_setting_that_one_version_has_and_another_has_not_is_named(tmp_path: Path) -> None:
    wanted = plan_manifest(PLAN, "of tests")
    levels = {name: level | {"config": level["config"] | {"wind": None}} for name, level in wanted.levels.items()}
    with pytest.raises(InvalidInput, match="holds 'learn' episodes with wind None, not nothing; name another folder"):
        merge(replace(wanted, levels=levels), wanted, tmp_path, {"learn"})


def test_a_level_that_was_never_begun_may_be_replaced(tmp_path: Path) -> None:
    """Planned by mistake and stopped before the first shard: it does not lock the folder."""
    wanted = plan_manifest(PLAN, "of tests")
    mistaken = {name: level | {"friction": [0.9, 0.9]} for name, level in wanted.levels.items()}
    assert merge(replace(wanted, levels=mistaken), wanted, tmp_path, set()).levels == wanted.levels
    with pytest.raises(InvalidInput, match="friction"):
        merge(replace(wanted, levels=mistaken), wanted, tmp_path, {"learn"})
