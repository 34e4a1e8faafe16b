"""Pictures of any kind as the square of grey that a model looks at; and files that are none."""

import io
import struct
import threading
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from anastylosis.errors import InvalidInput
from anastylosis.models import image_file
from anastylosis.models.picture import read_picture
from anastylosis.rendering.image import to_grey

SIZE = 32
ORIENTATION = 0x0112


@pytest.fixture
def rgb() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (SIZE, SIZE, 3), dtype=np.uint8)


@pytest.fixture
def grey(rgb: np.ndarray) -> np.ndarray:
    return to_grey(rgb)


@pytest.mark.parametrize("ending", ["png", "tif", "bmp", "ppm", "webp"])
def test_grey_is_that_of_the_pictures_that_were_learned(tmp_path: Path, rgb: np.ndarray, grey: np.ndarray, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    Image.fromarray(rgb).save(path, **({"lossless": True} if ending == "webp" else {}))
    for source in (path, str(path), rgb, Image.fromarray(rgb)):
        picture = read_picture(source, SIZE)
        assert picture.grey.dtype == np.uint8
        np.testing.assert_array_equal(picture.grey, grey)
        assert picture.warnings == ()


@pytest.mark.parametrize(
    ("array", "step"),
    [
        (lambda grey: grey, 0),
        (lambda grey: grey[:, :, None], 0),
        (lambda grey: np.repeat(grey[:, :, None], 3, axis=2), 0),
        (lambda grey: np.dstack([grey, grey, grey, np.full_like(grey, 255)]), 0),
        (lambda grey: grey.astype(np.uint16) * 257, 0),
        (lambda grey: (grey / 255).astype(np.float32), 0),
        (lambda grey: grey / 255.0, 0),
        (lambda grey: np.flipud(np.flipud(grey).copy()), 0),
        (lambda grey: Image.fromarray(grey).convert("P"), 0),
        (lambda grey: Image.fromarray(grey).convert("LA"), 0),
        (lambda grey: Image.fromarray(grey).convert("RGBA"), 0),
        (lambda grey: Image.fromarray(grey).convert("RGB").convert("CMYK"), 0),
        (lambda grey: Image.fromarray(grey).convert("YCbCr"), 1),
        (lambda grey: Image.fromarray(grey).convert("RGB").convert("HSV"), 1),
        (lambda grey: Image.fromarray(grey).convert("I").point(lambda value: value * 257), 0),
        (lambda grey: Image.fromarray(grey.astype(np.uint16) * 257), 0),
        (lambda grey: Image.fromarray(grey.astype(">u2") * np.array(257, ">u2")), 0),
        (lambda grey: Image.fromarray(grey).convert("F"), 0),
        (lambda grey: Image.fromarray((grey / 255).astype(np.float32)), 0),
    ],
)
def test_kinds_of_pixels(grey: np.ndarray, array: Any, step: int) -> None:
    found = read_picture(array(grey), SIZE).grey.astype(int)
    assert np.abs(found - grey).max() <= step


@pytest.mark.parametrize("kind", [np.bool_, "1"])
def test_black_and_white(kind: Any) -> None:
    board = np.indices((SIZE, SIZE)).sum(axis=0) % 2 == 0
    source = Image.fromarray(board) if kind == "1" else board
    np.testing.assert_array_equal(read_picture(source, SIZE).grey, board * 255)


def test_sixteen_bits_and_palettes_in_files(tmp_path: Path, grey: np.ndarray) -> None:
    Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "deep.tif")
    Image.fromarray(grey).convert("P").save(tmp_path / "few.gif")
    for name in ("deep.png", "deep.tif", "few.gif"):
        np.testing.assert_array_equal(read_picture(tmp_path / name, SIZE).grey, grey)


def test_cmyk_jpeg(tmp_path: Path) -> None:
    """Smooth, so that JPEG keeps it; printers' colours come back as the greys they print."""
    ramp = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (64, 1))
    Image.fromarray(ramp).convert("CMYK").save(tmp_path / "a.jpg", quality=95)
    with Image.open(tmp_path / "a.jpg") as image:
        assert image.mode == "CMYK"
    found = read_picture(tmp_path / "a.jpg", 64).grey.astype(int)
    assert np.abs(found - ramp).max() <= 6


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("ending", ["png", "tif", "jpg", "webp"])
def test_the_way_the_camera_was_held(tmp_path: Path, orientation: int, ending: str) -> None:
    """A dark floor at the bottom, a bright corner top left; what the file has is turned, and its tag says how to turn back."""
    upright = np.full((48, 48), 120, np.uint8)
    upright[36:] = 30
    upright[:12, :12] = 240
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.T,
        6: np.rot90(upright, 1),  # shown turned clockwise by a quarter
        7: upright[::-1, ::-1].T,
        8: np.rot90(upright, -1),
    }[orientation]
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    options = {"jpg": {"quality": 95}, "webp": {"lossless": True}}.get(ending, {})
    Image.fromarray(np.ascontiguousarray(stored)).save(tmp_path / f"a.{ending}", exif=exif, **options)
    found = read_picture(tmp_path / f"a.{ending}", 48).grey.astype(int)
    assert np.abs(found - upright).mean() < 1


