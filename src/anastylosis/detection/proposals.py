"""Box proposals: boxes that may be blocks. The slots of a tower are such boxes, too."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Integers, Singles
from anastylosis.geometry import make_matrices, make_rotations, mirror_axes
from anastylosis.rendering.camera import Camera
from anastylosis.structure import jenga_tower

__all__ = ["BoxProposals", "enter_boxes", "join_proposals", "mirror_proposals", "move", "tower_slots"]

LEVEL = 1e-7  # least slope of a ray against a face
COURSES = 30  # of the highest tower that is looked for


class BoxProposals(NamedTuple):
    """N boxes that may be blocks."""

    size: Floats  # (N, 3) [m]
    position: Floats  # (N, 3) [m]
    axes: Floats  # (N, 3, 3) as columns

    def take(self, rows: NDArray[np.generic]) -> "BoxProposals":
        """Return the proposals of these rows."""
        return BoxProposals(*(part[rows] for part in self))


def join_proposals(parts: Sequence[BoxProposals]) -> BoxProposals:
    """Concatenate proposals."""
    return BoxProposals(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def move(proposals: BoxProposals, shift: Floats, turn: Floats) -> BoxProposals:
    """Shift proposals by (N, 3) [m] and turn them by rotation vectors (N, 3) [rad], in the world."""
    return proposals._replace(position=proposals.position + shift, axes=make_rotations(turn) @ proposals.axes)


def mirror_proposals(proposals: BoxProposals) -> BoxProposals:
    """Mirror proposals in the plane y = 0; slots of a tower become slots."""
    return proposals._replace(position=proposals.position * (1.0, -1.0, 1.0), axes=mirror_axes(proposals.axes, 1, -1))


def enter_boxes(camera: Camera, pixels: Floats, boxes: BoxProposals) -> tuple[Singles, Integers]:
    """Return the depths (N, ...) [m] at which rays through pixels (N, ..., 2) enter their box, and the axes of the faces entered.

    Depths are infinite where a ray misses. Slab method.
    """
    spread = (len(boxes.size), *(1 for _ in pixels.shape[1:-1]), 3)
    eye = np.einsum("nij,ni->nj", boxes.axes, np.asarray(camera.eye) - boxes.position).astype(np.float32).reshape(spread)
    right, down, ahead = (np.einsum("nij,i->nj", boxes.axes, axis).astype(np.float32).reshape(spread) for axis in camera.axes)
    x = ((pixels[..., :1] - camera.width / 2) * camera.pixel_size).astype(np.float32)
    y = ((pixels[..., 1:] - camera.height / 2) * camera.pixel_size).astype(np.float32)
    ray = ahead + x * right + y * down
    slope = 1 / np.where(np.abs(ray) < LEVEL, np.float32(LEVEL), ray)
    middle, reach = -eye * slope, np.abs(slope) * (boxes.size / 2).astype(np.float32).reshape(spread)
    face = (middle - reach).argmax(axis=-1)
    entry = (middle - reach).max(axis=-1)
    return np.where((entry > 0) & (entry < (middle + reach).min(axis=-1)), entry, np.float32(np.inf)), face


def tower_slots(size: Floats, courses: int = COURSES) -> BoxProposals:
    """Return the slots of a tower as boxes of one size (3,), from the floor up."""
    tower = jenga_tower(courses)
    return BoxProposals(np.tile(size, (len(tower), 1)), np.array(tower.position), make_matrices(tower.orientation))
