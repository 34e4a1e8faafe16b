"""A wrong `--out` is refused before any work: before a dataset, a model or a picture is looked at."""

from pathlib import Path

import pytest

COMMANDS = (
    ("evaluate MODEL DATASET", "page.md"),
    ("evaluate-reconstruction DATASET", "page.md"),
    ("bench", "bench.csv"),
    ("dashboard DATASET", "games.png"),
    ("explain MODEL DATASET", ""),
    ("export DATASET", ""),
    ("render DATASET", ""),
    ("demo", ""),
    ("reconstruct SURVEY.csv", ""),
)


@pytest.fixture
def refuse(call_main, capsys, tmp_path: Path, monkeypatch):
    """Run a command on inputs that are not there; what it says, and only about `--out`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.png").mkdir()

    def call(line: str) -> str:
        assert call_main(line) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
        assert (tmp_path / "file").read_text() == "mine"
        return said.err

    return call


@pytest.mark.parametrize(("command", "file"), [each for each in COMMANDS if each[0] != "bench"], ids=lambda each: each)
def test_below_a_file_nothing_can_be_written(refuse, command: str, file: str) -> None:
    said = refuse(f"{command} --out file/{file or 'out'}")
    assert "--out is file/" in said
    assert "file is a file; name another place" in said


@pytest.mark.parametrize(("command", "file"), [each for each in COMMANDS if each[1]], ids=lambda each: each)
def test_a_file_is_no_folder_and_has_its_ending(refuse, command: str, file: str) -> None:
    ending = Path(file).suffix
    assert "a folder; name a file" in refuse(f"{command} --out folder{ending}")
    assert f"name a file that ends in {ending}" in refuse(f"{command} --out other.doc")


def test_a_benchmark_needs_the_folder_to_be_there(refuse) -> None:
    assert "there is no directory nowhere; make it first" in refuse("bench --out nowhere/bench.csv")
