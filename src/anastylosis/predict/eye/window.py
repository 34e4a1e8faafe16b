"""Window: a slot of the tower as the reader sees it: the picture around it, always as large and the same way round, and the box
drawn of a block that would stand there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.predict.eye.proposals import Proposals, enter_boxes
from anastylosis.predict.eye.view import View
from anastylosis.render.camera import Camera

__all__ = ["ABOUT", "CHANNELS", "GRID", "WINDOW", "Windows", "cut_windows"]

WINDOW = 40  # [pixels] along a side
GRID = 2.8e-3  # [m] that a pixel of the window covers at the block's depth: 112 mm in all, a block and a half
CHANNELS = 6  # red, green, blue; faces across the length, the width and the height of the box
ABOUT = 4  # numbers told beside: height, how steeply, how finely and how squarely it is seen
HEIGHT_UNIT, FOOT_UNIT = 0.1, 2e-3  # [m]
NEAR_END = 0.01  # [m] from the middle along the length: where its direction is measured

Floats = NDArray[np.float64]


class Windows(NamedTuple):
    """N slots as the net takes them."""

    picture: NDArray[np.float32]  # (N, CHANNELS, WINDOW, WINDOW)
    about: NDArray[np.float32]  # (N, ABOUT)


def cut_windows(view: View, slots: Proposals) -> Windows:
    """What is seen where blocks would stand: their length level, the end that is nearer to the eye on the right."""
    camera = view.camera
    pixels = lay_grid(camera, slots)
    entry, face = enter_boxes(camera, pixels, slots)
    picture = np.empty((len(pixels), CHANNELS, WINDOW, WINDOW), np.float32)
    picture[:, :3] = np.moveaxis(sample(view.picture, pixels), -1, 1)
    picture[:, 3:] = (face[:, None] == np.arange(3)[:, None, None]) & np.isfinite(entry)[:, None]
    ray = slots.position - camera.eye
    distance = np.linalg.norm(ray, axis=1)
    about = np.stack(
        [
            slots.position[:, 2] / HEIGHT_UNIT,
            -ray[:, 2] / distance,
            camera.pixel_size * distance / FOOT_UNIT - 1,
            np.abs(np.einsum("ni,ni->n", ray, slots.axes[..., 0])) / distance,
        ],
        axis=1,
    )
    return Windows(picture, about.astype(np.float32))


def lay_grid(camera: Camera, slots: Proposals) -> Floats:
    """(N, WINDOW, WINDOW, 2) where the pixels of windows are in the picture."""
    centre, depth = camera.project(slots.position)
    away = np.einsum("ni,ni->n", slots.position - camera.eye, slots.axes[..., 0])
    near = slots.axes[..., 0] * np.where(away > 0, -1.0, 1.0)[:, None]
    ends = [camera.project(slots.position + sign * NEAR_END * near)[0] for sign in (1, -1)]
    right = ends[0] - ends[1]
    length = np.linalg.norm(right, axis=1, keepdims=True)
    right = np.where(length > 1e-9, right / np.maximum(length, 1e-9), (1.0, 0.0))
    down = np.stack([-right[:, 1], right[:, 0]], axis=1)
    down *= np.where(down[:, 1:] < 0, -1.0, 1.0)  # a window is mirrored rather than turned upside down
    offset = (np.arange(WINDOW) - (WINDOW - 1) / 2)[:, None] * np.ones(2)
    step = (GRID / (camera.pixel_size * depth))[:, None, None]
    return centre[:, None, None] + (step * right[:, None] * offset)[:, None] + (step * down[:, None] * offset)[:, :, None]


def sample(picture: NDArray[np.float32], pixels: Floats) -> NDArray[np.float32]:
    """(..., 3) colours at pixels (..., 2); between pixels, those around are mixed."""
    height, width = picture.shape[:2]
    corner = np.floor(pixels - 0.5)
    a, b = np.moveaxis((pixels - 0.5 - corner).astype(np.float32), -1, 0)[..., None]
    columns = [np.clip(corner[..., 0] + k, 0, width - 1).astype(np.intp) for k in (0, 1)]
    rows = [width * np.clip(corner[..., 1] + k, 0, height - 1).astype(np.intp) for k in (0, 1)]
    flat = picture.reshape(-1, 3)
    upper = flat[rows[0] + columns[0]] * (1 - a) + flat[rows[0] + columns[1]] * a
    lower = flat[rows[1] + columns[0]] * (1 - a) + flat[rows[1] + columns[1]] * a
    return upper * (1 - b) + lower * b
