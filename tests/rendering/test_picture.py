"""PNG files: the pixels and nothing else."""

import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.errors import InvalidInput
from anastylosis.rendering import write_png


@pytest.fixture
def picture() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (31, 45, 3), dtype=np.uint8)


def test_pixels_come_back(tmp_path: Path, picture: np.ndarray) -> None:
    write_png(tmp_path / "a.png", picture)
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "RGB"
        assert (np.asarray(image) == picture).all()


def test_views_are_written_as_they_look(tmp_path: Path, picture: np.ndarray) -> None:
    write_png(tmp_path / "a.png", picture[::-1, ::2])
    with Image.open(tmp_path / "a.png") as image:
        assert (np.asarray(image) == picture[::-1, ::2]).all()


def test_nothing_but_pixels_is_inside(tmp_path: Path, picture: np.ndarray) -> None:
    """Chunks for the header, the pixels and the end: no text, time or profile that could give an answer away."""
    write_png(tmp_path / "L09_1_removed.png", picture)
    data = (tmp_path / "L09_1_removed.png").read_bytes()
    chunks, at = set(), 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        chunks.add(name)
        at += 12 + size
    assert chunks == {b"IHDR", b"IDAT", b"IEND"}


def test_same_picture_same_bytes(tmp_path: Path, picture: np.ndarray) -> None:
    write_png(tmp_path / "a.png", picture)
    write_png(tmp_path / "b.png", picture.copy())
    write_png(tmp_path / "c.png", 255 - picture)
    data = [(tmp_path / f"{name}.png").read_bytes() for name in "abc"]
    assert data[0] == data[1] != data[2]


def test_a_picture_that_cannot_be_written_leaves_the_one_before(tmp_path: Path, picture: np.ndarray, monkeypatch) -> None:
    write_png(tmp_path / "a.png", picture)
    before = (tmp_path / "a.png").read_bytes()

    def fail(self: Image.Image, path: Path, **_: object) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(OSError, match="no space"):
        write_png(tmp_path / "a.png", picture)
    assert (tmp_path / "a.png").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("a.jpg", lambda picture: picture, "end in .png"),
        ("there/a.png", lambda picture: picture, "not there: make it first"),
        ("a.png", lambda picture: picture / 255, "not array of float64"),
        ("a.png", lambda picture: picture[:, :, 0], "not \\(31, 45\\)"),
        ("a.png", lambda picture: picture[:0], "not \\(0, 45, 3\\)"),
    ],
)
def test_refusals(tmp_path: Path, picture: np.ndarray, name: str, change, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        write_png(tmp_path / name, change(picture))
    assert list(tmp_path.iterdir()) == []
