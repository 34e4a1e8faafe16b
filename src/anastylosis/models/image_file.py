"""Image files: formats and limits. Sizes are checked before any pixel is decoded."""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from anastylosis.errors import InvalidInput

__all__ = ["FORMATS", "PIXELS_MAX", "SIDE_MIN", "check_sides", "decoding", "is_image", "open_image", "read_note"]

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF", "PPM")
FILE_MAX = 200_000_000  # bytes
PIXELS_MAX = 64_000_000  # a decoded picture takes four bytes for each; telephones take 50 million
SIDE_MIN = 16  # [pixels] less than this is an icon
RATIO_MAX = 8  # of the longer side to the shorter: more is a strip, and its blocks would be a pixel high

LOCK = threading.Lock()  # the filter of warnings is one for all threads


def read_note(path: Path, key: str) -> str | None:
    """Read a text that is stored in a picture under a key; None: there is none."""
    with decoding(str(path)), open_image(path) as image:
        text = image.info.get(key)
    return text if isinstance(text, str) else None


@contextmanager
def open_image(path: Path) -> Iterator[Image.Image]:
    """Open a file as an image whose pixels are not decoded yet. Use it within `decoding`."""
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder; name a picture in it")
    if not path.is_file():
        raise InvalidInput(f"there is no picture {path}")
    size = path.stat().st_size
    if size == 0:
        raise InvalidInput(f"{path} is empty", kind="file_empty")
    if size > FILE_MAX:
        raise InvalidInput(f"{path} has {size / 1e6:,.0f} MB; a picture has at most {FILE_MAX / 1e6:,.0f}", kind="file_large")
    with path.open("rb") as file, Image.open(file, formats=FORMATS) as image:
        yield image


def is_image(path: Path) -> bool:
    """Return whether a file begins as a picture does; the rest of it may still be broken."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large ones: `open_image` raises
            Image.open(path, formats=FORMATS).close()
    except UnidentifiedImageError:
        return False
    except Exception:  # broken, too large or unreadable: `open_image` raises
        return True
    return True


@contextmanager
def decoding(name: str) -> Iterator[None]:
    """Turn Pillow's errors and warnings within into one message about `name`."""
    with LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd tags, palettes: nothing that users could mend
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            yield
        except (InvalidInput, PermissionError):
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise InvalidInput(f"{name} has too many pixels; {describe_limit()}", kind="picture_large") from error
        except UnidentifiedImageError as error:
            raise InvalidInput(
                f"{name} is not a picture that can be read here; these are: {', '.join(FORMATS)}", kind="picture_format"
            ) from error
        except Exception as error:  # decoders of broken files raise anything: SyntaxError, struct.error, IndexError
            raise InvalidInput(
                f"{name} cannot be read as a picture, it may be cut short: {error}", kind="picture_broken"
            ) from error


def check_sides(name: str, width: int, height: int) -> None:
    """Raise unless a picture may have these sides [pixels]; call it before its pixels are decoded."""
    if width * height > PIXELS_MAX:
        raise InvalidInput(f"{name} has {width:,} x {height:,} pixels; {describe_limit()}", kind="picture_large")
    if min(width, height) < SIDE_MIN:
        raise InvalidInput(
            f"{name} has {width} x {height} pixels; nothing can be seen in less than {SIDE_MIN} x {SIDE_MIN}",
            kind="picture_small",
        )
    if max(width, height) > RATIO_MAX * min(width, height):
        raise InvalidInput(
            f"{name} has {width:,} x {height:,} pixels; a strip longer than {RATIO_MAX} to 1 is not looked at",
            kind="picture_strip",
        )


def describe_limit() -> str:
    """Describe how many pixels are read at most."""
    return f"at most {PIXELS_MAX / 1e6:g} million are read: make it smaller first"
