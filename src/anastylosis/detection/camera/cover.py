"""Cover: removes the printed target from a picture, so that its squares are not taken for blocks.

The camera tells where the sheet lies. Its outline is filled with the colour of the floor around it. Blocks that hide a part of it
stay: print is black and white under one light, so its colours lie on one line, and those of wood do not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import binary_erosion, binary_propagation, gaussian_filter

from anastylosis.rendering.camera import Camera, Vector

__all__ = ["cover_sheet"]

MARGIN = 0.005  # [m] around the sheet: it is not quite flat, nor cut to the millimetre
RING = 0.03  # [m] of the floor around that, whose colours are taken
SIDES = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])  # of the corners of a sheet, from its middle
BLACKEST, WHITEST = 10, 90  # percentiles of brightness, between which the line of the print's colours is drawn
SMOOTH = 0.7  # [pixels] over which colours are smoothed before they are compared; in fine pictures `FINE`
FINE = 0.001  # [m]
OFF_LINE = 12.0  # of 255: colours that are nearer to the line may be printed
OFF_SHARE = 0.12  # and so may those that are off by less than this share of how far along it they are: shade is bluish
THIN = 0.0025  # [m], at least two pixels: what is thinner than twice this is a fringe or noise, and no block

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def cover_sheet(picture: NDArray[np.uint8], camera: Camera, corners: Sequence[Vector]) -> NDArray[np.uint8]:
    """Return the picture (H, W, 3) of a pinhole with floor in place of a sheet with these four corners [m].

    Corners are counter-clockwise seen from above; without corners the picture is returned as it is.
    """
    if not len(corners):
        return picture
    inside = mark_floor(camera, corners, MARGIN)
    ring = mark_floor(camera, corners, MARGIN + RING) & ~inside
    if not inside.any() or not ring.any():
        return picture
    rows, columns = (slice(where.min(), where.max() + 1) for where in np.nonzero(inside | ring))
    inside, ring, part = inside[rows, columns], ring[rows, columns], picture[rows, columns].astype(np.float64)
    pixel = camera.pixel_size * float(np.mean(camera.project(corners)[1]))  # [m] there
    sheet = inside & ~find_blocks(part, inside, pixel)
    covered = picture.copy()
    covered[rows, columns][sheet] = np.rint(np.median(part[ring], axis=0))
    return covered


def mark_floor(camera: Camera, corners: Sequence[Vector], margin: float) -> Mask:
    """Mark the pixels (H, W) of a rectangle on the floor, grown by `margin` [m]; none if it is behind the camera."""
    places = np.asarray(corners, np.float64)
    along, up = (side / np.linalg.norm(side) for side in (places[1] - places[0], places[3] - places[0]))
    pixels, depth = camera.project(places + margin * SIDES @ np.stack([along, up]))
    image = Image.new("1", (camera.width, camera.height))
    if (depth > 0).all():
        ImageDraw.Draw(image).polygon([(x, y) for x, y in pixels.tolist()], fill=1)
    return np.array(image)


def find_blocks(part: Floats, inside: Mask, pixel: float) -> Mask:
    """Mark the pixels (H, W) with colours that no print has; `pixel` [m] is the side of one."""
    blur = max(SMOOTH, FINE / pixel)
    smooth = gaussian_filter(part, (blur, blur, 0), mode="nearest")
    bright = smooth.mean(axis=-1)
    low, high = np.percentile(bright[inside], (BLACKEST, WHITEST))
    black = np.median(smooth[inside & (bright <= low)], axis=0)
    white = np.median(smooth[inside & (bright >= high)], axis=0)
    line = (white - black) / max(float(np.linalg.norm(white - black)), 1.0)
    away = smooth - black
    along = away @ line
    off = np.linalg.norm(away - along[..., None] * line, axis=-1)
    foreign = off > np.maximum(OFF_LINE, OFF_SHARE * along)  # around the sheet, too: a block may reach in by a corner
    thick = binary_erosion(foreign, iterations=max(2, round(THIN / pixel)))
    return np.asarray(binary_propagation(thick, mask=foreign))
