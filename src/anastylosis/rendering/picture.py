"""Picture: uint8 (H, W, 3), red, green, blue, first row on top; its checks and its PNG file."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from anastylosis.arrays import Pixels
from anastylosis.errors import InvalidInput
from anastylosis.picture_format import CAMERA_TEXT
from anastylosis.rendering.camera import Camera
from anastylosis.whole_file import write_whole

Picture = Pixels


def check_picture(picture: Any) -> Picture:
    """Return the picture, its bytes in one piece; refuse what is not uint8 (H, W, 3)."""
    if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8:
        kind = f"array of {picture.dtype}" if isinstance(picture, np.ndarray) else type(picture).__name__
        raise InvalidInput(f"a picture is an array of uint8, 0 to 255, not {kind}")
    if picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise InvalidInput(f"a picture has the shape (height, width, 3), not {picture.shape}")
    return np.ascontiguousarray(picture)


def check_path(path: str | Path, suffix: str) -> Path:
    """Return the path of a file that can be written; refuse any other before hours of work are lost."""
    path = Path(path)
    if path.suffix.lower() != suffix:
        raise InvalidInput(f"{str(path)!r} has to end in {suffix}: nothing else is written here")
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise InvalidInput(f"the folder {str(path.parent)!r} is not there: make it first")
    return path


def write_png(path: str | Path, picture: Picture, camera: Camera | None = None) -> None:
    """Write a picture as PNG: pixels and nothing else, no time, no name of a program; whole or not at all.

    With `camera` the file also says where it was taken from, as a text: `anastylosis survey` reads it.
    """
    image = Image.fromarray(check_picture(picture))
    info = None
    if camera:
        info = PngInfo()
        info.add_text(CAMERA_TEXT, json.dumps({"format": camera.FORMAT} | asdict(camera)))
    with write_whole(check_path(path, ".png")) as part:
        image.save(part, format="PNG", compress_level=6, pnginfo=info)
