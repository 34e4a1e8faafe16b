"""Scenery: what a photograph has around and on its blocks: a patterned floor, where the table ends, the room, marks.

A picture is drawn on a plain floor first; then every sample of it is painted anew here, in linear light. So shadows stay, and
the picture without scenery is not touched.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats, Singles
from anastylosis.errors import InvalidConfig
from anastylosis.kernel import announce_compilation, entry
from anastylosis.rendering.boxes import build_projection
from anastylosis.rendering.camera import Camera
from anastylosis.rendering.floor import FLOORS, floor_texture
from anastylosis.rendering.look import Colour, check_colour, srgb_to_linear
from anastylosis.rendering.marks import mark_factor
from anastylosis.rendering.room import room_patch

EDGES_MAX = 4  # of a table


@dataclass(frozen=True, kw_only=True)
class Scenery:
    """A floor, a table's edges, a room, and marks on blocks. Colours are sRGB, lengths metres."""

    seed: int
    floor: str = "plain"
    colours: tuple[Colour, Colour, Colour] = ((0.78, 0.77, 0.75), (0.6, 0.58, 0.55), (0.4, 0.4, 0.4))  # of the floor
    relief: float = 1.0  # how strong the floor's own light and dark is, 0..1
    scale: float = 1.0  # of the floor's pattern
    turn: float = 0.0  # of the floor's pattern [rad]
    edges: tuple[tuple[float, float], ...] = ()  # of the table: azimuth of each [rad], and how far from the middle [m]
    middle: tuple[float, float] = (0.0, 0.0)  # [m]
    room: tuple[Colour, Colour, Colour] = ((0.85, 0.83, 0.80), (0.35, 0.33, 0.32), (0.5, 0.4, 0.3))
    ink: float = 0.0  # how dark lettering on the blocks is, 0..1
    stain: float = 0.0  # how strong stains are, 0..1
    rim: float = 0.0  # how much brighter (below 0: darker) edges of blocks are, -1..1

    def __post_init__(self) -> None:
        if self.floor not in FLOORS:
            raise InvalidConfig(f"floor is {self.floor!r}; choose one of {', '.join(FLOORS)}")
        if len(self.edges) > EDGES_MAX:
            raise InvalidConfig(f"there are {len(self.edges)} edges; a table has at most {EDGES_MAX}")
        for name in ("colours", "room"):
            checked = tuple(check_colour(colour, name) for colour in getattr(self, name))
            if len(checked) != 3:
                raise InvalidConfig(f"{name} has {len(checked)} colours; it has three")
        limits = (("relief", 0, 1), ("scale", 0.05, 20), ("turn", -10, 10), ("ink", 0, 1), ("stain", 0, 1), ("rim", -1, 1))
        for name, low, high in limits:
            if not low <= getattr(self, name) <= high:
                raise InvalidConfig(f"{name} is {getattr(self, name)}; it must be in {low}..{high}")


def paint_scenery(
    light: Singles, ids: NDArray[np.int32], depth: Singles, camera: Camera, scenery: Scenery, grey: float,
    blocks: tuple[Floats, Floats, Floats], marked: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Paint the samples of a picture (H, W, 3) in place: floors and what is behind them anew, blocks with marks.

    The picture was drawn on a floor of this linear `grey`. `blocks` are sizes (B, 3), positions (B, 3), axes (B, 3, 3);
    `marked` (B,) those that may have marks.
    """
    announce_compilation("rendering", "about ten seconds")
    edges = np.array([(math.cos(turn), math.sin(turn), far) for turn, far in scenery.edges]).reshape(-1, 3)
    size, position, axes = (np.ascontiguousarray(part, np.float64) for part in blocks)
    paint(
        light, ids, depth, build_projection(camera), FLOORS.index(scenery.floor), scenery.seed % 2**20,
        np.ascontiguousarray(srgb_to_linear(scenery.colours)), np.array([scenery.relief, scenery.scale, scenery.turn]),
        edges, np.array(scenery.middle), np.ascontiguousarray(srgb_to_linear(scenery.room)), grey,
        size / 2, position, axes, marked, np.array([scenery.ink, scenery.stain, scenery.rim]),
    )  # fmt: skip


@entry
def paint(
    light, ids, depth, view, family, seed, colours, pattern, edges, middle, room, grey, half, position, axes, marked, marks
):
    """Paint every sample of `light` (H, W, 3)."""
    turn_x, turn_y = math.cos(pattern[2]), math.sin(pattern[2])
    for j in range(view.height):
        for i in range(view.width):
            x, y = i + 0.5, j + 0.5
            rx = view.corner[0] + x * view.across[0] + y * view.down[0]
            ry = view.corner[1] + x * view.across[1] + y * view.down[1]
            rz = view.corner[2] + x * view.across[2] + y * view.down[2]
            k = ids[j, i]
            if k >= 0:
                if marked[k] and (marks[0] > 0.0 or marks[1] > 0.0 or marks[2] != 0.0):
                    t = depth[j, i]
                    px = view.eye[0] + t * rx - position[k, 0]
                    py = view.eye[1] + t * ry - position[k, 1]
                    pz = view.eye[2] + t * rz - position[k, 2]
                    factor = mark_factor(
                        axes[k, 0, 0] * px + axes[k, 1, 0] * py + axes[k, 2, 0] * pz,
                        axes[k, 0, 1] * px + axes[k, 1, 1] * py + axes[k, 2, 1] * pz,
                        axes[k, 0, 2] * px + axes[k, 1, 2] * py + axes[k, 2, 2] * pz,
                        half[k, 0], half[k, 1], half[k, 2], seed + 31 * k, marks[0], marks[1], marks[2],
                    )  # fmt: skip
                    for c in range(3):
                        light[j, i, c] *= factor
                continue
            outside = rz >= -1e-6
            if not outside:
                t = -view.eye[2] / rz
                px, py = view.eye[0] + t * rx - middle[0], view.eye[1] + t * ry - middle[1]
                for e in range(edges.shape[0]):
                    outside = outside or px * edges[e, 0] + py * edges[e, 1] > edges[e, 2]
            if outside:
                level = math.sqrt(rx * rx + ry * ry)
                tone, kind = room_patch(math.atan2(ry, rx), rz / max(level, 1e-6), seed)
                third = 0.8 if kind > 0.7 else 0.0
                for c in range(3):
                    wall = room[0, c] + tone * (room[1, c] - room[0, c])
                    light[j, i, c] = wall + third * (room[2, c] - wall)
                continue
            u = (turn_x * px + turn_y * py) / pattern[1]
            v = (turn_x * py - turn_y * px) / pattern[1]
            slope = -rz / math.sqrt(rx * rx + ry * ry + rz * rz)
            pixel = view.pixel * t / math.sqrt(max(slope, 0.05)) / pattern[1]
            second, third, bright = floor_texture(family, u, v, seed, pixel)
            bright = 1.0 + pattern[0] * (bright - 1.0)
            for c in range(3):
                tone = colours[0, c] + second * (colours[1, c] - colours[0, c])
                tone += third * (colours[2, c] - tone)
                light[j, i, c] *= tone * bright / grey
