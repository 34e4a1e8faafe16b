"""Uploads: what is taken, under which name, and what is refused."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.errors import InvalidInput
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
