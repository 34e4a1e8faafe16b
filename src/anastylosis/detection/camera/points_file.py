"""Points files: CSV with places on the floor and the pixels that show them, x_mm, y_mm, column, row."""

from pathlib import Path

import numpy as np

from anastylosis.detection.camera.start import Points
from anastylosis.errors import InvalidInput
from anastylosis.survey import read_number_columns
from anastylosis.text_file import locate_errors, read_text

BYTES_MAX = 2_000_000
EXAMPLE = "x_mm, y_mm, column, row"


def read_points(path: Path | str) -> Points:
    """Read the points in a file. A unit may be part of a label (`x_mm`, `x [cm]`); without one, metres."""
    path = Path(path)
    with locate_errors(str(path)):
        if path.suffix.lower() != ".csv":
            raise InvalidInput("points are in a file that ends in .csv")
        numbers, names = read_number_columns(
            read_text(path, BYTES_MAX, "list of points"), required=("x", "y", "column", "row"),
            optional=("z",),  # of points that are not on the floor
            thing="point", example=EXAMPLE, extra=", and id and z_mm if you want",
        )  # fmt: skip
        numbers = {"z": [0.0] * len(names)} | numbers
        places, pixels = (np.array([numbers[name] for name in part]).T for part in (("x", "y", "z"), ("column", "row")))
        return Points(places, pixels, names)
