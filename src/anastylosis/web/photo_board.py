"""Photo board: a picture on the scene, so that points can be clicked in it."""

import math
from collections.abc import Callable

import numpy as np
import viser
from numpy.typing import NDArray

from anastylosis.arrays import Floats

FAR = 60.0  # from the tower: the board is looked at alone
HEIGHT = 6.0
ROOM = 1.08  # around the picture
COLOURS = ((217, 26, 26), (30, 120, 210), (20, 150, 70), (200, 120, 0), (140, 60, 190), (0, 160, 170), (90, 70, 50))


class PhotoBoard:
    """Stands upright in the plane y = FAR; seen from the front. Clicks are told as pixels of the whole picture."""

    def __init__(
        self, client: viser.ClientHandle, picture: NDArray[np.uint8], scale: float, on_click: Callable[[int, float, float], None]
    ) -> None:
        self.client, self.scale, self.on_click = client, scale, on_click
        self.rows, self.columns = picture.shape[:2]
        self.width = HEIGHT * self.columns / self.rows
        self.clicks, self.most = 0, len(COLOURS)
        self.listens = True
        self.marks: list[viser.SceneNodeHandle] = []
        self.before: tuple[Floats, Floats] | None = None  # where the camera was, and looked
        # An image has x to the right and y down in its own frame; here down is -z, and it is seen along +y.
        turn = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
        self.image = client.scene.add_image(
            "/photo", picture, self.width, HEIGHT, wxyz=turn, position=(0.0, FAR, HEIGHT / 2), visible=False, cast_shadow=False,
            receive_shadow=False,
        )  # fmt: skip

        @self.image.on_click
        def _(event: viser.SceneNodePointerEvent) -> None:
            self.click(np.array(event.ray_origin), np.array(event.ray_direction))

    def show(self, wanted: bool, *, listens: bool = True) -> None:
        """Turn the camera to the board; or hide it, and turn the camera back. `listens`: points are clicked in it."""
        camera, before = self.client.camera, self.before
        self.listens = listens
        self.image.visible = wanted
        for mark in self.marks:
            mark.visible = wanted and listens
        if not wanted and before is not None:
            self.before = None
            with self.client.atomic():
                camera.position, camera.look_at = before
        elif wanted:
            self.before = before or (np.array(camera.position), np.array(camera.look_at))
            away = ROOM * max(HEIGHT, self.width / camera.aspect) / (2 * math.tan(camera.fov / 2))
            with self.client.atomic():
                camera.position, camera.look_at = (0.0, FAR - away, HEIGHT / 2), (0.0, FAR, HEIGHT / 2)

    def click(self, origin: Floats, direction: Floats) -> None:
        if not self.listens or abs(direction[1]) < 1e-9:
            return
        place = origin + (FAR - origin[1]) / direction[1] * direction
        column, row = self.find_pixel(place)
        number = self.clicks % self.most
        self.clicks += 1
        mark = self.client.scene.add_icosphere(
            f"/mark/{number}", 0.05, color=COLOURS[number], position=(place[0], FAR - 0.05, place[2]), cast_shadow=False
        )
        self.marks = [each for each in self.marks if each.name != mark.name] + [mark]
        self.on_click(number, column, row)

    def begin(self, most: int) -> None:
        """Begin anew with the first of so many marks, at most one for each colour."""
        self.clicks, self.most = 0, most
        for mark in self.marks:
            mark.remove()
        self.marks = []

    def find_pixel(self, place: Floats) -> tuple[float, float]:
        """Find column and row, in the whole picture, of a point of the board."""
        column = (place[0] / self.width + 0.5) * self.columns * self.scale
        row = (1 - place[2] / HEIGHT) * self.rows * self.scale
        return float(column), float(row)

    def remove(self) -> None:
        self.show(False)
        for handle in (*self.marks, self.image):
            handle.remove()
        self.marks = []
