"""Pictures on the page: made small, and written into it."""

import base64
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

QUALITY = 88  # of JPEG, in percent


def shrink(picture: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Shrink a picture until its longer side has so many pixels at most."""
    height, width = picture.shape[:2]
    share = side / max(height, width)
    if share >= 1:
        return picture
    size = max(round(share * width), 1), max(round(share * height), 1)
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))


def embed(picture: NDArray[np.uint8]) -> str:
    """Return a picture as a data address: the page asks no server for it."""
    file = BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=QUALITY)
    return f"data:image/jpeg;base64,{base64.b64encode(file.getvalue()).decode()}"
