"""Clicks on the corners of one block: a block on the floor, a camera, and the corners that it sees."""

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from anastylosis.rendering import Camera

__all__ = ["HEIGHT", "WIDTH", "BlockView", "draw_block_view", "list_seen_corners"]

WIDTH, HEIGHT = 1500, 1125
BETWEEN = 0.1  # of the distance: how far the camera is, at least, beyond the planes of the three faces that it sees


class BlockView(NamedTuple):
    """A block with its foot's middle at the origin, and a camera that sees three of its faces."""

    block: tuple[float, float, float]  # length, width, height [m]
    sides: np.ndarray  # (3,) along x, y, z as it lies; x is the longer one
    camera: Camera

    @property
    def pixels(self) -> np.ndarray:
        """(7, 2) of the corners that are seen."""
        return self.camera.project(list_seen_corners(self.sides, self.camera))[0]

    @property
    def focal(self) -> float:
        """Focal length [pixels]."""
        return 1 / self.camera.pixel_size


def list_seen_corners(sides: np.ndarray, camera: Camera) -> np.ndarray:
    """(7, 3) corners of a block; the eighth is on the floor, farthest from the camera."""
    corners = np.array(list(product((-0.5, 0.5), (-0.5, 0.5), (0, 1)))) * sides
    away = np.linalg.norm(corners[:, :2] - camera.eye[:2], axis=1) - 10 * (corners[:, 2] > 0)
    return np.delete(corners, int(away.argmax()), axis=0)


def draw_block_view(rng: np.random.Generator, shares: tuple[float, float] = (0.08, 0.4)) -> BlockView:
    """Draw a block of any usual proportions on any of its faces, and a camera: 20 to 70 degrees wide, 15 to 75 above the floor.

    `shares`: least and most of the picture's width that 80 mm take.
    """
    while True:
        height = rng.uniform(0.012, 0.02)
        block = (height * rng.uniform(4.2, 5.5), height * rng.uniform(1.4, 1.8), height)
        upright = rng.integers(3)
        sides = np.array([*(side for axis, side in enumerate(block) if axis != upright), block[upright]])
        view, tilt = math.radians(rng.uniform(20, 70)), math.radians(rng.uniform(15, 75))
        turn = rng.uniform(-math.pi, 0)  # y leads away from the camera
        reach = 0.08 / rng.uniform(*shares) / (2 * math.tan(view / 2))
        eye = reach * np.array([math.cos(tilt) * math.cos(turn), math.cos(tilt) * math.sin(turn), math.sin(tilt)])
        if (np.abs(eye) < sides / (2, 2, 1) + BETWEEN * reach).any():
            continue
        target = rng.uniform(-0.2, 0.2, 2) * reach * math.tan(view / 2)
        camera = Camera(
            eye=tuple(eye), target=(*target, 0.0), up=(*rng.normal(0, 0.05, 2), 1.0), width=WIDTH, height=HEIGHT,
            field_of_view=2 * math.atan(math.tan(view / 2) * HEIGHT / WIDTH),
        )  # fmt: skip
        found = BlockView(block, sides, camera)
        if ((found.pixels > 0) & (found.pixels < (WIDTH, HEIGHT))).all():
            return found
