"""Photographs on the command line: the options that say where they were taken from, and what these give."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anastylosis.cli.words import count
from anastylosis.errors import InvalidInput

if TYPE_CHECKING:
    from anastylosis.detection.camera.solved import Solved
    from anastylosis.detection.detector import BlockDetector
    from anastylosis.rendering.camera import Camera

__all__ = ["Cameras", "DetectorFolder", "Points", "find_cameras", "open_detector"]

APART = 0.02  # of the picture, between places as two cameras show them that are not one

Cameras = Annotated[
    list[Path] | None,
    typer.Option(
        "--camera", metavar="C.json", help="Camera file of each picture, in their order; docs/reference/camera-format.md."
    ),
]
Points = Annotated[
    list[Path] | None,
    typer.Option("--points", metavar="P.csv", help="Points of the floor of each picture, in their order, instead."),
]
DetectorFolder = Annotated[
    Path | None,
    typer.Option("--models", metavar="DIR", help="Folder with finder.onnx, reader.onnx, judge.onnx, jury.onnx; those that ship."),
]


def find_cameras(
    images: list[Path], cameras: list[Path] | None, points: list[Path] | None, origin: Sequence[float], heading: float
) -> "list[Solved]":
    """The camera of each picture."""
    from anastylosis.detection.camera.photograph import find_camera

    for option, files in (("--camera", cameras), ("--points", points)):
        if files and len(files) != len(images):
            raise InvalidInput(f"{count(len(images), 'picture')} and {len(files)} of {option}: give one for each, in their order")
    found = []
    for number, image in enumerate(images):
        try:
            camera, floor = (each[number] if each else None for each in (cameras, points))
            found.append(find_camera(image, camera, floor, origin=origin, heading=heading))
            if camera or floor:
                warn_other_camera(image, camera or floor, found[-1])
        except InvalidInput as problem:
            if str(image) in str(problem):
                raise
            raise problem.reword(f"{image}: {problem.what}") from problem
    return found


def warn_other_camera(image: Path, file: Path | None, solved: "Solved") -> None:
    """Say on stderr that a drawn picture tells another camera than the file, which is believed instead."""
    from anastylosis.detection.camera.photograph import read_stored_camera

    try:
        told = read_stored_camera(image)
    except InvalidInput:  # what it tells is not asked for
        return
    if told is not None and shows_apart(told.camera, solved.camera) > APART:
        print(
            f"{image}: it tells another camera than {file}, which is believed; leave it out if the picture is right",
            file=sys.stderr,
        )


def shows_apart(one: "Camera", other: "Camera") -> float:
    """How far apart two cameras show places around the tower, as a share of the picture's height."""
    import numpy as np

    places = np.array([(x, y, 0.0) for x in (-0.3, 0.3) for y in (-0.3, 0.3)])
    pixels = [camera.project(places)[0] / camera.height for camera in (one, other)]
    return float(np.linalg.norm(pixels[0] - pixels[1], axis=1).max())


def open_detector(folder: Path | None) -> "BlockDetector":
    """Open the nets of a detector in a folder, or those that ship."""
    from anastylosis.detection.detector import BlockDetector
    from anastylosis.models.shipped import list_detector

    files = list_detector(folder)
    missing = [file.name for file in files if not file.is_file()]
    if folder is not None and missing:
        raise InvalidInput(
            f"there is no {', '.join(missing)} in {folder}; a detector is four nets, which `anastylosis train detector` writes "
            "one by one; name no folder, and those that ship are taken"
        )
    return BlockDetector.from_files(*files)
