"""Photograph: a picture of debris from a file, and the camera that took it, known in one of four ways."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Vector
from anastylosis.detection.camera.camera_file import BYTES_MAX, parse_camera, read_camera
from anastylosis.detection.camera.corners_file import read_corners
from anastylosis.detection.camera.exif import read_focal, solve_with_corners, solve_with_points
from anastylosis.detection.camera.fit import FocalPrior
from anastylosis.detection.camera.lens import check_bytes
from anastylosis.detection.camera.points_file import read_points
from anastylosis.detection.camera.pose import Solved, make_ground
from anastylosis.detection.camera.start import Points
from anastylosis.detection.camera.target import Target, outline_sheet
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.models import check_sides, read_camera_text, read_rgb
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey import Ground

WAYS = (
    "Tell the camera in one of four ways: lay the sheet of `anastylosis target` on the floor and take the picture again; list "
    "the pixels (column, row) of the seven corners that are seen of one block on the floor in a corners file (--corners); list "
    "four or more points of the floor with their pixels (x_mm, y_mm, column, row) in a points file (--points); or give a camera "
    "file (--camera)"
)
UNCLEAR = "the target is found, but it does not tell where the camera was: it is seen too straight from above, or is not flat"
SIDEWAYS = "Take the picture more from the side, with the sheet flat on the floor; or give a camera file"
FOOT = (
    "Tell it: --origin X,Y (`origin`), in metres from corner 0 of the target to the middle of the tower's foot, and --heading "
    "(`heading`)"
)

BLOCK_FOOT = (
    "Tell it: --origin X,Y (`origin`), in metres from the middle of the clicked block to the middle of the tower's foot, x along "
    "the block to the right and y away from the camera, and --heading (`heading`)"
)


def read_photograph(source: Path | str | NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Read a photograph as RGB (H, W, 3), upright by its EXIF; an array (H, W) or (H, W, 3) of bytes is returned as it is."""
    if isinstance(source, np.ndarray):
        check_bytes(source)
        check_sides("the array", source.shape[1], source.shape[0])
        return source
    return read_rgb(Path(source))


def read_stored_camera(source: Path | str | NDArray[np.uint8]) -> Solved | None:
    """Read the camera that is stored in a drawn picture; None: there is none."""
    if isinstance(source, np.ndarray):
        return None
    text = read_camera_text(Path(source))
    return None if text is None or len(text) > BYTES_MAX else parse_camera(text, f"{source}, its camera")


def find_camera(
    picture: Path | str | NDArray[np.uint8],
    camera_file: Path | str | None = None,
    points_file: Path | str | None = None,
    target: bool = True,
    origin: ArrayLike = (0.0, 0.0),
    heading: float = 0.0,
    *,
    corners_file: Path | str | None = None,
    block: Vector = BLOCK_SIZE,
) -> Solved:
    """Find the camera that took a photograph, in the tower's frame.

    It is read from a camera file, solved from a points file or from the corners of a `block` of this size [m] in a corners file,
    read from a drawn picture that stores it, or found from the printed target in the picture. The focal length that EXIF tells
    helps where points or corners leave it open.
    `origin` [m] and `heading` [rad] are those of the tower in the frame of the file, the block or the target: see `make_ground`.
    With a target or a block the origin has to be given: see `check_foot`.
    """
    ground = make_ground(origin, heading)
    image = read_photograph(picture)
    height, width = image.shape[:2]
    if sum(file is not None for file in (camera_file, points_file, corners_file)) > 1:
        raise InvalidInput("a camera file, a points file and a corners file answer one question; give one of them")
    if camera_file is not None:
        return read_camera(camera_file).resize(width, height).move(ground)
    if points_file is not None:
        points = read_points(points_file)
        return solve_from_points(picture, points, width, height).move(ground)
    if corners_file is not None:
        return solve_from_corners(picture, read_corners(corners_file), block, width, height, ground)
    stored = read_stored_camera(picture)
    if stored is not None:
        if not ground.is_site:
            raise InvalidInput("the picture says its camera in the tower's own frame; leave out the origin and the heading")
        return stored.resize(width, height)
    if not target:
        raise InvalidInput("the camera of the picture is not known", kind="no_camera", remedy=WAYS)
    try:
        seen = Target.find(image)
    except MissingExtra as problem:
        raise InvalidInput(
            "the camera of the picture is not known", kind="target_unread", remedy=f"{WAYS}. To look for the target, {problem}"
        ) from problem
    except InvalidInput as problem:
        raise InvalidInput(problem.what, kind="no_camera", remedy=WAYS) from problem
    check_foot(ground.origin)
    try:
        solved = solve_with_points(seen.points, seen.pixels, width, height, read_known_focal(picture, width, height))
    except InvalidInput as problem:  # its points are corners of the sheet, which users do not know
        raise InvalidInput(UNCLEAR, kind="target_unclear", remedy=f"{SIDEWAYS}. Of its corners: {problem}") from problem
    return replace(solved, sheet=tuple(map(tuple, outline_sheet(seen.paper).tolist()))).move(ground)


def read_known_focal(picture: Path | str | NDArray[np.uint8], width: int, height: int) -> FocalPrior | None:
    """Read the focal length that EXIF tells; None: it does not, or the picture is an array."""
    return None if isinstance(picture, np.ndarray) else read_focal(Path(picture), width, height)


def solve_from_points(picture: Path | str | NDArray[np.uint8], points: Points, width: int, height: int) -> Solved:
    """Solve the camera of a picture with these sides from points, in their frame."""
    known = read_known_focal(picture, width, height)
    return solve_with_points(points.places, points.pixels, width, height, known, points.names or None)


def solve_from_corners(
    picture: Path | str | NDArray[np.uint8], pixels: ArrayLike, block: Vector, width: int, height: int, ground: Ground
) -> Solved:
    """Solve the camera of a picture with these sides from the corners of one block, in the tower's frame."""
    check_foot(ground.origin, "the clicked block tells the camera", BLOCK_FOOT)
    return solve_with_corners(pixels, block, width, height, read_known_focal(picture, width, height)).move(ground)


def check_foot(origin: ArrayLike, found: str = "the target is found", remedy: str = FOOT) -> None:
    """Raise when the place of the tower is not given: at 0, 0 it would stand on the corner of the sheet, or on the block."""
    if not np.asarray(origin, np.float64)[:2].any():
        raise InvalidInput(f"{found}, but it is not known where the tower stood", kind="foot_missing", remedy=remedy)
