"""Windows: a slot of the tower as the reader sees it. Two faces of the block that would stand there, the end and the long side
that are turned to the eye, and what is around them; laid flat, so that every slot looks alike from everywhere."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.detection.proposals import Proposals
from anastylosis.detection.view import View
from anastylosis.rendering.sample import sample

__all__ = ["ABOUT", "CHANNELS", "WINDOW", "Windows", "cut_windows"]

WINDOW = (24, 32)  # [samples] downwards and across
CHANNELS = 6  # red, green, blue of the end; of the side
ABOUT = 6  # numbers told beside: height; how steeply, how finely, how squarely each face is seen; how far inside it is
DOWN, ACROSS_END, ACROSS_SIDE = 2.5e-3, 2.5e-3, 3.2e-3  # [m] between samples: 60 mm in all, 80 and 102
HEIGHT_UNIT, FOOT_UNIT = 0.1, 1.4e-3  # [m]

Floats = NDArray[np.float64]


class Windows(NamedTuple):
    """N slots as the net takes them."""

    picture: NDArray[np.float32]  # (N, CHANNELS, *WINDOW)
    about: NDArray[np.float32]  # (N, ABOUT)


def cut_windows(view: View, slots: Proposals) -> Windows:
    """What is seen where blocks would stand. The edge between the two faces is on the right of both."""
    camera = view.camera
    to_eye = np.asarray(camera.eye) - slots.position
    distance = np.linalg.norm(to_eye, axis=1)
    seen = np.einsum("nij,ni->nj", slots.axes, to_eye)  # along each axis of the slot
    near = slots.axes * np.where(seen < 0, -1.0, 1.0)[:, None]  # axes that point to the eye's side
    colours = [sample(view.picture, camera.project(lay_grid(slots, near, face))[0]) for face in (0, 1)]
    about = np.stack(
        [
            slots.position[:, 2] / HEIGHT_UNIT,
            to_eye[:, 2] / distance,
            camera.pixel_size * distance / FOOT_UNIT - 1,
            np.abs(seen[:, 0]) / distance,
            np.abs(seen[:, 1]) / distance,
            np.einsum("ni,ni->n", slots.position, near[..., 1]) / slots.size[:, 1],
        ],
        axis=1,
    )
    return Windows(np.moveaxis(np.concatenate(colours, axis=-1), -1, 1), about.astype(np.float32))


def lay_grid(slots: Proposals, near: Floats, face: int) -> Floats:
    """(N, *WINDOW, 3) [m] where the samples of one face are, across axis 0 or 1; `near` are the axes that point to the eye."""
    rows, columns = (np.arange(count) - (count - 1) / 2 for count in WINDOW)
    across = (ACROSS_END, ACROSS_SIDE)[face] * columns[:, None] * near[:, None, :, 1 - face]
    down = np.zeros((1, len(rows), 3))
    down[..., 2] = -DOWN * rows
    middle = slots.position + slots.size[:, face, None] / 2 * near[..., face]
    return middle[:, None, None] + across[:, None] + down[:, :, None]
