"""Corners files: CSV with the pixels of the corners of one block that are seen in a photograph, column, row."""

from pathlib import Path

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidInput
from anastylosis.survey import read_number_columns
from anastylosis.text_file import locate_errors, read_text

BYTES_MAX = 100_000
EXAMPLE = "column, row"


def read_corners(path: Path | str) -> Floats:
    """Read the pixels (N, 2) of the corners in a file."""
    path = Path(path)
    with locate_errors(str(path)):
        if path.suffix.lower() != ".csv":
            raise InvalidInput("corners are in a file that ends in .csv")
        numbers, _ = read_number_columns(
            read_text(path, BYTES_MAX, "list of corners"), required=("column", "row"), optional=(), thing="corner",
            example=EXAMPLE, extra=", and id if you want",
        )  # fmt: skip
        return np.array([numbers["column"], numbers["row"]]).T
