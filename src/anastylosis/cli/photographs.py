"""Photographs on the command line: the options that say where they were taken from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
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
DetectorFolder = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="DIR",
        help="Folder with vote_net.onnx, slot_classifier.onnx, refiner.onnx and rescorer.onnx (default: those that ship).",
    ),
]


def open_detector(folder: Path | None) -> "BlockDetector":
    """Open the nets of a detector in a folder, or those that ship."""
    from anastylosis.reconstruction import Toolset

    return Toolset(models=folder).open_detector()
