"""Picture: whatever shows debris, as the square of grey bytes that a model looks at.

The whole picture is kept. A crop could cut blocks off, and a block that is not seen looks like one that was gone; so a picture
that is not square is fitted into the square, and the bands beside it get the median grey of its rim. Every pixel of the
square is the mean of the area that it covers: thin edges between blocks become paler, they do not come and go.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from anastylosis.errors import InvalidInput
from anastylosis.models.image_file import check_sides, decoding, open_image
from anastylosis.models.pixels import ORIENTATION, array_to_image, find_rim, flatten_alpha, to_eight_bits, turn_upright
from anastylosis.models.viewpoint import CAMERA_TEXT

__all__ = ["Picture", "cover_pixels", "read_picture"]

LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601: `rendering.to_grey`, which learned pictures have gone through; that room loads numba
BAND = 512  # rows that are looked at together
CONTRAST_MIN = 0.5  # grey levels, standard deviation; drawn towers have 1.2 (pale on pale, in a dim light) to 16

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """What a model looks at, and what was done to get there that may matter."""

    grey: NDArray[np.uint8]  # (S, S), 0 black
    warnings: tuple[str, ...] = ()
    camera: str | None = None  # what the file says of its camera

    @property
    def is_blank(self) -> bool:
        """All of one shade, or nearly."""
        return float(np.std(self.grey)) < CONTRAST_MIN


def read_picture(source: Any, size: int) -> Picture:
    """`source` as `size` x `size` pixels: a path, a Pillow image or an array; see `array_to_image` and docs/how-to."""
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
    """The header first, then the pixels."""
    check_sides(name, *image.size)
    warnings = []
    if getattr(image, "is_animated", False) and image.format != "MPO":  # a photograph with a preview inside
        warnings.append(f"there are several pictures in it; only number {image.tell() + 1} was looked at")
    image.load()
    orientation = image.getexif().get(ORIENTATION)  # after the pixels: in a PNG it may come last, and a TIFF is then upright
    fitted = fit_square(turn_upright(to_eight_bits(image, name), orientation), size, warnings)
    return replace(fitted, camera=image.info.get(CAMERA_TEXT))


def fit_square(image: Image.Image, size: int, warnings: list[str]) -> Picture:
    """An RGB or RGBA image in a square of grey."""
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
    """(rows, columns) the mean grey of each of so many equal parts of an RGB image; parts may begin and end within a pixel."""
    if image.size == (columns, rows):
        return mix_grey(np.asarray(image))  # to the last bit, as it was learned
    colours = [np.asarray(channel) for channel in image.split()]
    down, across = cover_pixels(image.height, rows), cover_pixels(image.width, columns).T
    mean = np.zeros((rows, columns))
    for top in range(0, image.height, BAND):  # as floats all of it would be gigabytes
        parts = (np.multiply(each[top : top + BAND], share, dtype=np.float32) for each, share in zip(colours, LUMA, strict=True))
        band = sum(parts)
        mean += down[:, top : top + BAND] @ (band @ across)
    return mean


def cover_pixels(length: int, parts: int) -> NDArray[np.float32]:
    """(parts, length) the share of each of so many equal parts of a row that each pixel covers; they add up to 1."""
    edges = np.arange(length + 1) * (parts / length)  # of the pixels, in parts
    begins = np.arange(parts)[:, None]
    return np.clip(np.minimum(edges[1:], begins + 1) - np.maximum(edges[:-1], begins), 0, None).astype(np.float32)


def mix_grey(rgb: NDArray[Any]) -> Floats:
    """(...) grey, not rounded, of (..., 3) sRGB."""
    red, green, blue = (rgb[..., k] * np.float64(weight) for k, weight in enumerate(LUMA))
    return red + green + blue
