"""Scenes for tests of pictures, and a ray-caster of their own: every ray against every face, in numpy.

Shares no code with `anastylosis.rendering`: rotations are SciPy's, and a face is hit where its plane is met within its sides.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from anastylosis.arrays import Floats
from anastylosis.rendering import Camera


class Scene(NamedTuple):
    sizes: Floats
    position: Floats
    orientation: Floats


def pile(seed: int, count: int = 40, reach: float = 0.25) -> Scene:
    """Blocks of many sizes, turned at random, some through each other and through the floor."""
    rng = np.random.default_rng(seed)
    sizes = rng.uniform(0.01, 0.12, (count, 3))
    position = np.column_stack([rng.uniform(-reach, reach, (count, 2)), rng.uniform(0.0, 0.25, count)])
    return Scene(sizes, position, Rotation.random(count, rng=rng).as_quat(scalar_first=True))


def trace(scene: Scene, origins: Floats, directions: Floats, skip: NDArray[np.int64] | None = None) -> tuple[Floats, NDArray]:
    """Of rays (N, 3): the distance in lengths of `directions` to the nearest face (inf: none), and its block (-1)."""
    best, block = np.full(len(origins), np.inf), np.full(len(origins), -1)
    for row, (size, centre, quaternion) in enumerate(zip(*scene, strict=True)):
        axes = Rotation.from_quat(quaternion, scalar_first=True).as_matrix().T
        for k in range(3):
            for sign in (-1, 1):
                face = centre + sign * size[k] / 2 * axes[k]
                with np.errstate(divide="ignore", invalid="ignore"):
                    t = ((face - origins) @ axes[k]) / (directions @ axes[k])
                    at = origins + t[:, None] * directions - centre
                    hit = (t > 1e-6) & (t < best)
                    for other in {0, 1, 2} - {k}:
                        hit &= np.abs(at @ axes[other]) <= size[other] / 2
                if skip is not None:
                    hit &= skip != row
                best[hit], block[hit] = t[hit], row
    return best, block


def view_rays(camera: Camera) -> Floats:
    """(H * W, 3) directions through the centres of all pixels, one metre along the viewing axis."""
    ahead = np.subtract(camera.target, camera.eye) / math.dist(camera.target, camera.eye)
    right = np.cross(ahead, camera.up)
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    top = math.tan(camera.field_of_view / 2)
    y = top * (1 - (2 * np.arange(camera.height) + 1) / camera.height)
    x = top * camera.width / camera.height * ((2 * np.arange(camera.width) + 1) / camera.width - 1)
    return (ahead + y[:, None, None] * up + x[None, :, None] * right).reshape(-1, 3)


def see(scene: Scene, camera: Camera) -> tuple[NDArray, Floats]:
    """(H, W) block of every pixel (-1: none) and depth [m] (inf: nothing), with the floor."""
    rays = view_rays(camera)
    origins = np.tile(camera.eye, (len(rays), 1))
    depth, block = trace(scene, origins, rays)
    with np.errstate(divide="ignore"):
        floor = np.where(rays[:, 2] < 0, -camera.eye[2] / rays[:, 2], np.inf)
    block = np.where(floor <= depth, -1, block)
    shape = (camera.height, camera.width)
    return block.reshape(shape), np.minimum(depth, floor).reshape(shape)
