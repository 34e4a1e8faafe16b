"""Uploads: what is taken, under which name, and what is refused."""

import io
import threading
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from PIL import Image

from anastylosis.errors import InvalidInput
from anastylosis.survey import Ground, Survey, write_survey
from anastylosis.survey.csv_file import STONES_MAX
from anastylosis.web.config import SURVEY_MAX
from anastylosis.web.uploads import EXAMPLES, keep_upload, name_safely

MOST = 1_000_000


def png(width: int = 32, height: int = 32) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.zeros((height, width, 3), np.uint8)).save(file, "PNG")
    return file.getvalue()


def test_a_picture_gets_a_name_of_ours_in_the_folder(tmp_path: Path) -> None:
    given = keep_upload(tmp_path, png(), "../../etc/passwd", MOST)
    assert (given.path, given.kind, given.name) == (tmp_path / "picture.png", "picture", "passwd")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]


def test_a_survey_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    given = keep_upload(tmp_path, EXAMPLES["survey"].path.read_bytes(), "stones.txt", MOST)
    assert (given.path, given.kind) == (tmp_path / "survey.csv", "survey")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02", "binary"),
        (b"a,b\n1,2\n", "stones.csv"),
        (b"{}", "stones.csv"),
        (png(16, 4000), "strip"),
        (b"x" * (MOST + 1), "at most"),
    ],
)
def test_what_is_no_picture_and_no_survey_is_refused_and_not_kept(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as refused:
        keep_upload(tmp_path, content, "stones.csv", MOST)
    assert str(tmp_path) not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("content", "name"), [(b"a heap of blocks\n", "heap.PNG"), (b"%PDF-1.7\nid,length\n", "heap.csv")])
def test_what_says_it_is_a_picture_or_a_document_is_not_read_as_a_table(tmp_path: Path, content: bytes, name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name} is no picture that can be read, and no table") as caught:
        keep_upload(tmp_path, content, name, MOST)
    assert caught.value.kind == "not_text"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "shown"), [("a/b.csv", "b.csv"), ("C:\\x\\y.png", "y.png"), ("\x00\x1b[2J", "[2J"), ("", "?"), ("x" * 200, "x" * 60)]
)
def test_names_are_for_the_eye_alone(name: str, shown: str) -> None:
    assert name_safely(name) == shown


@pytest.mark.parametrize("ending", [".csv", ".json"])
def test_a_survey_of_as_many_blocks_as_are_read_is_small_enough(tmp_path: Path, ending: str) -> None:
    """With every column, all digits, and a remark of a hundred letters on each block."""
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(STONES_MAX, 4))
    survey = Survey(
        ids=tuple(f"LOCUS-2026-{number:06d}" for number in range(STONES_MAX)),
        size=np.sort(rng.uniform(0.01, 0.1, (STONES_MAX, 3)))[:, ::-1],
        position=rng.normal(size=(STONES_MAX, 3)),
        orientation=turns / np.linalg.norm(turns, axis=1, keepdims=True),
        position_sd=rng.uniform(0.001, 0.01, STONES_MAX),
        orientation_sd=rng.uniform(0.01, 0.1, STONES_MAX),
        certainty=rng.uniform(0.1, 1.0, STONES_MAX),
        notes=("x" * 100,) * STONES_MAX,
        ground=Ground(origin=(487213.402, 2251876.118, 43.2), heading=0.5),
    )
    path = tmp_path / f"survey{ending}"
    write_survey(path, survey)
    assert 0.3 * SURVEY_MAX < path.stat().st_size < 0.6 * SURVEY_MAX


@pytest.mark.parametrize(("letter", "name"), [(b"x", "stones.csv"), (b"[", "stones.json"), (b"x", "stones")])
def test_a_table_that_is_larger_than_any_survey_is_not_read(tmp_path: Path, monkeypatch, letter: bytes, name: str) -> None:
    monkeypatch.setattr("anastylosis.web.uploads.read_survey", lambda path: pytest.fail("it was read"))
    with pytest.raises(InvalidInput, match=r"10\.0 MB; a survey has 10 at most, enough for 10,000 blocks") as caught:
        keep_upload(tmp_path, letter * (SURVEY_MAX + 1), name, 5 * SURVEY_MAX)
    assert caught.value.kind == "file_large"
    assert list(tmp_path.iterdir()) == []


def test_tables_are_read_one_at_a_time(tmp_path: Path, monkeypatch) -> None:
    reading: list[Path] = []
    most = 0

    def read(path: Path) -> None:
        nonlocal most
        reading.append(path)
        most = max(most, len(reading))
        sleep(0.02)
        reading.remove(path)

    monkeypatch.setattr("anastylosis.web.uploads.read_survey", read)
    folders = [tmp_path / str(number) for number in range(8)]
    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=keep_upload, args=(folder, b"id,x\n", "a.csv", MOST)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
    assert all((folder / "survey.csv").exists() for folder in folders)