def test_a_tag_that_is_no_orientation_is_left_out(tmp_path: Path, rgb: np.ndarray, grey: np.ndarray) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 77
    Image.fromarray(rgb).save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(read_picture(tmp_path / "a.png", SIZE).grey, grey)


def test_what_is_transparent_becomes_the_rim() -> None:
    rgba = np.full((SIZE, SIZE, 4), 255, np.uint8)
    rgba[:, :, :3] = 90
    rgba[8:16, 8:16] = (255, 0, 0, 0)
    picture = read_picture(rgba, SIZE)
    assert set(np.unique(picture.grey)) == {90}
    assert "transparent" in picture.warnings[0]


def test_a_block_cut_out_of_its_background_lies_on_white() -> None:
    rgba = np.zeros((SIZE, SIZE, 4), np.uint8)
    rgba[8:16, 8:16] = (50, 50, 50, 255)
    rgba[20:24, 20:24] = (0, 0, 0, 128)  # half there
    grey = read_picture(rgba, SIZE).grey
    assert (grey[0, 0], grey[10, 10], grey[22, 22]) == (255, 50, 127)


def test_the_transparent_colour_of_a_palette(tmp_path: Path) -> None:
    image = Image.new("P", (SIZE, SIZE), 0)
    image.putpalette([10, 10, 10, 200, 200, 200])
    image.paste(1, (8, 8, 16, 16))
    image.save(tmp_path / "a.png", transparency=0)
    picture = read_picture(tmp_path / "a.png", SIZE)
    assert (picture.grey[0, 0], picture.grey[10, 10]) == (255, 200)
    assert len(picture.warnings) == 1


@pytest.mark.parametrize("ending", ["gif", "png", "tif", "webp"])
def test_the_first_of_several(tmp_path: Path, ending: str) -> None:
    frames = [Image.fromarray(np.tile(np.arange(0, 128, 4, np.uint8) + shift, (SIZE, 1))) for shift in (0, 100)]
    frames[0].save(tmp_path / f"a.{ending}", save_all=True, append_images=frames[1:], lossless=True)
    picture = read_picture(tmp_path / f"a.{ending}", SIZE)
    np.testing.assert_array_equal(picture.grey, np.asarray(frames[0]))
    assert picture.warnings == ("there are several pictures in it; only number 1 was looked at",)


@pytest.mark.parametrize("shape", [(20, 40), (40, 20)])
def test_the_whole_picture_is_kept_with_its_rim_beside_it(shape: tuple[int, int]) -> None:
    source = np.full(shape, 80, np.uint8)
    source[5:15, 5:15] = 200
    source[-1, -1] = 255  # one odd pixel does not colour the bands
    picture = read_picture(source, 40)
    assert picture.grey.shape == (40, 40)
    middle = picture.grey[10:30] if shape[0] < shape[1] else picture.grey[:, 10:30]
    np.testing.assert_array_equal(middle, source)
    bands = picture.grey[:10] if shape[0] < shape[1] else picture.grey[:, :10]
    assert (bands == 80).all()
    assert f"{shape[1]} x {shape[0]} pixels" in picture.warnings[0]


@pytest.mark.parametrize("side", [33, 37, 64, 100, 257, 1000, 1023])
def test_every_pixel_is_the_mean_of_its_area(side: int) -> None:
    """Thin lines, one pixel in seven, at any ratio of sizes: compared with a picture of which each pixel is 32 x 32 pixels."""
    lines = np.zeros((side, side), np.uint8)
    lines[:, ::7] = 255
    exact = np.repeat(lines[0].astype(float), SIZE).reshape(SIZE, side).mean(axis=1)  # a part is `side` of these pixels wide
    for turned in (lines, lines.T):
        found = read_picture(turned, SIZE).grey
        line = found[7] if turned is lines else found[:, 7]
        assert np.abs(line - exact).max() <= 0.5 + 1e-4
        assert (found == (line if turned is lines else line[:, None])).all()


def test_small_pictures() -> None:
    source = np.random.default_rng(0).integers(0, 256, (16, 16), dtype=np.uint8)
    picture = read_picture(source, SIZE)
    np.testing.assert_array_equal(picture.grey, source.repeat(2, axis=0).repeat(2, axis=1))
    assert picture.warnings == ("it has only 16 x 16 pixels; the model looks at 32 x 32",)


