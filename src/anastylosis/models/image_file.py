"""Image files: formats, limits, and upright RGB pixels. Sizes are checked before any pixel is decoded."""

import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from anastylosis.errors import InvalidInput
from anastylosis.picture_format import CAMERA_TEXT

ORIENTATION = 0x0112  # the EXIF tag: how the camera was held
EXIF_PART = 0x8769  # the tag of that part of the EXIF that tells of lens and exposure
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
ALPHA_MODES = ("LA", "La", "PA", "RGBA", "RGBa")
WHITE = (255, 255, 255)
FLOAT_SLACK = 0.01  # how far floats may be outside 0..1: filters overshoot
FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF", "PPM")
FILE_MAX = 200_000_000  # bytes
PIXELS_MAX = 64_000_000  # a decoded picture takes four bytes for each; telephones take 50 million
SIDE_MIN = 16  # [pixels] less than this is an icon
RATIO_MAX = 8  # of the longer side to the shorter: more is a strip, and its blocks would be a pixel high
LOCK = threading.Lock()  # the filter of warnings is one for all threads


def read_rgb(path: Path) -> NDArray[np.uint8]:
    """Read a file as RGB (H, W, 3), upright by its EXIF."""
    with decoding(str(path)), open_image(path) as image:
        check_sides(str(path), *image.size)
        return np.asarray(flatten_alpha(load_upright(image, str(path)))[0].convert("RGB"))


def load_upright(image: Image.Image, name: str) -> Image.Image:
    """Decode an opened image as RGB or RGBA, eight bits, upright by its EXIF."""
    image.load()
    orientation = image.getexif().get(ORIENTATION)  # after the pixels: in a PNG it may come last, and a TIFF is then upright
    return turn_upright(to_eight_bits(image, name), orientation)


def to_eight_bits(image: Image.Image, name: str) -> Image.Image:
    """Convert a decoded image to RGB, or RGBA if it has transparency. 16 bits: 0..65535; floats: 0..1, or Pillow's 0..255."""
    if image.mode == "F":
        values = np.asarray(image)
        return array_to_image(values / 255 if values.max() > 1 + FLOAT_SLACK else values, name)
    if image.mode == "I":
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 65535:
            raise InvalidInput(f"{name} has values {values.min()}..{values.max()}; a picture of whole numbers has 0..65535")
        return array_to_image(values.astype(np.uint16), name)
    if image.mode.startswith("I;16"):
        return array_to_image(np.asarray(image).astype(np.uint16), name)
    wanted = "RGBA" if image.mode in ALPHA_MODES or "transparency" in image.info else "RGB"
    return image if image.mode == wanted else image.convert(wanted)


def array_to_image(array: NDArray[Any], name: str) -> Image.Image:
    """Convert (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) of uint8, uint16, bool or float 0..1 to RGB, or RGBA."""
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)):
        raise InvalidInput(f"{name} has the shape {array.shape}; a picture is (H, W), (H, W, 3) or (H, W, 4)")
    return Image.fromarray(np.ascontiguousarray(array_to_bytes(array, name))).convert(
        "RGBA" if array.shape[2:] == (4,) else "RGB"
    )


def array_to_bytes(array: NDArray[Any], name: str) -> NDArray[np.uint8]:
    """Convert an array of numbers to bytes; raise for other types and ranges."""
    if array.dtype == np.uint8:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype == np.uint16:
        return np.rint(array / np.float32(257)).astype(np.uint8)  # 65535 = 255 * 257
    if array.dtype.kind != "f":
        raise InvalidInput(f"{name} is an array of {array.dtype}; a picture is uint8, uint16, bool, or float from 0 to 1")
    low, high = float(array.min()), float(array.max())
    if not (low >= -FLOAT_SLACK and high <= 1 + FLOAT_SLACK):  # also NaN
        raise InvalidInput(f"{name} has values {low:g}..{high:g}; a picture of floats has 0..1 (divide bytes by 255)")
    return np.rint(array.clip(0, 1) * 255).astype(np.uint8)


def turn_upright(image: Image.Image, orientation: Any) -> Image.Image:
    """Turn an image upright, by the orientation that its camera noted; invalid ones are ignored."""
    turn = TURNS.get(orientation) if isinstance(orientation, int) else None
    return image if turn is None else image.transpose(turn)


def flatten_alpha(image: Image.Image) -> tuple[Image.Image, bool]:
    """Return an RGBA image as RGB, and whether any of it was transparent.

    Transparent parts get the median colour of the rim if at least half of the rim is opaque; else white, as in most viewers.
    """
    if image.mode != "RGBA":
        return image, False
    alpha = image.getchannel("A")
    if alpha.getextrema()[0] == 255:
        return image.convert("RGB"), False
    rim = find_rim(image)
    opaque = rim[rim[:, 3] >= 128, :3]
    colour = tuple(int(value) for value in np.median(opaque, axis=0)) if 2 * len(opaque) >= len(rim) else WHITE
    flat = Image.new("RGB", image.size, colour)
    flat.paste(image, mask=alpha)
    return flat, True


def find_rim(image: Image.Image) -> NDArray[np.uint8]:
    """Return the pixels (R, channels) of the outermost rows and columns."""
    width, height = image.size
    sides = ((0, 0, width, 1), (0, height - 1, width, height), (0, 1, 1, height - 1), (width - 1, 1, width, height - 1))
    channels = len(image.getbands())
    return np.concatenate([np.asarray(image.crop(side)).reshape(-1, channels) for side in sides])


def read_camera_text(path: Path) -> str | None:
    """Read the camera that is stored in a drawn picture, as text; None: there is none."""
    with decoding(str(path)), open_image(path) as image:
        text = image.info.get(CAMERA_TEXT)
    return text if isinstance(text, str) else None


def read_exif_numbers(path: Path) -> dict[int, float]:
    """Read the numbers that a camera wrote into a picture, by EXIF tag; those that are no finite numbers are left out."""
    with decoding(str(path)), open_image(path) as image:
        tags = dict(image.getexif().get_ifd(EXIF_PART))
    numbers = {}
    for tag, value in tags.items():
        try:
            number = float(value)
        except (TypeError, ValueError, ZeroDivisionError):
            continue
        if math.isfinite(number):
            numbers[int(tag)] = number
    return numbers


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
