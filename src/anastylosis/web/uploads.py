"""Uploads: what a visitor gives. Bytes become a file of a fixed name in the visitor's own folder; their name is only shown."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Literal, NamedTuple

from PIL import Image, UnidentifiedImageError

from anastylosis.errors import InvalidInput
from anastylosis.models import FORMATS, check_sides, decoding
from anastylosis.survey import read_survey
from anastylosis.web.config import SURVEY_MAX

FOLDER = Path(__file__).parents[1] / "examples"
NO_TABLE = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".ppm", ".heic", ".pdf")  # ends of names
PDF = b"%PDF-"  # what such a file begins with, whatever its name
READING = threading.Lock()  # a table takes many times its size while it is read
NAME_MAX = 60  # characters of a name that are shown


class InputFile(NamedTuple):
    """A file to reconstruct from."""

    path: Path  # in the visitor's folder, or an example that ships
    kind: Literal["picture", "survey"]
    name: str  # as the visitor calls it; for the eye alone
    layers: int | None = None  # that the tower had, where it is known
    pixels: int = 0  # of a picture that a visitor brought


EXAMPLES = {
    "picture": InputFile(FOLDER / "debris.png", "picture", "debris.png", 18),
    "survey": InputFile(FOLDER / "survey.csv", "survey", "survey.csv", 18),
}


def keep_upload(folder: Path, content: bytes, name: str, most: int) -> InputFile:
    """Save an upload and return what it is. Refuse what is neither a picture nor a survey.

    A picture is decoded by who shows it, `naming` what is wrong with it.
    """
    shown = name_safely(name)
    if not content:
        raise InvalidInput(f"{shown} is empty", kind="file_empty")
    if len(content) > most:
        raise InvalidInput(f"{shown} has {len(content) / 1e6:,.1f} MB; at most {most / 1e6:,.1f} are taken", kind="file_large")
    form, pixels = find_form(content, shown)
    if not form and (shown.lower().endswith(NO_TABLE) or content.startswith(PDF)):
        raise InvalidInput(f"{shown} is no picture that can be read, and no table", kind="not_text")
    if not form and len(content) > SURVEY_MAX:
        large = (
            f"{shown} has {len(content) / 1e6:,.1f} MB; a survey has {SURVEY_MAX / 1e6:,.0f} at most, enough for 10,000 blocks"
        )
        raise InvalidInput(large, kind="file_large")
    path = folder / (f"picture.{form}" if form else f"survey.{'json' if content.lstrip()[:1] in (b'{', b'[') else 'csv'}")
    path.write_bytes(content)
    given = InputFile(path, "picture" if form else "survey", shown, pixels=pixels)
    if given.kind == "survey":
        try:
            with naming(given), READING:
                read_survey(path)
        except Exception:
            path.unlink()
            raise
    return given


@contextmanager
def naming(given: InputFile) -> Iterator[None]:
    """Name the visitor's own file name in errors, not the name it is kept under.

    Errors without a kind get the kind of the file.
    """
    try:
        yield
    except InvalidInput as error:
        raise error.reword(error.what.replace(str(given.path), given.name), given.kind) from error


def find_form(content: bytes, shown: str) -> tuple[str, int]:
    """Return a picture's format in small letters, and its number of pixels, without decoding; "" and 0 if it is none."""
    with decoding(shown):
        try:
            with Image.open(BytesIO(content), formats=FORMATS) as image:
                check_sides(shown, *image.size)
                return (image.format or "").lower(), image.width * image.height
        except UnidentifiedImageError:
            return "", 0


def name_safely(name: str) -> str:
    """Return the last part of a name, without what cannot be printed."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(letter for letter in last if letter.isprintable())[:NAME_MAX] or "?"
