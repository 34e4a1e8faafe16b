"""Target: the printed sheet on the floor beside debris, from which the camera of a photograph is found.

A ChArUco board: a chess board whose white squares hold markers. Corners of squares are found to a tenth of a pixel, and each
marker identifies its corners, so a sheet that is partly hidden still serves. The frame of the target: its origin is the
lower left corner of the board, marked 0; x runs along its long side, y along its short one, z up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import binary_erosion, binary_propagation, gaussian_filter

from anastylosis.arrays import Flags, Floats, Vector
from anastylosis.detection.camera.corners import sharpen_corners
from anastylosis.detection.camera.start import find_agreeing, solve_linear
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.rendering import Camera

MARGIN = 0.005  # [m] around the sheet: it is not quite flat, nor cut to the millimetre
RING = 0.03  # [m] of the floor around that, whose colours are taken
SIDES = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])  # of the corners of a sheet, from its middle
BLACKEST, WHITEST = 10, 90  # percentiles of brightness, between which the line of the print's colours is drawn
SMOOTH = 0.7  # [pixels] over which colours are smoothed before they are compared; in fine pictures `FINE`
FINE = 0.001  # [m]
OFF_LINE = 12.0  # of 255: colours that are nearer to the line may be printed
OFF_SHARE = 0.12  # and so may those that are off by less than this share of how far along it they are: shade is bluish
THIN = 0.0025  # [m], at least two pixels: what is thinner than twice this is a fringe or noise, and no block

CORNERS_MIN = 6  # of 24: fewer determine no camera
MARKERS_MIN = 2  # of 17: one alone may be a false one
AGREE = 0.3  # of a side of a marker: corners of markers that are farther off are left out
BOARDS_APART = 20  # ids of markers: sheets of different sizes have different ones, so that none is taken for another
CELLS = 6  # of a marker's side: four bits and a rim, each a cell
CELLS_SQUARE = 8  # of a square's side: the marker, and a cell around it
TOP = 0.007  # [m] from the upper edge of the page to the board: more than printers leave white
OPENCV_HALF = 0.5  # [pixels] OpenCV counts from the middle of the first pixel, and we from its edge


def cover_sheet(picture: NDArray[np.uint8], camera: Camera, corners: Sequence[Vector]) -> NDArray[np.uint8]:
    """Return the picture (H, W, 3) of a pinhole with floor in place of a sheet with these four corners [m].

    Corners are counter-clockwise seen from above; without corners the picture is returned as it is.
    """
    if not len(corners):
        return picture
    inside = mark_floor(camera, corners, MARGIN)
    ring = mark_floor(camera, corners, MARGIN + RING) & ~inside
    if not inside.any() or not ring.any():
        return picture
    rows, columns = (slice(where.min(), where.max() + 1) for where in np.nonzero(inside | ring))
    inside, ring, part = inside[rows, columns], ring[rows, columns], picture[rows, columns].astype(np.float64)
    pixel = camera.pixel_size * float(np.mean(camera.project(corners)[1]))  # [m] there
    sheet = inside & ~find_blocks(part, inside, pixel)
    covered = picture.copy()
    covered[rows, columns][sheet] = np.rint(np.median(part[ring], axis=0))
    return covered


def mark_floor(camera: Camera, corners: Sequence[Vector], margin: float) -> Flags:
    """Mark the pixels (H, W) of a rectangle on the floor, grown by `margin` [m]; none if it is behind the camera."""
    places = np.asarray(corners, np.float64)
    along, up = (side / np.linalg.norm(side) for side in (places[1] - places[0], places[3] - places[0]))
    pixels, depth = camera.project(places + margin * SIDES @ np.stack([along, up]))
    image = Image.new("1", (camera.width, camera.height))
    if (depth > 0).all():
        ImageDraw.Draw(image).polygon([(x, y) for x, y in pixels.tolist()], fill=1)
    return np.array(image)


def find_blocks(part: Floats, inside: Flags, pixel: float) -> Flags:
    """Mark the pixels (H, W) with colours that no print has; `pixel` [m] is the side of one."""
    blur = max(SMOOTH, FINE / pixel)
    smooth = gaussian_filter(part, (blur, blur, 0), mode="nearest")
    bright = smooth.mean(axis=-1)
    low, high = np.percentile(bright[inside], (BLACKEST, WHITEST))
    black = np.median(smooth[inside & (bright <= low)], axis=0)
    white = np.median(smooth[inside & (bright >= high)], axis=0)
    line = (white - black) / max(float(np.linalg.norm(white - black)), 1.0)
    away = smooth - black
    along = away @ line
    off = np.linalg.norm(away - along[..., None] * line, axis=-1)
    foreign = off > np.maximum(OFF_LINE, OFF_SHARE * along)  # around the sheet, too: a block may reach in by a corner
    thick = binary_erosion(foreign, iterations=max(2, round(THIN / pixel)))
    return np.asarray(binary_propagation(thick, mask=foreign))


@dataclass(frozen=True, kw_only=True)
class Target:
    """A sheet, and the board on it."""

    paper: str
    page: tuple[float, float]  # width and height, the long side across [m]
    square: float  # side of a square [m]
    first_marker: int  # the id of the first marker
    columns: int = 7  # squares along x
    rows: int = 5  # squares along y

    RULER_MM: ClassVar[int] = 100  # printed beside the board: whoever prints can measure it

    @staticmethod
    def list_papers() -> list[str]:
        """List the names of the sheets."""
        return list(TARGETS)

    @staticmethod
    def choose(paper: str) -> "Target":
        """Return the target for a sheet of this name."""
        if paper.lower() not in TARGETS:
            raise InvalidInput(f"paper is {paper[:20]!r}; choose one of {', '.join(TARGETS)}")
        return TARGETS[paper.lower()]

    @staticmethod
    def find(picture: NDArray[np.uint8]) -> "TargetCorners":
        """Find the corners of the target in a picture (H, W) or (H, W, 3) of bytes; needs the extra `photo`.

        Raises `InvalidInput` when fewer than six are seen.
        """
        cv2 = load_opencv()
        grey = np.ascontiguousarray(picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))
        corners, names, _ = build_detector().detectMarkers(grey)
        markers = {} if names is None else dict(zip(np.asarray(names).reshape(-1).tolist(), corners, strict=True))
        most = TargetCorners(np.empty((0, 3)), np.empty((0, 2)), "")
        for target in {target.first_marker: target for target in reversed(TARGETS.values())}.values():
            found = find_board(grey, target, markers)
            most = found if len(found.points) > len(most.points) else most
        if len(most.points) < CORNERS_MIN:
            raise InvalidInput(describe_too_few(len(most.points), len(markers)))
        return most

    def draw(self, path: Path | str) -> None:
        """Write the sheet as PDF; needs the extra `photo`."""
        from anastylosis.detection.camera.sheet import write_sheet  # imports this file

        write_sheet(path, self)

    @property
    def marker(self) -> float:
        """Side of a marker [m]."""
        return self.square * CELLS / CELLS_SQUARE

    @property
    def board(self) -> tuple[float, float]:
        """Width and height of the board [m]."""
        return self.columns * self.square, self.rows * self.square

    @property
    def corner(self) -> tuple[float, float]:
        """Corner 0 of the board, from the lower left one of the page [m]."""
        return (self.page[0] - self.board[0]) / 2, self.page[1] - TOP - self.board[1]


TARGETS = {
    target.paper: target
    for target in (
        Target(paper="a4", page=(0.297, 0.210), square=0.034, first_marker=0),
        Target(paper="letter", page=(0.2794, 0.2159), square=0.034, first_marker=0),  # the same board on another sheet
        Target(paper="a3", page=(0.420, 0.297), square=0.050, first_marker=BOARDS_APART),
    )
}


class TargetCorners(NamedTuple):
    """Corners of a target, and the pixels that show them."""

    points: Floats  # (N, 3) in the frame of the target [m]
    pixels: Floats  # (N, 2)
    paper: str  # a4 stands for letter, too: they have the same board


def outline_sheet(paper: str) -> Floats:
    """Return the corners (4, 3) of the sheet in the target's frame [m], counter-clockwise; of the largest with this board."""
    board = Target.choose(paper).first_marker
    alike = [target for target in TARGETS.values() if target.first_marker == board]
    left, bottom = -np.max([target.corner for target in alike], axis=0)
    right, top = np.max([np.subtract(target.page, target.corner) for target in alike], axis=0)
    return np.array([(left, bottom, 0.0), (right, bottom, 0.0), (right, top, 0.0), (left, top, 0.0)])


