"""Window: a proposed block as the fitter sees it: the picture around it, always as large, and the box drawn as it is proposed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.turn import make_turns
from anastylosis.predict.eye.view import View, make_frames
from anastylosis.render.camera import Camera

__all__ = [
    "ABOUT",
    "CHANNELS",
    "GRID",
    "RISE_UNIT",
    "SAID",
    "SHIFT_UNIT",
    "TURN_UNIT",
    "WINDOW",
    "Proposals",
    "Windows",
    "cut_windows",
    "move_proposals",
    "reach_height",
]

WINDOW = 48  # [pixels] along a side
GRID = 2.4e-3  # [m] that a pixel of the window covers at the block's depth: 115 mm in all, a block and a half
CHANNELS = 6  # red, green, blue; faces across the length, the width and the height of the box
SAID = 9  # numbers that the fitter says: 6 of a move, log deviations of place and turn, log odds
ABOUT = 5  # numbers told beside: height, how upright each of two axes is, how steeply and how finely it is seen
HEIGHT_UNIT, FOOT_UNIT = 0.1, 2e-3  # [m]
LEVEL = 0.05  # slope of a ray that hardly goes down
JUMP = 0.2  # share of its distance by which a proposal may be moved
SHIFT_UNIT, RISE_UNIT, TURN_UNIT = 4.0, 0.01, 0.3  # of a move: pixels of the window; [m]; [rad]

Floats = NDArray[np.float64]


class Proposals(NamedTuple):
    """N blocks that may lie there."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    axes: Floats  # (N, 3, 3) as columns

    def take(self, rows: NDArray[np.generic]) -> "Proposals":
        return Proposals(*(part[rows] for part in self))


class Windows(NamedTuple):
    """N proposals as the net takes them."""

    picture: NDArray[np.float32]  # (N, CHANNELS, WINDOW, WINDOW)
    about: NDArray[np.float32]  # (N, ABOUT)


def cut_windows(view: View, proposals: Proposals) -> Windows:
    """What is seen where blocks are proposed."""
    camera = view.camera
    centre, depth = camera.project(proposals.position)
    step = GRID / (camera.pixel_size * depth)
    offset = np.arange(WINDOW) - (WINDOW - 1) / 2
    x = centre[:, 0, None] + step[:, None] * offset  # (N, W)
    y = centre[:, 1, None] + step[:, None] * offset
    picture = np.empty((len(x), CHANNELS, WINDOW, WINDOW), np.float32)
    picture[:, :3] = np.moveaxis(sample(view.picture, x, y), -1, 1)
    picture[:, 3:] = np.moveaxis(draw_faces(camera, x, y, proposals), -1, 1)
    ray = proposals.position - camera.eye
    away = np.linalg.norm(ray, axis=1)
    about = np.stack(
        [
            proposals.position[:, 2] / HEIGHT_UNIT,
            np.abs(proposals.axes[:, 2, 0]),
            np.abs(proposals.axes[:, 2, 2]),
            -ray[:, 2] / away,
            camera.pixel_size * depth / FOOT_UNIT,
        ],
        axis=1,
    )
    return Windows(picture, about.astype(np.float32))


def sample(picture: NDArray[np.float32], x: Floats, y: Floats) -> NDArray[np.float32]:
    """(N, W, W, 3) colours at columns x and rows y, (N, W) each [pixels]; between pixels, those around are mixed."""
    height, width = picture.shape[:2]
    left, top = np.floor(x - 0.5), np.floor(y - 0.5)
    a, b = (x - 0.5 - left).astype(np.float32)[:, None, :, None], (y - 0.5 - top).astype(np.float32)[:, :, None, None]
    columns = [np.clip(left + k, 0, width - 1).astype(np.intp)[:, None, :] for k in (0, 1)]
    rows = [np.clip(top + k, 0, height - 1).astype(np.intp)[:, :, None] for k in (0, 1)]
    upper = picture[rows[0], columns[0]] * (1 - a) + picture[rows[0], columns[1]] * a
    lower = picture[rows[1], columns[0]] * (1 - a) + picture[rows[1], columns[1]] * a
    return upper * (1 - b) + lower * b


def draw_faces(camera: Camera, x: Floats, y: Floats, proposals: Proposals) -> NDArray[np.float32]:
    """(N, W, W, 3) 1 where the pixel at columns x and rows y sees a face across this axis of the box. Ray against slabs."""
    right, down, ahead = camera.axes
    axes = proposals.axes
    half = proposals.size / 2
    eye = np.einsum("nij,ni->nj", axes, np.asarray(camera.eye) - proposals.position)  # in the box's own axes
    across = ((x - camera.width / 2) * camera.pixel_size)[:, None, :, None] * np.einsum("nij,i->nj", axes, right)[:, None, None]
    along = ((y - camera.height / 2) * camera.pixel_size)[:, :, None, None] * np.einsum("nij,i->nj", axes, down)[:, None, None]
    ray = np.einsum("nij,i->nj", axes, ahead)[:, None, None] + across + along  # (N, W, W, 3)
    slope = 1 / np.where(np.abs(ray) < 1e-9, 1e-9, ray)
    reach = np.abs(slope) * half[:, None, None]
    middle = -eye[:, None, None] * slope
    near, far = middle - reach, (middle + reach).min(axis=-1)
    entry = near.max(axis=-1)
    hit = (entry < far)[..., None]
    return ((near == entry[..., None]) & hit).astype(np.float32)


def move_proposals(camera: Camera, proposals: Proposals, moves: NDArray[np.floating]) -> Proposals:
    """Proposals moved as the fitter says, (N, 6): right, down, up; a turn about right, away and up. In units of their own.

    Where it is seen and how high it is say where a block is: most lie on the floor, so heights are told better than distances.
    """
    said = np.asarray(moves, np.float64)
    centre, depth = camera.project(proposals.position)
    step = GRID / (camera.pixel_size * depth)
    rays = camera.rays(centre + SHIFT_UNIT * step[:, None] * said[:, :2])
    height = proposals.position[:, 2] + RISE_UNIT * said[:, 2]
    there = np.clip(reach_height(camera, rays, height), (1 - JUMP) * depth, (1 + JUMP) * depth)
    position = np.asarray(camera.eye) + rays * there[:, None]
    frames = make_frames(proposals.position - camera.eye)
    turn = make_turns(np.einsum("nij,nj->ni", frames, TURN_UNIT * said[:, 3:6]))
    return Proposals(proposals.size, position, turn @ proposals.axes)


def reach_height(camera: Camera, rays: Floats, height: Floats) -> Floats:
    """Depth (N,) at which rays (N, 3) are at a height (N,) [m]; rays that hardly go down are taken to go down a little."""
    return (height - camera.eye[2]) / np.minimum(rays[:, 2], -LEVEL)
