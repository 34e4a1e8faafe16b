"""Pictures of an episode's debris: which camera, light and mirror each has, by the seed of the episode and a number.

A tower looks the same in the mirrors x = 0 and y = 0, and so does its physics. A mirrored scene is one that could have been
played, with its slots relabelled: labels stay true. To a net it is another camera, on the other side of the tower.
"""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidConfig
from anastylosis.geometry import find_corners, make_matrices, mirror_poses
from anastylosis.rendering import (
    STILL_VIEW,
    Camera,
    Look,
    Sensor,
    make_look,
    random_camera,
    random_domain,
    render_image,
    still_camera,
)

ANTIALIAS = 2  # rays along a pixel's side
OWN_DICE = 3  # child of an episode's seed; 0, 1 and 2 are the tower's, the player's and the level's
CAMERAS = ("still", "near", "any")
TURN, TILT, ZOOM = math.radians(6), math.radians(3), 0.06  # how far a near camera is from the still one


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Settings of pictures. Number 0 of an episode is the plain one: not mirrored, the still camera, wood."""

    size: int = 128  # sides [pixels]
    layers: int = STILL_VIEW.layers  # of the tallest tower that the picture shows whole
    reach: float = (
        STILL_VIEW.reach
    )  # [m] of the floor around the tower: 96 in 100 blocks of the preset `learn` come to rest within
    mirror: bool = False  # in x, y, both or neither
    camera: str = "still"  # `near`: a few degrees beside it; `any`: from any side, and not relabelled
    domain: float = 0.0  # share of pictures with light, floor, blocks and sensor of any kind
    plain_first: bool = True

    def __post_init__(self) -> None:
        if self.camera not in CAMERAS:
            raise InvalidConfig(f"camera is {self.camera!r}; choose one of {', '.join(CAMERAS)}")
        if not 0 <= self.domain <= 1:
            raise InvalidConfig(f"domain is {self.domain}; it is a share of pictures, 0..1")
        if not 16 <= self.size <= 2048:
            raise InvalidConfig(f"size is {self.size}; a picture to learn from has sides of 16..2048 pixels")

    def aim(self, size: int | None = None, *, turn: float = 0.0, tilt: float = 0.0) -> Camera:
        """Return the still camera, or one turned beside it [rad]; the picture has `size` pixels a side (default: its own)."""
        return still_camera(
            size or self.size, layers=self.layers, reach=self.reach, elevation=STILL_VIEW.elevation + tilt,
            azimuth=STILL_VIEW.azimuth + turn,
        )  # fmt: skip


class Mirror(NamedTuple):
    """Mirrors in which a scene is seen: x = 0, y = 0, both or none."""

    x: bool = False
    y: bool = False

    @property
    def signs(self) -> tuple[int, int]:
        """Factors of the coordinates x and y: -1 in a mirror."""
        return 1 - 2 * self.x, 1 - 2 * self.y


class DebrisPose(NamedTuple):
    """Blocks where they stood and where they lie; NaN where there is none."""

    size: Floats  # (B, 3) [m]
    stood: Floats  # (B, 7) [m], wxyz
    lies: Floats  # (B, 7)


class PlannedShot(NamedTuple):
    """Mirror, camera, look and sensor of one picture."""

    mirror: Mirror
    camera: Camera
    look: Look
    sensor: Sensor | None


def plan_shot(recipe: Recipe, seed: int, number: int) -> PlannedShot:
    """Choose mirror, camera, look and sensor of picture `number` of the episode with this seed."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(OWN_DICE, number)))
    plain = PlannedShot(Mirror(), recipe.aim(), make_look("wood", seed), None)
    if number == 0 and recipe.plain_first:
        return plain
    mirror = Mirror(*(bool(side) for side in rng.integers(2, size=2))) if recipe.mirror else plain.mirror
    look, sensor = plain.look, plain.sensor
    if rng.random() < recipe.domain:
        _, look, sensor = random_domain(rng, recipe.size, recipe.size)
    return PlannedShot(mirror, draw_camera(recipe, plain.camera, rng), look, sensor)


def draw_camera(recipe: Recipe, still: Camera, rng: np.random.Generator) -> Camera:
    """Return the camera that the recipe asks for, drawn from `rng` where there is a choice."""
    if recipe.camera == "any":
        return random_camera(rng, recipe.size, recipe.size, layers=recipe.layers)
    if recipe.camera == "still":
        return still
    turn, tilt, zoom = rng.uniform(-1, 1, 3) * (TURN, TILT, ZOOM)
    near = recipe.aim(turn=turn, tilt=tilt)
    eye = np.add(near.target, np.subtract(near.eye, near.target) * (1 + zoom))
    return replace(near, eye=tuple(eye))


def draw_shot(scene: DebrisPose, shot: PlannedShot) -> NDArray[np.uint8]:
    """Draw the debris, (size, size) in grey."""
    there = np.isfinite(scene.lies[:, 0])
    lies = mirror_poses(np.where(there[:, None], scene.lies, (0, 0, 0, 1, 0, 0, 0)), *shot.mirror.signs)
    size = np.where(there[:, None], scene.size, 0.01)
    return render_image(
        size, lies[:, :3], lies[:, 3:], shot.camera, shot.look, present=there, antialias=ANTIALIAS, sensor=shot.sensor
    ).grey


def project_boxes(size: Floats, poses: Floats, camera: Camera) -> Floats:
    """Return (B, 5) boxes in the picture: x, y of the centre, width, height, angle. Paper §3. NaN where there is no box.

    The rectangle lies along the longest axis as it is seen. Lengths are shares of the picture's side; the angle is
    divided by 90 degrees, minus 1: -1..1.
    """
    axes = make_matrices(np.where(np.isfinite(poses[:, 3:]), poses[:, 3:], (1, 0, 0, 0)))
    corners = find_corners(poses[:, :3], size, axes)
    centre, _ = camera.project(poses[:, :3])
    seen, _ = camera.project(corners)
    along = axes[:, :, 0] * size[:, :1] / 2
    ends = camera.project(poses[:, :3] + along)[0] - camera.project(poses[:, :3] - along)[0]
    way = ends / np.linalg.norm(ends, axis=1, keepdims=True)
    across = np.stack([-way[:, 1], way[:, 0]], axis=1)
    width, height = (np.ptp(np.einsum("bck,bk->bc", seen, one), axis=1) for one in (way, across))
    angle = np.mod(np.arctan2(way[:, 1], way[:, 0]), math.pi) / (math.pi / 2) - 1
    return np.column_stack([centre / camera.width, width / camera.width, height / camera.width, angle])
