"""`anastylosis export`: what it writes, what it says, what it refuses."""

import json
from pathlib import Path

import pytest

from anastylosis.survey import read_survey
from support.games import FALLS, STANDS, played
from support.played_datasets import write_dataset


@pytest.fixture
def export(call_main, capsys, tmp_path: Path):
    """`anastylosis export games --out data ...`; gives the exit code, stdout and stderr."""
    games = write_dataset(tmp_path / "games", played(4, STANDS), played(4, 2, rounds=0))

    def call(words: str = "") -> tuple[int, str, str]:
        return call_main(f"export {games} --out {tmp_path / 'data'} {words}"), *capsys.readouterr()

    return call


def list_data(tmp_path: Path) -> list[str]:
    return sorted(path.relative_to(tmp_path / "data").as_posix() for path in (tmp_path / "data").rglob("[!.]*") if path.is_file())


DOCUMENTS = [f"experiments/{name}.json" for name in ("nominal_exp_0000", "nominal_exp_0001", "summary_nominal")]


def test_documents_alone(export, tmp_path: Path) -> None:
    code, out, err = export()
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == f"2 episodes (0 were there) in {tmp_path / 'data'}"
    assert list_data(tmp_path) == DOCUMENTS
    assert export()[2].splitlines()[-1] == f"2 episodes (2 were there) in {tmp_path / 'data'}"


def test_all_of_the_papers_layout(export, tmp_path: Path) -> None:
    code, out, _ = export("--csv --pictures --size 64 --workers 1 --json")
    document = json.loads(out)
    tables = [str(tmp_path / "data" / name) for name in ("rounds.csv", "episodes.csv")]
    assert (code, document) == (0, {"episodes": 2, "written": 2, "tables": tables, "drawn": 2, "failed": []})
    pictures = [f"frames/nominal_exp_000{index}_final.png" for index in (0, 1)]
    assert list_data(tmp_path) == sorted([*DOCUMENTS, *pictures, "frames/drawn.jsonl", "rounds.csv", "episodes.csv"])
    assert json.loads(export("--pictures --size 64 --workers 1 --json")[1])["drawn"] == 0


def test_videos_without_pictures(export, tmp_path: Path, monkeypatch) -> None:
    targets: list[str] = []

    def draw(shots, workers):
        targets.extend(shot.target.relative_to(tmp_path / "data").as_posix() for shot in shots)
        yield from shots

    monkeypatch.setattr("anastylosis.report.gallery.GalleryFile.draw_all", draw)
    assert export("--videos --workers 1")[0] == 0
    assert targets == [f"videos/nominal_exp_000{index}.mp4" for index in (0, 1)]


def test_a_folder_for_hugging_face(export, tmp_path: Path) -> None:
    code, out, err = export("--format huggingface --size 64 --workers 1 --json")
    assert (code, json.loads(out)) == (0, {"episodes": 2, "written": 2, "format": "huggingface"})
    assert "2 of 2 episodes, 2 written" in err
    assert list_data(tmp_path) == ["README.md", "data/train-00000-of-00001.parquet"]
    code, out, err = export("--format huggingface --size 64 --workers 1")
    assert (code, out) == (0, "")
    assert err.splitlines()[-1] == f"2 episodes (2 were there) in {tmp_path / 'data'}"


def test_surveys_of_what_fell(call_main, capsys, tmp_path: Path) -> None:
    games = write_dataset(tmp_path / "games", played(6, FALLS), played(4, STANDS))
    words = "--surveys --noise 5,5 --hidden 0.25 --foreign 2"
    assert call_main(f"export {games} --out {tmp_path / 'data'} {words} --json") == 0
    assert json.loads(capsys.readouterr().out)["surveys"] == 1
    surveys = tmp_path / "data" / "surveys"
    assert sorted(path.name for path in surveys.glob("[!.]*")) == ["nominal_exp_0000.csv", "truth.csv"]
    survey = read_survey(surveys / "nominal_exp_0000.csv")
    lying = int(played(6, FALLS).labels.lies.present.sum())
    assert len(survey) == lying - round(0.25 * lying) + 2
    assert set(survey.position_sd) == {0.005}
    assert call_main(f"export {games} --out {tmp_path / 'again'} {words}") == 0
    assert capsys.readouterr().err.splitlines()[-1] == f"2 episodes (0 were there), 1 survey in {tmp_path / 'again'}"
    for path in surveys.glob("[!.]*"):
        assert path.read_bytes() == (tmp_path / "again" / "surveys" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--noise 5,5", "--noise, --hidden and --foreign are about surveys; add --surveys"),
        ("--foreign 1", "add --surveys"),
        ("--surveys --noise 5", "--noise is '5'; give 2 numbers with commas between: millimetres,degrees"),
        ("--surveys --noise five,5", "--noise is 'five,5'"),
        ("--surveys --noise nan,5", "--noise is 'nan,5'; give 2 numbers"),
        ("--surveys --hidden 1", "hidden is 1.0"),
        ("--surveys --foreign -1", "foreign is -1"),
        ("--pictures --look marble", "look is 'marble'"),
        ("--videos --size 100", "size is 100"),
        ("--size 3", "--size is '3'; give a whole number, "),
        ("--format coco", "--format is 'coco'; choose one of paper, huggingface"),
        ("--format huggingface --csv", "--csv is for --format paper; leave it out, or leave out --format huggingface"),
        ("--format huggingface --surveys --noise 5,5", "--surveys, --noise is for --format paper"),
        ("--format huggingface --look marble", "look is 'marble'; choose one of wood, stone, paper"),
    ],
)
def test_wrong_words_leave_no_trace(export, tmp_path: Path, words: str, message: str) -> None:
    code, out, err = export(words)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "data").exists()


def test_what_is_no_dataset(call_main, capsys, tmp_path: Path) -> None:
    assert call_main(f"export {tmp_path} --out {tmp_path / 'data'}") == 2
    assert f"{tmp_path} is not a dataset" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made(export, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    code, out, err = export()
    assert (code, out) == (2, "")  # before any work
    assert str(tmp_path / "data") in err
    assert "Traceback" not in err
