"""Export: documents that are the annotations, tables without lists, nothing outside the folder, nothing written twice."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from anastylosis.dataset import Dataset
from anastylosis.dataset.schema import TABLES
from anastylosis.episode.annotation import annotate
from anastylosis.errors import InvalidInput
from anastylosis.report import export_csv
from anastylosis.report.exports.paper import export_experiments, write_json
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset

GAMES = {"nominal_exp_0000": (4, FALLS), "nominal_exp_0001": (4, STANDS), "nominal_exp_0002": (6, FALLS)}


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Path:
    episodes = [played(*each) for each in GAMES.values()]
    return write_dataset(tmp_path_factory.mktemp("dataset") / "games", *episodes, shard=2)


def export(folder: Path, out: Path) -> list[tuple[int, int, int]]:
    return [tuple(each) for each in export_experiments(folder, out)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_documents_are_the_annotations(games: Path, tmp_path: Path) -> None:
    assert export(games, tmp_path / "data") == [(0, 3, 0), (2, 3, 2), (3, 3, 3)]
    assert set(files(tmp_path)) == {*(f"data/experiments/{name}.json" for name in GAMES), "data/experiments/summary_nominal.json"}
    for name, each in GAMES.items():
        document = json.loads((tmp_path / "data" / "experiments" / f"{name}.json").read_text())
        assert document == annotate(played(*each))


def test_the_summary_has_a_line_for_each_episode(games: Path, tmp_path: Path) -> None:
    export(games, tmp_path)
    summary = json.loads((tmp_path / "experiments" / "summary_nominal.json").read_text())
    episodes = [played(*each) for each in GAMES.values()]
    assert (summary["level"], summary["episodes"]) == ("nominal", 3)
    assert summary["collapsed"] == sum(episode.collapsed for episode in episodes)
    lines = [(line["episode"], line["round_count"], line["fingerprint"]) for line in summary["experiments"]]
    assert lines == [(name, len(episode.rounds), episode.fingerprint()) for name, episode in zip(GAMES, episodes, strict=True)]


def test_what_is_there_is_not_written_again(games: Path, tmp_path: Path) -> None:
    export(games, tmp_path)
    first = files(tmp_path)
    kept, lost = (tmp_path / "experiments" / f"nominal_exp_000{index}.json" for index in (1, 0))
    lost.unlink()
    before = kept.stat().st_mtime_ns
    assert export(games, tmp_path) == [(2, 3, 0), (3, 3, 1)]
    assert kept.stat().st_mtime_ns == before
    assert files(tmp_path) == first


@pytest.mark.parametrize("text", ["{}", "", "[" * 100_000])
def test_a_document_of_something_else_is_refused_before_anything_is_written(games: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "nominal_exp_0002.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"nominal_exp_0002\.json is of another dataset; name another folder"):
        export(games, tmp_path)
    assert len(files(tmp_path)) == 1


def test_a_document_of_another_dataset_is_refused(games: Path, tmp_path: Path) -> None:
    export(write_dataset(tmp_path / "other", played(4, STANDS)), tmp_path / "data")
    with pytest.raises(InvalidInput, match="is of another dataset"):
        export(games, tmp_path / "data")


def test_tables_without_lists(games: Path, tmp_path: Path) -> None:
    assert export_csv(games, tmp_path) == [tmp_path / "rounds.csv", tmp_path / "episodes.csv"]
    dataset = Dataset(games)
    for table, left_out in (("rounds", {"path", "forces", "positions"}), ("episodes", {"config", "blocks", "removed", "sizes"})):
        with (tmp_path / f"{table}.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        columns = set(lines[0])
        assert not columns & left_out
        assert {"episode", "split", "at_rest", "kinetic_energy"} <= columns < set(TABLES[table])
        rows = dataset.read(table, sorted(columns)).to_pylist()
        assert len(lines) == len(rows)
        for line, row in zip(lines, rows, strict=True):
            for name, value in row.items():
                assert read_cell(line[name], value) == value


def test_a_disk_that_is_full_is_not_a_broken_shard(games: Path, tmp_path: Path, monkeypatch) -> None:
    def run_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anastylosis.report.exports.tables.pa_csv.write_csv", run_full)
    with pytest.raises(OSError, match="No space left"):
        export_csv(games, tmp_path)
    assert files(tmp_path) == {}


def test_a_number_that_json_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a\.json would hold NaN or infinity"):
        write_json(tmp_path / "a.json", {"friction": float("nan")})
    assert files(tmp_path) == {}


def read_cell(cell: str, value: object) -> object:
    """A cell of a CSV file as the type of `value`; reals come back to the last bit."""
    if value is None:
        return None if cell == "" else cell
    return cell == "true" if isinstance(value, bool) else type(value)(cell)


@pytest.mark.parametrize("name", ["../../outside", "/outside", "..", "a/../../outside"])
def test_no_name_of_a_manifest_leads_out_of_the_folder(games: Path, tmp_path: Path, name: str) -> None:
    bad = shutil.copytree(games, tmp_path / "bad")
    document = json.loads((bad / "manifest.json").read_text())
    document["levels"][name] = document["levels"]["nominal"]
    (bad / "manifest.json").write_text(json.dumps(document))
    before = set(tmp_path.rglob("*"))
    for write in (export, export_csv):
        with pytest.raises(InvalidInput, match="is not a manifest of ours"):
            write(bad, tmp_path / "out" / "data")
    assert set(tmp_path.rglob("*")) == before


def test_names_within_a_shard_are_no_names_of_files(games: Path, tmp_path: Path) -> None:
    """A row that calls its episode `../../outside` is not the episode that the shard's name promises."""
    other = write_dataset(tmp_path / "bad", played(4, STANDS))
    row = (other / "episodes" / "nominal_000000-000000.parquet").read_bytes()
    for table in TABLES:
        for first, last in ((0, 1), (2, 2)):
            path = tmp_path / "bad" / table / f"nominal_{first:06d}-{last:06d}.parquet"
            path.write_bytes((games / table / path.name).read_bytes())
    (other / "episodes" / "nominal_000002-000002.parquet").write_bytes(row)
    with pytest.raises(InvalidInput, match=r"does not hold nominal_exp_0002 once; run `anastylosis verify`"):
        export(other, tmp_path / "data")
