"""Photographs that tests take: a picture of debris with the printed target on its floor, seen through a lens, blurred and noisy.

The target is the one of the PDF: its rectangles are read back from the page, so that what is printed is what is looked for.
"""

import re
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

from anastylosis.arrays import Floats
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.target import Target
from anastylosis.rendering import Camera, Sensor, render_image
from anastylosis.rendering.look import wood_look
from anastylosis.rendering.sensor import apply_sensor
from support.scenes import Scene

SAMPLES = 2  # along a pixel's side
POINT_MM = 25.4 / 72  # of a PDF
NUMBER = rb"-?\d*\.?\d+"


class Page(NamedTuple):
    """What a PDF shows, in millimetres from its lower left corner."""

    size: Floats  # (2,)
    black: Floats  # (N, 4) left, bottom, right, top of the filled rectangles
    lines: Floats  # (M, 4) from and to


def read_page(path: Path) -> Page:
    """The first page of a PDF that matplotlib has written."""
    content = path.read_bytes()
    box = re.search(rb"MediaBox \[ 0 0 (\S+) (\S+) \]", content)
    assert box
    streams = [
        zlib.decompressobj().decompress(part) if part[:1] == b"x" else part
        for part in re.findall(rb"stream\r?\n(.*?)\nendstream", content, re.S)
    ]
    text = max((stream for stream in streams if b" m\n" in stream), key=len)
    steps = re.findall(rb"(%b) (%b) ([ml])\n|(h)\n" % (NUMBER, NUMBER), text)
    shapes: list[list[tuple[float, float]]] = []
    closed = []
    for x, y, kind, close in steps:
        if close:
            closed.append(len(shapes) - 1)
        elif kind == b"m":
            shapes.append([(float(x), float(y))])
        else:
            shapes[-1].append((float(x), float(y)))
    boxes = [np.array(shapes[row]) for row in closed if len(shapes[row]) == 4]
    black = np.array([[*corners.min(axis=0), *corners.max(axis=0)] for corners in boxes]) * POINT_MM
    lines = np.array([[*shape[0], *shape[1]] for shape in shapes if len(shape) == 2]) * POINT_MM
    return Page(np.array([float(box[1]), float(box[2])]) * POINT_MM, black, lines)


class Sheet(NamedTuple):
    """A printed target, where it lies."""

    target: Target
    black: Floats  # (N, 4) [m] in the frame of the target
    place: tuple[float, float]  # [m] its corner 0 in the tower's frame
    turn: float  # [rad] from the tower's x to its own

    def to_sheet(self, points: Floats) -> Floats:
        """(..., 2) of the floor [m] in the frame of the target."""
        cos, sin = np.cos(self.turn), np.sin(self.turn)
        return (points - self.place) @ np.array([[cos, -sin], [sin, cos]])


def draw_target(path: Path, paper: str = "a4") -> Target:
    """Write a target and return it."""
    target = Target.choose(paper)
    target.draw(path)
    return target


def lay_sheet(path: Path, target: Target, place: tuple[float, float], turn: float) -> Sheet:
    """The target of a PDF on the floor."""
    page = read_page(path)
    left, bottom = page.black[:, :2].min(axis=0)
    return Sheet(target, (page.black - [left, bottom, left, bottom]) / 1e3, place, turn)


def grid_sheet(sheet: Sheet) -> tuple[NDArray[np.bool_], float]:
    """Black cells of the board, with a white one around it, and their side [m]: an eighth of a square."""
    step = sheet.target.square / 8
    edges = np.rint(sheet.black / step).astype(int)
    np.testing.assert_allclose(edges * step, sheet.black, atol=1e-6)
    grid = np.zeros((8 * sheet.target.columns + 2, 8 * sheet.target.rows + 2), bool)
    for left, bottom, right, top in edges + 1:
        grid[left:right, bottom:top] = True
    return grid, step


def paint(rgb: NDArray[np.uint8], ids: NDArray[np.int32], camera: Camera, sheet: Sheet) -> NDArray[np.uint8]:
    """The picture with the sheet wherever its floor is seen."""
    painted = rgb.copy()
    rays = camera.rays()
    floor = (ids < 0) & (rays[..., 2] < 0)
    seen = rays[floor]
    at = sheet.to_sheet((np.array(camera.eye) - camera.eye[2] / seen[:, 2:] * seen)[:, :2])
    page = at + sheet.target.corner
    paper = ((page > 0) & (page < sheet.target.page)).all(axis=1)
    grid, step = grid_sheet(sheet)
    cell = np.clip(np.floor(at / step).astype(int) + 1, 0, np.array(grid.shape) - 1)
    black = grid[cell[:, 0], cell[:, 1]]
    light = painted[floor].mean(axis=1, keepdims=True) / max(
        1.0, float(np.percentile(painted[floor], 90))
    )  # shadows fall on it, too
    ink = np.where(black[:, None], 25.0, 235.0) * np.minimum(light, 1.0)
    painted[floor] = np.where(paper[:, None], ink.astype(np.uint8), painted[floor])
    return painted


def take_photograph(
    scene: Scene, camera: Camera, sheet: Sheet | None, *, k1: float = 0.0, blur: float = 0.6, noise: float = 0.01, seed: int = 0
) -> tuple[NDArray[np.uint8], Lens]:
    """What a lens with the focal length of `camera` sees, and the lens. Rendered straight, painted, then bent by the lens."""
    focal = 1 / camera.pixel_size
    lens = Lens(focal=focal, width=camera.width, height=camera.height, k1=k1)
    straight = lens.straight()
    side = SAMPLES * np.array([straight.width, straight.height])
    fine = Camera(
        eye=camera.eye, target=camera.target, up=camera.up, width=int(side[0]), height=int(side[1]),
        field_of_view=2 * np.arctan(straight.height / (2 * straight.focal)),
    )  # fmt: skip
    image = render_image(*scene, fine, wood_look(seed), ids=True)
    assert image.ids is not None
    picture = image.rgb if sheet is None else paint(image.rgb, image.ids, fine, sheet)
    step = (np.arange(SAMPLES * camera.width) + 0.5) / SAMPLES
    rows = (np.arange(SAMPLES * camera.height) + 0.5) / SAMPLES
    pixels = np.stack(np.meshgrid(step, rows), axis=-1)
    at = (lens.undistort(pixels) - lens.middle) / focal * (SAMPLES * straight.focal) + side / 2 - 0.5
    where = np.moveaxis(at[..., ::-1], -1, 0)
    bent = [map_coordinates(picture[..., k], where, np.float64, order=1, mode="nearest") for k in range(3)]
    shape = (camera.height, SAMPLES, camera.width, SAMPLES)
    small = np.stack([channel.reshape(shape).mean(axis=(1, 3)) for channel in bent], axis=-1)
    return apply_sensor(np.rint(small).astype(np.uint8), Sensor(seed=seed, blur=blur, noise=noise)), lens