def find_board(grey: NDArray[np.uint8], target: Target, markers: dict[int, Any]) -> TargetCorners:
    """Find the corners of one board: first by its markers, then by the corners themselves."""
    cv2, board = load_opencv(), build_board(target)
    seen = [
        (np.asarray(places)[:, :2], np.asarray(markers[name]).reshape(-1, 2))
        for name, places in zip(np.asarray(board.getIds()).reshape(-1).tolist(), board.getObjPoints(), strict=True)
        if name in markers
    ]
    corners = to_cells(np.asarray(board.getChessboardCorners())[:, :2], target)
    found, alike = np.empty(corners.shape), np.zeros(len(corners), bool)
    if len(seen) >= MARKERS_MIN:
        places = to_cells(np.concatenate([place for place, _ in seen]), target)
        pixels = np.concatenate([pixel for _, pixel in seen]).astype(np.float64)
        cells = draw_cells(target)[::-1]
        for _ in range(2):
            agree = find_agreeing(places, pixels, AGREE * np.median(np.linalg.norm(np.diff(pixels, axis=0), axis=1)))
            matrix = solve_linear(places[agree], pixels[agree])
            if matrix is None:
                break
            found, alike = sharpen_corners(cv2, grey, cells, corners, matrix)
            if alike.sum() < CORNERS_MIN:
                break
            places, pixels = corners[alike], found[alike]
    metres = corners[alike] * target.square / CELLS_SQUARE
    floor = np.column_stack([metres[:, 0], target.board[1] - metres[:, 1], np.zeros(len(metres))])
    return TargetCorners(floor, found[alike] + OPENCV_HALF, target.paper)


