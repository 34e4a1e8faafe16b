"""Photographs on the command line: the options that say where they were taken from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anastylosis.cli.surveys import parse_block
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.arrays import Vector
    from anastylosis.detection import BlockDetector

Cameras = Annotated[
    list[Path] | None,
    typer.Option(
        "--camera", metavar="C.json", help="Camera file of each picture, in their order; docs/reference/camera-format.md."
    ),
]
Points = Annotated[
    list[Path] | None,
    typer.Option(
        "--points",
        metavar="P.csv",
        help="Points file of each picture, in their order: points of the floor and their pixels.",
    ),
]
Corners = Annotated[
    list[Path] | None,
    typer.Option(
        "--corners",
        metavar="C.csv",
        help="Corners file of each picture, in their order: pixels of the seven corners that are seen of one block on the floor.",
    ),
]
ClickedBlock = Annotated[
    str | None,
    typer.Option("--block", metavar="MM,MM,MM", help="Size of the block in the corners file [mm] (default: 81,26,18)."),
]
DetectorFolder = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="DIR",
        help="Folder with vote_net.onnx, slot_classifier.onnx, refiner.onnx and rescorer.onnx (default: those that ship).",
    ),
]


def choose_clicked_block(block: str | None, corners: list[Path] | None) -> "Vector":
    """Return the size of the block whose corners are told [m]."""
    from anastylosis.structure import BLOCK_SIZE

    if block is not None and not corners:
        raise InvalidInput(
            "--block is the size of the block in a corners file; in pictures, blocks of 81 x 26 x 18 mm are looked for"
        )
    return parse_block(block) or BLOCK_SIZE


def open_detector(folder: Path | None) -> "BlockDetector":
    """Open the nets of a detector in a folder, or those that ship."""
    from anastylosis.reconstruction import Toolset

    return Toolset(models=folder).open_detector()
