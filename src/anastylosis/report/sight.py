"""Sight: blocks that were found, drawn over the picture they were found in."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from anastylosis.predict.eye.proposals import Proposals
from anastylosis.render.camera import Camera
from anastylosis.render.picture import Picture, check_picture

__all__ = ["draw_sight"]

Colour = tuple[int, int, int]

WIDTH = 400  # [pixels] of a picture, for each pixel of a line
# Corners of each face, round it: numbers whose bits say on which side of x, y and z they are.
FACES = {
    (0, 1): (1, 3, 7, 5), (0, -1): (0, 4, 6, 2),
    (1, 1): (2, 6, 7, 3), (1, -1): (0, 1, 5, 4),
    (2, 1): (4, 5, 7, 6), (2, -1): (0, 2, 3, 1),
}  # fmt: skip
SIGNS = np.array([[1 if corner >> axis & 1 else -1 for axis in range(3)] for corner in range(8)])


def draw_sight(picture: Picture, camera: Camera, blocks: Proposals, colours: Sequence[Colour]) -> Picture:
    """A copy of the picture of `camera` with the outlines of blocks on it: the faces that are turned to the eye.

    The nearest block is drawn last. Blocks behind the eye are left out.
    """
    image = Image.fromarray(check_picture(picture).copy())
    pen = ImageDraw.Draw(image)
    width = max(1, round(camera.width / WIDTH))
    corners = blocks.position[:, None] + (SIGNS * blocks.size[:, None] / 2) @ np.swapaxes(blocks.axes, -1, -2)
    pixels, depth = camera.project(corners)
    for row in np.argsort(-depth.mean(axis=1)):
        if not (depth[row] > 0).all():
            continue
        for face in visible_faces(blocks, row, camera):
            ring = [tuple(pixels[row, corner]) for corner in (*face, face[0])]
            pen.line(ring, fill=colours[row], width=width, joint="curve")
    return np.asarray(image)


def visible_faces(blocks: Proposals, row: int, camera: Camera) -> list[tuple[int, ...]]:
    """Faces of a block whose outer side is turned to the eye."""
    eye: NDArray[np.float64] = blocks.axes[row].T @ (np.asarray(camera.eye) - blocks.position[row])
    return [corners for (axis, sign), corners in FACES.items() if sign * eye[axis] > blocks.size[row, axis] / 2]
