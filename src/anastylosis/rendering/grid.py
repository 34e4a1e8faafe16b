"""Grids: samples at even distances around a point; their pixels in a picture, and the faces of a box that they meet.

A grid is where its middle is from the eye, `at` (N, 3), and the steps from one sample to the next across and down, `step`
(N, 2, 3), both along the same three axes: those of a camera (right, down, ahead), or those of the box.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.kernel import announce_compilation, entry, inlined
from anastylosis.rendering.camera import Camera

BEHIND = -1e4  # pixels of what is behind the camera: in no picture
FACE_SLOPE_MIN = 1e-7  # slope of a ray that runs along a face


def project_grid(at: ArrayLike, step: ArrayLike, count: tuple[int, int], camera: Camera) -> NDArray[np.float32]:
    """Return the pixels (N, *count, 2) of `count` samples, downwards and across; far outside for those behind the camera."""
    announce_compilation("rendering", "about ten seconds")
    grid = [np.ascontiguousarray(part, np.float32) for part in (at, step)]
    pixels = np.empty((len(grid[0]), *count, 2), np.float32)
    project(*grid, np.float32(1 / camera.pixel_size), np.float32(camera.width / 2), np.float32(camera.height / 2), pixels)
    return pixels


def meet_faces(at: ArrayLike, step: ArrayLike, half: ArrayLike, count: tuple[int, int]) -> NDArray[np.float32]:
    """Return (N, 3, *count) 1 where the ray from the eye to a sample enters the middle box, of half sides (N, 3), across its
    length, width or height; else 0. Ray against slabs."""
    announce_compilation("rendering", "about ten seconds")
    faces = np.zeros((len(np.asarray(at)), 3, *count), np.float32)
    enter(*(np.ascontiguousarray(part, np.float32) for part in (at, step, half)), faces)
    return faces


@inlined
def reach(at, step, n, k, across, down):
    """Return how far a sample is along an axis."""
    return at[n, k] + across * step[n, 0, k] + down * step[n, 1, k]


@entry
def project(at, step, scale, middle_x, middle_y, pixels):
    """Fill `pixels` (N, H, W, 2); `scale`: pixels to a slope of one."""
    high, wide = pixels.shape[1], pixels.shape[2]
    for n in range(pixels.shape[0]):
        for j in range(high):
            down = np.float32(j - 0.5 * (high - 1))
            for i in range(wide):
                across = np.float32(i - 0.5 * (wide - 1))
                depth = reach(at, step, n, 2, across, down)
                if depth > 0:
                    nearer = scale / depth
                    pixels[n, j, i, 0] = middle_x + reach(at, step, n, 0, across, down) * nearer
                    pixels[n, j, i, 1] = middle_y + reach(at, step, n, 1, across, down) * nearer
                else:
                    pixels[n, j, i, 0] = pixels[n, j, i, 1] = np.float32(BEHIND)


@entry
def enter(at, step, half, faces):
    """Fill `faces` (N, 3, H, W), which are 0."""
    high, wide = faces.shape[2], faces.shape[3]
    for n in range(faces.shape[0]):
        for j in range(high):
            down = np.float32(j - 0.5 * (high - 1))
            for i in range(wide):
                across = np.float32(i - 0.5 * (wide - 1))
                entry, leaving, face = np.float32(0), np.float32(np.inf), -1
                for k in range(3):
                    ray = reach(at, step, n, k, across, down)
                    slope = np.float32(1) / (ray if abs(ray) > np.float32(FACE_SLOPE_MIN) else np.float32(FACE_SLOPE_MIN))
                    middle, half_way = at[n, k] * slope, half[n, k] * abs(slope)
                    if middle - half_way > entry:
                        entry, face = middle - half_way, k
                    leaving = min(leaving, middle + half_way)
                if face >= 0 and entry < leaving:
                    faces[n, face, j, i] = 1
