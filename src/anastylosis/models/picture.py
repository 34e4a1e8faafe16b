"""Picture: an image of debris as the square of grey bytes that a picture net takes.

The whole picture is kept: a crop could cut blocks off, and a block out of the picture looks like a removed one. A picture that is
not square is fitted into the square, and the bands beside it get the median grey of its rim. Every pixel of the square is the
mean of the area that it covers, so that thin edges between blocks become paler and do not come and go.
"""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.models.image_file import (
    CAMERA_TEXT,
    array_to_image,
    check_sides,
    decoding,
    find_rim,
    flatten_alpha,
    load_upright,
    open_image,
)
from anastylosis.models.picture_model import PictureView
from anastylosis.picture_format import LUMA

BYTES_MAX = 100_000
TURN, TILT = math.radians(9), math.radians(5)  # models are trained within 6 and 3 degrees; a little more does no harm
NEAR = 1e-6  # [m] least distance of a camera from its target
LARGER, SMALLER = 1.4, 0.7  # range of the width that the picture shows, as a share of the model's
BAND = 512  # rows at once
CONTRAST_MIN = 0.5  # grey levels, standard deviation; drawn towers have 1.2 (pale on pale, in a dim light) to 16


@np.errstate(over="ignore", invalid="ignore")  # infinite values are handled below
def warn_of_camera(text: Any, view: PictureView) -> list[str]:
    """Return a warning for a picture whose file describes another camera; nothing if no camera can be read."""
    try:
        document = json.loads(text) if isinstance(text, str) and len(text) <= BYTES_MAX else {}
        back = np.array(document["eye"], float) - np.array(document["target"], float)
        angle = float(document["field_of_view"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return []
    far = float(np.linalg.norm(back))
    if back.shape != (3,) or not math.isfinite(far) or far < NEAR or not 0 < angle < math.pi:
        return []
    turn = math.remainder(math.atan2(back[1], back[0]) - view.azimuth, 2 * math.pi)
    tilt = math.atan2(back[2], math.hypot(back[0], back[1])) - view.elevation
    shown, known = 2 * far * math.tan(angle / 2), 2 * view.reach  # [m] of the scene, from the lower edge to the upper one
    differs = []
    if abs(turn) > TURN:
        differs.append(f"{math.degrees(abs(turn)):.0f} degrees to the side")
    if abs(tilt) > TILT:
        differs.append(f"{math.degrees(abs(tilt)):.0f} degrees {'higher' if tilt > 0 else 'lower'}")
    if not SMALLER <= shown / known <= LARGER:
        differs.append(f"{shown:.1f} m in the picture instead of {known:.1f}")
    if not differs:
        return []
    return [
        f"it says that its camera is not the one that the model knows ({', '.join(differs)}): the answer is worth little. Draw "
        "it with `render --view model`, or give it to `reconstruct`, which reads pictures of any camera that is known"
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """Grey square for a model, and warnings about what was changed."""

    grey: NDArray[np.uint8]  # (S, S), 0 black
    warnings: tuple[str, ...] = ()
    camera: str | None = None  # text about the camera in the file

    @property
    def is_blank(self) -> bool:
        """Return whether a picture is all of one shade, or nearly."""
        return float(np.std(self.grey)) < CONTRAST_MIN


def read_picture(source: Any, size: int) -> Picture:
    """Read a path, a Pillow image or an array as `size` x `size` pixels; see `array_to_image` and docs/how-to."""
    if isinstance(source, str | Path):
        name = str(source)
        with decoding(name), open_image(Path(source)) as image:
            return read_image(image, name, size)
    if isinstance(source, Image.Image):
        with decoding("the image"):
            return read_image(source, "the image", size)
    if not isinstance(source, np.ndarray):
        raise InvalidInput(f"a picture is a path, a Pillow image or a numpy array, not {type(source).__name__}")
    height, width = source.shape[:2] if source.ndim > 1 else (0, 0)
    check_sides("the array", width, height)
    return fit_square(array_to_image(source, "the array"), size, [])


def read_image(image: Image.Image, name: str, size: int) -> Picture:
    """Check the header, then decode the pixels and fit them into the square."""
    check_sides(name, *image.size)
    warnings = []
    if getattr(image, "is_animated", False) and image.format != "MPO":  # a photograph with a preview inside
        warnings.append(f"there are several pictures in it; only number {image.tell() + 1} was looked at")
    fitted = fit_square(load_upright(image, name), size, warnings)
    return replace(fitted, camera=image.info.get(CAMERA_TEXT))


def fit_square(image: Image.Image, size: int, warnings: list[str]) -> Picture:
    """Fit an RGB or RGBA image into a square of grey."""
    width, height = image.size
    side = max(width, height)
    flat, transparent = flatten_alpha(image)
    rows, columns = (max(1, round(length * size / side)) for length in (height, width))
    top, left = (size - rows) // 2, (size - columns) // 2
    square = np.full((size, size), np.median(mix_grey(find_rim(flat))))
    square[top : top + rows, left : left + columns] = average_areas(flat, rows, columns)
    if transparent:
        warnings.append("it is transparent in places; they were filled with the colour of its rim, or white")
    if width != height:
        warnings.append(f"it has {width:,} x {height:,} pixels; models look at squares, so bands of grey were added to it")
    if side < size:
        warnings.append(f"it has only {width} x {height} pixels; the model looks at {size} x {size}")
    return Picture(grey=np.rint(square).astype(np.uint8), warnings=tuple(warnings))


def average_areas(image: Image.Image, rows: int, columns: int) -> Floats:
    """Return the mean grey of rows x columns equal parts of an RGB image; parts may begin and end within a pixel."""
    if image.size == (columns, rows):
        return mix_grey(np.asarray(image))  # to the last bit, as in training
    colours = [np.asarray(channel) for channel in image.split()]
    down, across = cover_pixels(image.height, rows), cover_pixels(image.width, columns).T
    mean = np.zeros((rows, columns))
    for top in range(0, image.height, BAND):  # as floats all of it would be gigabytes
        parts = (np.multiply(each[top : top + BAND], share, dtype=np.float32) for each, share in zip(colours, LUMA, strict=True))
        band = sum(parts)
        mean += down[:, top : top + BAND] @ (band @ across)
    return mean


def cover_pixels(length: int, parts: int) -> NDArray[np.float32]:
    """Return the shares (parts, length) of each of so many equal parts of a row that each pixel covers; they add up to 1."""
    edges = np.arange(length + 1) * (parts / length)  # of the pixels, in parts
    begins = np.arange(parts)[:, None]
    return np.clip(np.minimum(edges[1:], begins + 1) - np.maximum(edges[:-1], begins), 0, None).astype(np.float32)


def mix_grey(rgb: NDArray[Any]) -> Floats:
    """Mix (..., 3) sRGB into grey (...), not rounded."""
    red, green, blue = (rgb[..., k] * np.float64(weight) for k, weight in enumerate(LUMA))
    return red + green + blue