def to_cells(places: NDArray[Any], target: Target) -> Floats:
    """Convert places on OpenCV's board (N, 2) to cells from its upper left corner, whole numbers."""
    return np.rint(np.asarray(places, np.float64) / target.square * CELLS_SQUARE)


def describe_too_few(corners: int, markers: int) -> str:
    """Describe why the target is not found."""
    if corners == 0 and markers == 0:
        return (
            "no target is seen in the picture; lay the sheet flat on the floor, most of it uncovered, in the picture and in focus"
        )
    return (
        f"of the target {corners} corners and {markers} markers are seen, and {CORNERS_MIN} corners are needed. Uncover the "
        "sheet, go nearer, or take the picture sharper and from higher up; reflections hide it, too"
    )


def build_board(target: Target) -> Any:
    """Build OpenCV's board of a target."""
    cv2 = load_opencv()
    markers = np.arange(target.first_marker, target.first_marker + target.columns * target.rows // 2)
    size = (target.columns, target.rows)
    return cv2.aruco.CharucoBoard(size, target.square, target.marker, find_dictionary(), markers)


def build_detector() -> Any:
    """Build OpenCV's detector of markers, set for small ones: a sheet is a small part of a photograph."""
    cv2 = load_opencv()
    how = cv2.aruco.DetectorParameters()
    how.minMarkerPerimeterRate = 0.01  # of the longer side
    how.adaptiveThreshWinSizeMax = 53
    how.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    how.cornerRefinementWinSize = 3
    return cv2.aruco.ArucoDetector(find_dictionary(), how)


def find_dictionary() -> Any:
    """Return OpenCV's dictionary of the markers."""
    cv2 = load_opencv()
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def list_squares(target: Target) -> Floats:
    """List the black rectangles (N, 4) of the board: x, y of the lower left corner, width, height [m], in the target's frame.

    Squares without a marker are black. Cells of a marker that are side by side are one rectangle.
    """
    cv2 = load_opencv()
    board, dictionary = build_board(target), find_dictionary()
    black = [(column, row) for row in range(target.rows) for column in range(target.columns)]
    made = []
    for name, corners in zip(np.asarray(board.getIds()).reshape(-1), board.getObjPoints(), strict=True):
        left, top = to_cells(np.asarray(corners)[0, :2], target) / CELLS_SQUARE * target.square
        top = target.board[1] - top
        black.remove((int(left / target.square), int(top / target.square)))
        cells = cv2.aruco.generateImageMarker(dictionary, int(name), CELLS, borderBits=1) == 0
        step = target.marker / CELLS
        for row, line in enumerate(cells):
            edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
            made += [(left + a * step, top - (row + 1) * step, (b - a) * step, step) for a, b in edges.reshape(-1, 2)]
    made += [(column * target.square, row * target.square, target.square, target.square) for column, row in black]
    return np.array(made)


def draw_cells(target: Target) -> NDArray[np.bool_]:
    """Draw the board in cells (rows, columns) from its lower left corner; True is black."""
    cells = np.zeros((CELLS_SQUARE * target.rows, CELLS_SQUARE * target.columns), bool)
    for left, bottom, wide, high in np.rint(list_squares(target) / target.square * CELLS_SQUARE).astype(int):
        cells[bottom : bottom + high, left : left + wide] = True
    return cells


def load_opencv() -> Any:
    """Import OpenCV, which only photographs need; raise when it is not installed."""
    try:
        import cv2
    except ImportError as error:
        raise MissingExtra("opencv-python-headless", "photo") from error
    return cv2
