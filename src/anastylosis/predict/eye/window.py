"""Window: a proposed block as the fitter sees it: the picture around it, always as large, and the box drawn as it is proposed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.turn import make_turns, measure_turns
from anastylosis.predict.eye.view import View
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
    "find_moves",
    "move_proposals",
    "reach_height",
]

WINDOW = 48  # [pixels] along a side
GRID = 2.4e-3  # [m] that a pixel of the window covers at the block's depth: 115 mm in all, a block and a half
CHANNELS = 6  # red, green, blue; faces across the length, the width and the height of the box
SAID = 9  # numbers that the fitter says: 6 of a move, log deviations of place and turn, log odds
ABOUT = 7  # numbers told beside: height, how upright each of two axes is, how steeply, how finely and how turned it is seen
HEIGHT_UNIT, FOOT_UNIT = 0.1, 2e-3  # [m]
LEVEL = 0.05  # slope of a ray that hardly goes down
NEAR_END = 0.01  # [m] from the middle along the length: where its direction is measured
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
    """What is seen where blocks are proposed, turned so that their length lies level in the window."""
    camera = view.camera
    centre, depth = camera.project(proposals.position)
    level = find_level(camera, proposals)
    x, y = lay_grid(centre, level * (GRID / (camera.pixel_size * depth))[:, None])
    picture = np.empty((len(x), CHANNELS, WINDOW, WINDOW), np.float32)
    picture[:, :3] = np.moveaxis(sample(view.picture, x, y), -1, 1)
    picture[:, 3:] = np.moveaxis(draw_faces(camera, x, y, proposals), -1, 1)
    ray = proposals.position - camera.eye
    about = np.stack(
        [
            proposals.position[:, 2] / HEIGHT_UNIT,
            np.abs(proposals.axes[:, 2, 0]),
            np.abs(proposals.axes[:, 2, 2]),
            -ray[:, 2] / np.linalg.norm(ray, axis=1),
            camera.pixel_size * depth / FOOT_UNIT,
            level[:, 0],
            level[:, 1],
        ],
        axis=1,
    )
    return Windows(picture, about.astype(np.float32))


def find_level(camera: Camera, proposals: Proposals) -> Floats:
    """(N, 2) unit vectors in the picture along the length of proposed blocks; of the two ways the one to the right."""
    ends = [camera.project(proposals.position + sign * NEAR_END * proposals.axes[..., 0])[0] for sign in (1, -1)]
    way = ends[0] - ends[1]
    way *= np.where(way[:, :1] < 0, -1.0, 1.0)
    length = np.linalg.norm(way, axis=1, keepdims=True)
    return np.where(length > 1e-9, way / np.maximum(length, 1e-9), (1.0, 0.0))


def make_window_frames(camera: Camera, proposals: Proposals) -> Floats:
    """(N, 3, 3) axes of windows in the world, as columns: to their right, downwards, and away from the eye."""
    ray = proposals.position - camera.eye
    ray = ray / np.linalg.norm(ray, axis=1, keepdims=True)
    right, down, _ = camera.axes
    level = find_level(camera, proposals)
    across = level[:, :1] * right + level[:, 1:] * down
    across = across - np.einsum("ni,ni->n", across, ray)[:, None] * ray
    across = across / np.linalg.norm(across, axis=1, keepdims=True)
    return np.stack([across, np.cross(ray, across), ray], axis=-1)


def lay_grid(centre: Floats, step: Floats) -> tuple[Floats, Floats]:
    """(N, W, W) columns and rows [pixels] of windows about centres (N, 2); along their rows pixels are `step` (N, 2) apart."""
    offset = np.arange(WINDOW) - (WINDOW - 1) / 2
    right, down = offset[None, None, :], offset[None, :, None]
    a, b = step[:, 0, None, None], step[:, 1, None, None]
    return centre[:, 0, None, None] + a * right - b * down, centre[:, 1, None, None] + b * right + a * down


def sample(picture: NDArray[np.float32], x: Floats, y: Floats) -> NDArray[np.float32]:
    """(N, W, W, 3) colours at columns x and rows y, (N, W, W) [pixels]; between pixels, those around are mixed."""
    height, width = picture.shape[:2]
    left, top = np.floor(x - 0.5), np.floor(y - 0.5)
    a, b = (x - 0.5 - left).astype(np.float32)[..., None], (y - 0.5 - top).astype(np.float32)[..., None]
    columns = [np.clip(left + k, 0, width - 1).astype(np.intp) for k in (0, 1)]
    rows = [width * np.clip(top + k, 0, height - 1).astype(np.intp) for k in (0, 1)]
    flat = picture.reshape(-1, 3)
    upper = flat[rows[0] + columns[0]] * (1 - a) + flat[rows[0] + columns[1]] * a
    lower = flat[rows[1] + columns[0]] * (1 - a) + flat[rows[1] + columns[1]] * a
    return upper * (1 - b) + lower * b


def draw_faces(camera: Camera, x: Floats, y: Floats, proposals: Proposals) -> NDArray[np.float32]:
    """(N, W, W, 3) 1 where the pixel at columns x and rows y sees a face across this axis of the box. Ray against slabs."""
    axes = proposals.axes
    half = (proposals.size / 2).astype(np.float32)
    eye = np.einsum("nij,ni->nj", axes, np.asarray(camera.eye) - proposals.position).astype(np.float32)  # in the box's own axes
    right, down, ahead = (np.einsum("nij,i->nj", axes, axis).astype(np.float32)[:, None, None] for axis in camera.axes)
    across = ((x - camera.width / 2) * camera.pixel_size).astype(np.float32)[..., None]
    along = ((y - camera.height / 2) * camera.pixel_size).astype(np.float32)[..., None]
    ray = ahead + across * right + along * down  # (N, W, W, 3)
    slope = 1 / np.where(np.abs(ray) < 1e-7, np.float32(1e-7), ray)
    middle, reach = -eye[:, None, None] * slope, np.abs(slope) * half[:, None, None]
    near, far = middle - reach, (middle + reach).min(axis=-1)
    entry = near.max(axis=-1)
    hit = (entry < far)[..., None]
    return ((near == entry[..., None]) & hit).astype(np.float32)


def move_proposals(camera: Camera, proposals: Proposals, moves: NDArray[np.floating]) -> Proposals:
    """Proposals moved as the fitter says, (N, 6): right, down and up; a turn about right, down and away. In units of their own.

    Where it is seen and how high it is say where a block is: most lie on the floor, so heights are told better than distances.
    Of blocks as high as the eye they say nothing, and these stay as far away as they are.
    """
    said = np.asarray(moves, np.float64)
    centre, depth = camera.project(proposals.position)
    level = find_level(camera, proposals)
    step = (SHIFT_UNIT * GRID / (camera.pixel_size * depth))[:, None]
    beside = np.stack([-level[:, 1], level[:, 0]], axis=1)
    rays = camera.rays(centre + step * (said[:, :1] * level + said[:, 1:2] * beside))
    there = reach_height(camera, rays, proposals.position[:, 2] + RISE_UNIT * said[:, 2])
    there = np.where(rays[:, 2] < -LEVEL, np.clip(there, (1 - JUMP) * depth, (1 + JUMP) * depth), depth)
    turn = make_turns(np.einsum("nij,nj->ni", make_window_frames(camera, proposals), TURN_UNIT * said[:, 3:6]))
    return Proposals(proposals.size, np.asarray(camera.eye) + rays * there[:, None], turn @ proposals.axes)


def find_moves(camera: Camera, proposals: Proposals, goals: Proposals) -> Floats:
    """(N, 6) the moves that bring proposals to goals: the inverse of `move_proposals`."""
    here, depth = camera.project(proposals.position)
    there, _ = camera.project(goals.position)
    level = find_level(camera, proposals)
    beside = np.stack([-level[:, 1], level[:, 0]], axis=1)
    way = (there - here) / (SHIFT_UNIT * GRID / (camera.pixel_size * depth))[:, None]
    turns = measure_turns(proposals.axes, goals.axes)
    return np.concatenate(
        [
            np.einsum("ni,ni->n", way, level)[:, None],
            np.einsum("ni,ni->n", way, beside)[:, None],
            (goals.position[:, 2:] - proposals.position[:, 2:]) / RISE_UNIT,
            np.einsum("nji,nj->ni", make_window_frames(camera, proposals), turns) / TURN_UNIT,
        ],
        axis=1,
    )


def reach_height(camera: Camera, rays: Floats, height: Floats) -> Floats:
    """Depth (N,) at which rays (N, 3) are at a height (N,) [m]; rays that hardly go down are taken to go down a little."""
    return (height - camera.eye[2]) / np.minimum(rays[:, 2], -LEVEL)
