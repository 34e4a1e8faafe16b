"""Viewpoint: where a picture was taken from, and where the tower stood, as a visitor tells it."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.detection import check_foot
from anastylosis.web.observing import FloorPoint, SourceKind
from anastylosis.web.photo_board import PhotoBoard
from anastylosis.web.target_offer import offer_target
from anastylosis.web.trouble import Refused
from anastylosis.web.typed import read_measures, read_within, write_measures
from anastylosis.web.words import Translator, frame

POINTS = 4
DECIMALS = 3  # that boxes take; one that takes none drops the point of 184.13, and has 18413
FLOOR_MAX = 100_000.0  # [mm] from the origin to a point of the floor
FOOT_MAX = {"target": 10_000.0, "points": FLOOR_MAX, "survey": 1e10}  # [mm] a sheet lies beside the debris; sites have grids
HEADING_MAX = 360.0  # [degrees]


class TowerPose(NamedTuple):
    """Pose of the tower in the frame of the target, the points or the survey."""

    origin: tuple[float, float]  # middle of its foot [m]
    heading: float  # [rad]


class Viewpoint:
    """Controls: how the camera of a picture is known, four points of its floor, the foot of the tower."""

    def __init__(self, client: viser.ClientHandle, words: Translator, on_paper: Callable[[str], None]) -> None:
        gui = client.gui
        self.client, self.words = client, words
        self.source: SourceKind | None = None  # None: nothing is given
        self.board: PhotoBoard | None = None
        self.size = (1, 1)  # columns and rows of the picture
        self.camera_folder = gui.add_folder(words("photo_camera"), visible=False)
        with self.camera_folder:
            self.ways = {words("camera_found"): False, words("camera_points"): True}
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
        self.place_folder = gui.add_folder(words("place"), visible=False)
        with self.place_folder:
            self.place_note = gui.add_html("")
            self.origin = gui.add_text(words("origin"), write_measures(0.0, 0.0), hint=words("origin_hint"))
            self.heading = gui.add_text(words("heading"), write_measures(0.0), hint=words("heading_hint"))
        for pixel, _ in self.points:
            pixel.precision = DECIMALS
        self.camera.on_update(self.show_points)

    @property
    def by_points(self) -> bool:
        """Return whether the camera comes from points on the floor."""
        return self.source in ("target", "unknown") and self.ways[self.camera.value]

    def take(self, source: SourceKind, size: tuple[int, int], small: NDArray[np.uint8] | None) -> None:
        """Take a file, the size of its picture, and a small copy; entries for another kind of file are cleared."""
        self.drop_board()
        if source != self.source:
            self.origin.value, self.heading.value = write_measures(0.0, 0.0), write_measures(0.0)
        for pixel, floor in self.points:
            pixel.value, floor.value = (0.0, 0.0), write_measures(0.0, 0.0)
        self.source = source
        self.camera_folder.visible = source in ("target", "unknown")
        self.place_folder.visible = source != "told"
        if small is not None:
            self.size = size
            self.board = PhotoBoard(self.client, small, size[0] / small.shape[1], self.note_click)
        self.camera.value = self.camera.options[source == "unknown"]  # points, where nothing else tells the camera
        self.show_points()

    def empty(self) -> None:
        """Empty all fields."""
        self.source = None
        self.camera_folder.visible = self.place_folder.visible = False
        self.drop_board()

    def show_points(self, event: object = None) -> None:
        """Show the fields of four points, and the picture on the scene to click them in."""
        for handle in (self.points_note, *(field for pair in self.points for field in pair)):
            handle.visible = self.by_points
        kind = self.find_kind()
        self.place_note.content = frame(self.words(f"place_{kind}")) if kind else ""
        if self.board is not None:
            self.board.show(True, listens=self.by_points)

    def find_kind(self) -> str:
        """Find the frame in which the tower's place is measured; "": the place is known."""
        if self.source in ("survey", "told", None):
            return "survey" if self.source == "survey" else ""
        return "points" if self.by_points else "target"

    def note_click(self, number: int, column: float, row: float) -> None:
        """Note a point that was clicked in the picture, in the next pair of fields."""
        self.points[number % POINTS][0].value = (round(column, 1), round(row, 1))

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
        return [self.origin, self.heading, *(box for pair in self.points for box in pair)]

    def read_place(self) -> TowerPose:
        """Read where the tower stood; refuse places that are impossible."""
        kind = self.find_kind()
        if not kind:
            return TowerPose((0.0, 0.0), 0.0)
        x, y = read_measures(self.origin.value, 2, self.origin.label, self.words, FOOT_MAX[kind])
        if kind == "target" and self.source == "target":
            check_foot((x, y))  # now, and not when it is the visitor's turn
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

    def read_pixel(self, number: int, box: viser.GuiInputHandle[tuple[float, float]]) -> tuple[float, float]:
        column, row = (
            read_within(float(value), box.label, self.words, 0, most) for value, most in zip(box.value, self.size, strict=True)
        )
        if column == row == 0:
            raise Refused(self.words("point_missing", number=number))
        return column, row