@pytest.mark.parametrize("shape", [(1, 1), (15, 200), (15, 15), (0, 0), (0, 40), (7,), ()])
def test_too_small(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match="nothing can be seen in less than 16 x 16"):
        read_picture(np.zeros(shape, np.uint8), SIZE)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.zeros((32, 32, 2), np.uint8), r"shape \(32, 32, 2\)"),
        (np.zeros((32, 32, 3, 1), np.uint8), r"shape \(32, 32, 3, 1\)"),
        (np.zeros((32, 32), np.int64), "array of int64"),
        (np.zeros((32, 32), complex), "array of complex128"),
        (np.full((32, 32), "x"), "array of <U1"),
        (np.full((32, 32), 200.0), r"values 200..200; .*0..1"),
        (np.full((32, 32), -0.5), "values -0.5"),
        (np.full((32, 32), np.nan), "values nan"),
        (np.zeros((17, 200)), "a strip longer than 8 to 1"),
        (Image.new("I", (32, 32), 70_000), "values 70000..70000"),
        (Image.new("F", (32, 32), 1e6), "values"),
        (None, "not NoneType"),
        (3, "not int"),
        ([[0, 1], [1, 0]], "not list"),
    ],
)
def test_what_is_no_picture(source: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_picture(source, SIZE)


def test_arrays_are_limited_like_files() -> None:
    many = np.broadcast_to(np.uint8(0), (20_000, 20_000))
    with pytest.raises(InvalidInput, match="20,000 x 20,000 pixels; at most 64 million"):
        read_picture(many, SIZE)


def write_png(path: Path, width: int, height: int) -> None:
    """A PNG whose header tells of a size, and that has next to no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b""))


@pytest.mark.parametrize("side", [8_001, 10_000, 20_000, 2**31 - 1])
def test_bombs_are_refused_by_their_header(tmp_path: Path, monkeypatch, side: int) -> None:
    """Above our limit, above the one at which Pillow warns, above that at which it refuses; no pixel is decoded."""
    write_png(tmp_path / "a.png", side, side)
    monkeypatch.setattr(Image.Image, "load", lambda _: pytest.fail("decoded"))
    with pytest.raises(InvalidInput, match=r"a\.png has .*pixels; at most 64 million are read"):
        read_picture(tmp_path / "a.png", SIZE)


def test_the_settings_of_pillow_do_not_matter(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)
    write_png(tmp_path / "a.png", 20_000, 20_000)
    with pytest.raises(InvalidInput, match="20,000 x 20,000 pixels"):
        read_picture(tmp_path / "a.png", SIZE)


@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "webp", "bmp", "gif", "ppm"])
def test_files_that_are_cut_anywhere(tmp_path: Path, ending: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    whole = tmp_path / f"whole.{ending}"
    Image.fromarray(noise).save(whole)
    data = whole.read_bytes()
    for share in (0.01, 0.1, 0.5, 0.9):
        (tmp_path / "cut").write_bytes(data[: int(share * len(data))])
        with pytest.raises(InvalidInput, match=r"cut (is not a picture|cannot be read as a picture)"):
            read_picture(tmp_path / "cut", SIZE)


def test_files_that_are_none(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "words.png").write_text("debris, 14 blocks")
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "drawing.eps").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n%%EndComments\n")
    stream = io.BytesIO()
    Image.new("L", (32, 32)).save(stream, "ICNS")
    (tmp_path / "icon.png").write_bytes(stream.getvalue())
    for name, message in [
        ("words.png", "not a picture that can be read here; these are: PNG, JPEG"),
        ("drawing.eps", "not a picture that can be read here"),
        ("icon.png", "not a picture that can be read here"),
        ("empty.png", "is empty"),
        ("nowhere.png", "there is no picture"),
        ("", "is a folder"),
    ]:
        with pytest.raises(InvalidInput, match=message) as refused:
            read_picture(tmp_path / name, SIZE)
        assert str(tmp_path / name) in str(refused.value)
    monkeypatch.setattr(image_file, "FILE_MAX", 10)
    with pytest.raises(InvalidInput, match="a picture has at most"):
        read_picture(tmp_path / "words.png", SIZE)


@pytest.mark.parametrize(
    ("source", "blank"),
    [
        (np.zeros((SIZE, SIZE), np.uint8), True),
        (np.full((SIZE, SIZE), 255, np.uint8), True),
        (np.full((SIZE, 2 * SIZE), 77, np.uint8), True),
        (np.tile(np.array([100, 101], np.uint8), (SIZE, SIZE // 2)), False),
        (np.pad(np.full((4, 4), 140, np.uint8), (0, SIZE - 4), constant_values=100), False),
    ],
)
def test_blank(source: np.ndarray, blank: bool) -> None:
    assert read_picture(source, SIZE).is_blank is blank


def test_filters_of_warnings_are_left_as_they_were(tmp_path: Path, rgb: np.ndarray) -> None:
    """Also when many threads read at once."""
    Image.fromarray(rgb).save(tmp_path / "a.png")
    before = list(warnings.filters)
    threads = [threading.Thread(target=read_picture, args=(tmp_path / "a.png", SIZE)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before
