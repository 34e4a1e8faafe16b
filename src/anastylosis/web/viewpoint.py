"""Viewpoint: where a picture was taken from, and where the tower stood, as a visitor tells it."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.arrays import Vector
from anastylosis.detection import check_foot
from anastylosis.structure import BLOCK_SIZE
from anastylosis.units import metres_to_millimetres
from anastylosis.web.observing import BlockCorner, FloorPoint, SourceKind
from anastylosis.web.photo_board import PhotoBoard
from anastylosis.web.target_offer import offer_target
from anastylosis.web.trouble import Refused
from anastylosis.web.typed import read_measures, read_within, write_measures
from anastylosis.web.words import Translator, frame

POINTS, CORNERS, CORNERS_MIN = 4, 7, 6
BLOCK_RANGE = (1.0, 1000.0)  # [mm] sides of a block
DECIMALS = 3  # that boxes take; one that takes none drops the point of 184.13, and has 18413
FLOOR_MAX = 100_000.0  # [mm] from the origin to a point of the floor
FOOT_MAX = {
    "target": 10_000.0,
    "corners": 10_000.0,
    "points": FLOOR_MAX,
    "survey": 1e10,
}  # [mm] a sheet lies beside the debris; sites have grids
HEADING_MAX = 360.0  # [degrees]


class TowerPose(NamedTuple):
    """Pose of the tower in the frame of the target, the points or the survey."""

    origin: tuple[float, float]  # middle of its foot [m]
    heading: float  # [rad]


class Viewpoint:
    """Controls: how the camera of a picture is known, four points of its floor or a block's corners, the foot of the tower."""

    def __init__(self, client: viser.ClientHandle, words: Translator, on_paper: Callable[[str], None]) -> None:
        gui = client.gui
        self.client, self.words = client, words
        self.source: SourceKind | None = None  # None: nothing is given
        self.board: PhotoBoard | None = None
        self.size = (1, 1)  # columns and rows of the picture
        self.by_corners_before = False
        self.camera_folder = gui.add_folder(words("photo_camera"), visible=False)
        with self.camera_folder:
            self.ways = {words(f"camera_{way}"): way for way in ("found", "points", "corners")}
            self.camera = gui.add_dropdown(words("camera_way"), tuple(self.ways), hint=words("camera_way_hint"))
            self.target = offer_target(gui, words, on_paper)
            self.points_note = gui.add_html(frame(words("points_note")), visible=False)
            self.points = [
                (
                    gui.add_vector2(words("point_pixel", number=n + 1), (0.0, 0.0), step=0.5, visible=False),
                    gui.add_text(words("point_floor", number=n + 1), write_measures(0.0, 0.0), visible=False),
                )
                for n in range(POINTS)
            ]
            self.corners_note = gui.add_html(frame(words("corners_note")), visible=False)
            others = [
                gui.add_vector2(words("point_pixel", number=n + 1), (0.0, 0.0), step=0.5, visible=False)
                for n in range(POINTS, CORNERS)
            ]
            self.pixels = [*(pixel for pixel, _ in self.points), *others]  # of points, or of corners
            sides = (metres_to_millimetres(side) for side in BLOCK_SIZE)
            self.block = gui.add_text(words("clicked_block"), write_measures(*(round(side, 1) for side in sides)), visible=False)
        self.place_folder = gui.add_folder(words("place"), visible=False)
        with self.place_folder:
            self.place_note = gui.add_html("")
            self.origin = gui.add_text(words("origin"), write_measures(0.0, 0.0), hint=words("origin_hint"))
            self.heading = gui.add_text(words("heading"), write_measures(0.0), hint=words("heading_hint"))
        for pixel in self.pixels:
            pixel.precision = DECIMALS
        self.camera.on_update(self.show_points)

    @property
    def by_points(self) -> bool:
        """Return whether the camera comes from points on the floor."""
        return self.source in ("target", "unknown") and self.ways[self.camera.value] == "points"

    @property
    def by_corners(self) -> bool:
        """Return whether the camera comes from the corners of one block."""
        return self.source in ("target", "unknown") and self.ways[self.camera.value] == "corners"

    def take(self, source: SourceKind, size: tuple[int, int], small: NDArray[np.uint8] | None) -> None:
        """Take a file, the size of its picture, and a small copy; entries for another kind of file are cleared."""
        self.drop_board()
        if source != self.source:
            self.origin.value, self.heading.value = write_measures(0.0, 0.0), write_measures(0.0)
        self.clear_pixels()
        for _, floor in self.points:
            floor.value = write_measures(0.0, 0.0)
        self.source = source
        self.camera_folder.visible = source in ("target", "unknown")
        self.place_folder.visible = source != "told"
        if small is not None:
            self.size = size
            self.board = PhotoBoard(self.client, small, size[0] / small.shape[1], self.note_click)
            self.board.begin(POINTS)
        self.camera.value = self.camera.options[source == "unknown"]  # points, where nothing else tells the camera
        self.by_corners_before = self.by_corners
        self.show_points()

    def empty(self) -> None:
        """Empty all fields."""
        self.source = None
        self.camera_folder.visible = self.place_folder.visible = False
        self.drop_board()

    def show_points(self, event: object = None) -> None:
        """Show the fields of four points or of seven corners, and the picture on the scene to click them in."""
        if self.by_corners != self.by_corners_before:  # what was clicked means something else now
            self.by_corners_before = self.by_corners
            self.clear_pixels()
        for handle in (self.points_note, *(floor for _, floor in self.points)):
            handle.visible = self.by_points
        for handle in (self.corners_note, self.block):
            handle.visible = self.by_corners
        for number, pixel in enumerate(self.pixels):
            pixel.visible = self.by_corners or (self.by_points and number < POINTS)
        kind = self.find_kind()
        self.place_note.content = frame(self.words(f"place_{kind}")) if kind else ""
        if self.board is not None:
            self.board.show(True, listens=self.by_points or self.by_corners)

    def clear_pixels(self) -> None:
        """Forget what was clicked."""
        for pixel in self.pixels:
            pixel.value = (0.0, 0.0)
        if self.board is not None:
            self.board.begin(CORNERS if self.by_corners else POINTS)

    def find_kind(self) -> str:
        """Find the frame in which the tower's place is measured; "": the place is known."""
        if self.source in ("survey", "told", None):
            return "survey" if self.source == "survey" else ""
        return "points" if self.by_points else "corners" if self.by_corners else "target"

    def note_click(self, number: int, column: float, row: float) -> None:
        """Note a point or a corner that was clicked in the picture, in the next field."""
        self.pixels[number].value = (round(column, 1), round(row, 1))

    def hide_board(self) -> None:
        """Hide the picture: the scene is wanted for blocks. `show_points` brings it back."""
        if self.board is not None:
            self.board.show(False)

    def drop_board(self) -> None:
        if self.board is not None:
            self.board.remove()
            self.board = None

    def list_measures(self) -> list[Any]:
        """List the boxes of what is measured."""
        return [self.origin, self.heading, self.block, *self.pixels, *(floor for _, floor in self.points)]

    def read_place(self) -> TowerPose:
        """Read where the tower stood; refuse places that are impossible."""
        kind = self.find_kind()
        if not kind:
            return TowerPose((0.0, 0.0), 0.0)
        x, y = read_measures(self.origin.value, 2, self.origin.label, self.words, FOOT_MAX[kind])
        if kind == "target" and self.source == "target":
            check_foot((x, y))  # now, and not when it is the visitor's turn
        if kind == "corners" and x == y == 0:
            raise Refused(self.words("foot_at_block"))
        (heading,) = read_measures(self.heading.value, 1, self.heading.label, self.words, HEADING_MAX)
        return TowerPose((x / 1e3, y / 1e3), math.radians(heading))

    def read_points(self) -> tuple[FloorPoint, ...] | None:
        """Read the points of the floor; None: the camera is known otherwise."""
        if not self.by_points:
            return None
        pixels = [self.read_pixel(number, box) for number, (box, _) in enumerate(self.points, 1)]
        points: list[FloorPoint] = []
        for number, ((_, floor), pixel) in enumerate(zip(self.points, pixels, strict=True), 1):
            x, y = read_measures(floor.value, 2, floor.label, self.words, FLOOR_MAX)
            same = next((n for n, other in enumerate(points, 1) if other[:2] == (x / 1e3, y / 1e3)), None)
            if same is not None:
                raise Refused(self.words("points_same", first=same, second=number))
            points.append((x / 1e3, y / 1e3, *pixel))
        return tuple(points)

    def read_corners(self) -> tuple[BlockCorner, ...] | None:
        """Read the corners of a block; None: the camera is known otherwise."""
        if not self.by_corners:
            return None
        clicked = [number for number, box in enumerate(self.pixels) if tuple(box.value) != (0.0, 0.0)]
        if len(clicked) < CORNERS_MIN:
            raise Refused(self.words("corners_missing", number=len(clicked)))
        return tuple(self.read_pixel(number + 1, self.pixels[number]) for number in clicked)

    def read_block(self) -> Vector:
        """Read the size of the block whose corners are clicked [m]."""
        if not self.by_corners:
            return BLOCK_SIZE
        typed = read_measures(self.block.value, 3, self.block.label, self.words, BLOCK_RANGE[1])
        height, width, length = sorted(read_within(side, self.block.label, self.words, *BLOCK_RANGE) / 1e3 for side in typed)
        return length, width, height

    def read_pixel(self, number: int, box: viser.GuiInputHandle[tuple[float, float]]) -> tuple[float, float]:
        column, row = (
            read_within(float(value), box.label, self.words, 0, most) for value, most in zip(box.value, self.size, strict=True)
        )
        if column == row == 0:
            raise Refused(self.words("point_missing", number=number))
        return column, row
