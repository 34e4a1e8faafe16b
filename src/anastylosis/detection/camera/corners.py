"""Corners: where a picture shows the corners of a board, to a few hundredths of a pixel.

The board is drawn as its markers lie in the picture, and around each corner the drawing is aligned with the picture. All edges
near a corner count, those of the markers too. A window around a corner, as OpenCV uses it, has to leave the markers out, and in
a small picture nothing is left of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from anastylosis.arrays import Floats
from anastylosis.detection.camera.start import apply_homography

CELL = 16  # [pixels] of a cell of the board as it is drawn first
SHARPNESS = 0.7  # [pixels] standard deviation of the blur of a good picture
FINE = 120  # [pixels] of a square; where squares are smaller, several samples are drawn for a pixel
FINE_MAX = 4  # samples along a pixel's side
SQUARE = 8  # cells of a square's side
REACH = 5.0  # cells, around a corner
PIXELS_MIN = 30  # around a corner; with fewer it is left out
ROUNDS = 8
STEP_MIN = 1e-3  # [pixels]
SHIFT_MAX = 0.2  # of a square; a corner that is farther from where it should be is another one
LIKENESS = 0.85  # correlation of picture and drawing; less, and something lies on the corner


def sharpen_corners(
    cv2: Any, grey: NDArray[np.uint8], board: NDArray[np.bool_], places: Floats, matrix: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return corners (N, 2) [pixels, OpenCV's], and a mask of those that look like corners of the board.

    `board` (rows, columns) is True where a cell is black, first row at the top; `places` (N, 2) are the corners on it, in cells;
    `matrix` (3, 3) is the homography from cells to pixels as far as it is known.
    """
    corners = apply_homography(matrix, places)
    alike = np.zeros(len(places), bool)
    size = np.array(grey.shape[::-1])
    inside = ((corners > 0) & (corners < size)).all(axis=1)  # NaN is not
    if not inside.any():
        return corners, alike
    square = float(np.sqrt(abs(np.linalg.det(find_scale(matrix, places[inside].mean(axis=0)))))) * SQUARE
    low = np.maximum(np.floor(corners[inside].min(axis=0) - 2 * square), 0).astype(int)
    high = np.minimum(np.ceil(corners[inside].max(axis=0) + 2 * square), size).astype(int)
    drawing = draw_board(cv2, board, matrix, low, high, square)
    picture = grey[low[1] : high[1], low[0] : high[0]].astype(np.float64)
    slopes = np.stack(np.gradient(gaussian_filter(picture, 0.5)), axis=-1)  # by row, by column
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    pixels = np.stack([columns + low[0], rows + low[1]], axis=-1).reshape(-1, 2)
    back = np.linalg.inv(matrix)
    on_board = apply_homography(back * np.sign(back[2] @ [*corners[inside][0], 1.0]), pixels).reshape(*picture.shape, 2)
    for row in np.flatnonzero(inside):
        near = (np.abs(on_board - places[row]) < REACH).all(axis=-1)
        if near.sum() >= PIXELS_MIN:
            shift, likeness = align(picture, slopes, drawing, near)
            alike[row] = likeness > LIKENESS and np.linalg.norm(shift) < SHIFT_MAX * square
            corners[row] += shift
    return corners, alike


def find_scale(matrix: Floats, place: Floats) -> Floats:
    """Return the pixels a cell (2, 2) at a place on the board: the derivative of the homography."""
    x, y, depth = matrix @ [*place, 1.0]
    return (matrix[:2, :2] - np.outer([x / depth, y / depth], matrix[2, :2])) / depth


def align(picture: Floats, slopes: Floats, drawing: Floats, near: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Find the shift (x, y) [pixels] from drawing to picture where `near`, and their correlation there. Gauss-Newton."""
    where = np.argwhere(near).astype(np.float64).T  # rows, columns
    wanted = drawing[near]
    at = np.zeros(2)
    shown = wanted
    for _ in range(ROUNDS):
        moved = where + at[::-1, None]
        shown = map_coordinates(picture, moved, order=1, mode="nearest")
        down, across = (map_coordinates(slopes[..., axis], moved, order=1, mode="nearest") for axis in (0, 1))
        # picture(p + shift) = gain drawing(p) + offset
        system = np.column_stack([across, down, -wanted, -np.ones(len(wanted))])
        step = np.linalg.lstsq(system, -shown, rcond=None)[0][:2]
        at = at + np.clip(step, -1, 1)
        if np.abs(step).max() < STEP_MIN:
            break
    spread = wanted.std() * shown.std()
    return at, float(((wanted - wanted.mean()) * (shown - shown.mean())).mean() / spread) if spread > 0 else 0.0


def draw_board(cv2: Any, board: NDArray[np.bool_], matrix: Floats, low: Any, high: Any, square: float) -> Floats:
    """Draw the board, black 0 and white 1, in this part of a picture; `matrix` is the homography from cells to pixels."""
    fine = int(np.clip(np.ceil(FINE / max(square, 1.0)), 1, FINE_MAX))
    cells = np.kron(~board, np.ones((CELL, CELL), np.uint8)) * np.uint8(255)
    # From the pixels of `cells` to cells, to pixels, to samples; the first pixel is 0, its edge -0.5.
    to_cells = np.array([[1 / CELL, 0, 0.5 / CELL], [0, 1 / CELL, 0.5 / CELL], [0, 0, 1]])
    to_samples = np.array([[fine, 0, -fine * low[0] + (fine - 1) / 2], [0, fine, -fine * low[1] + (fine - 1) / 2], [0, 0, 1]])
    width, height = high - low
    warped = cv2.warpPerspective(
        cells, to_samples @ matrix @ to_cells, (int(width * fine), int(height * fine)), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=255,
    )  # fmt: skip
    drawn = warped.reshape(height, fine, width, fine).mean(axis=(1, 3)) / 255
    return gaussian_filter(drawn, SHARPNESS)
