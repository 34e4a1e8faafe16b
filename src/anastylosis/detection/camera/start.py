"""Start: a first camera from points and their pixels, by linear algebra alone. `fit` refines it.

Pixels are counted from the principal point here. Rotations have the axes of the picture as rows: right, down, ahead.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import rq

from anastylosis.arrays import Flags, Floats
from anastylosis.errors import InvalidInput
from anastylosis.rendering import REACH_MAX

POINTS_MIN = 4  # of the floor that tell a camera
POINTS_MAX = 10_000
LINE = 1e-3  # points whose second extent is less than this share of their first are on one line
OUTSIDE = 0.05  # of the longer side: a corner may be guessed just outside the picture

SIDES = 8  # azimuths of the first cameras
MOST = 2 / 3  # share of many points that has to agree
DRAWS = 200  # of four points each (RANSAC)
RANK = 1e-9  # singular values below this share of the largest are zero


class Points(NamedTuple):
    """N known places and the pixels that show them."""

    places: Floats  # (N, 3) [m]
    pixels: Floats  # (N, 2)
    names: tuple[str, ...]  # for messages


def check_points(points: ArrayLike, pixels: ArrayLike, width: int, height: int, names: Sequence[str] | None = None) -> Points:
    """Check points from which a camera is to be solved; raise with the reason when it cannot."""
    places, seen = np.asarray(points, np.float64), np.asarray(pixels, np.float64)
    if places.ndim != 2 or places.shape[1] not in (2, 3) or seen.shape != (len(places), 2):
        raise InvalidInput(f"points have shape {places.shape} and pixels {seen.shape}, expected (N, 2) or (N, 3), and (N, 2)")
    count = len(places)
    if count < POINTS_MIN:
        raise InvalidInput(f"there are {count} points; a camera needs {POINTS_MIN} or more, no three of them on one line")
    if count > POINTS_MAX:
        raise InvalidInput(f"there are {count:,} points; at most {POINTS_MAX:,} are read")
    called = tuple(names) if names else tuple(f"point {row}" for row in range(1, count + 1))
    if len(called) != count:
        raise InvalidInput(f"{count} points need {count} names, got {len(called)}")
    places = np.column_stack([places, np.zeros((count, 3 - places.shape[1]))])
    bad = np.flatnonzero(~(np.abs(places) <= REACH_MAX).all(axis=1))
    if len(bad):
        raise InvalidInput(f"{called[bad[0]]} is at {places[bad[0]].tolist()}; places are finite, within {REACH_MAX:g} m")
    slack = OUTSIDE * max(width, height)
    bad = np.flatnonzero(~((seen >= -slack) & (seen <= np.array([width, height]) + slack)).all(axis=1))
    if len(bad):
        column, row = seen[bad[0]]
        raise InvalidInput(
            f"{called[bad[0]]} is seen at column {column:g}, row {row:g}, outside the picture, which has {width} columns and "
            f"{height} rows; are the pixels those of this picture, in this size?",
            kind="points_wrong",
        )
    for values, what in ((places, "the points are"), (np.column_stack([seen, np.zeros(count)]), "the points are seen")):
        _, _, extents = find_plane(values)
        if extents[1] <= LINE * extents[0]:
            raise InvalidInput(
                f"{what} on one line, and many cameras see a line there; take points that surround the debris", kind="points_line"
            )
    return Points(places, seen, called)


class Pose(NamedTuple):
    """Rotation and place of a camera."""

    rotation: Floats  # (3, 3) rows: right, down and ahead, in ground coordinates
    eye: Floats  # (3,) [m]


def find_plane(points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return origin (3,), axes (3, 3) and extents (3,) of points (N, 3); the third axis is normal to their best plane."""
    origin = points.mean(axis=0)
    _, extents, axes = np.linalg.svd(points - origin, full_matrices=False)
    axes = axes * np.sign(np.linalg.det(axes))
    return origin, axes, extents


def normalise(points: Floats) -> tuple[Floats, Floats]:
    """Normalise points (N, D) to a mean distance of sqrt(D) about zero, homogeneous; also return the matrix (D + 1, D + 1)."""
    dimension = points.shape[1]
    middle = points.mean(axis=0)
    scale = np.sqrt(dimension) / max(np.linalg.norm(points - middle, axis=1).mean(), 1e-300)
    matrix = np.diag([scale] * dimension + [1.0])
    matrix[:dimension, dimension] = -scale * middle
    return np.column_stack([points, np.ones(len(points))]) @ matrix.T, matrix


def solve_linear(points: Floats, pixels: Floats) -> Floats | None:
    """Solve for the projection (3, D + 1) of points (N, D) to pixels (N, 2), by the normalised DLT; None: many fit.

    D is 3 in space, and 2 in a plane: a homography. Most points have positive depths.
    """
    from_points, a = normalise(points)
    from_pixels, b = normalise(pixels)
    nothing = np.zeros(from_points.shape)
    x, y = from_pixels[:, :1], from_pixels[:, 1:2]
    rows = np.concatenate(
        [np.hstack([from_points, nothing, -x * from_points]), np.hstack([nothing, from_points, -y * from_points])]
    )
    _, sizes, vectors = np.linalg.svd(rows)
    unknowns = rows.shape[1]
    if len(sizes) < unknowns - 1 or sizes[unknowns - 2] < RANK * sizes[0]:
        return None
    matrix = np.linalg.solve(b, vectors[-1].reshape(3, -1)) @ a
    ahead = np.column_stack([points, np.ones(len(points))]) @ matrix[2]
    return matrix * np.sign(np.median(ahead))


def find_agreeing(plane: Floats, seen: Floats, tolerance: float) -> Flags:
    """Return the mask of points that agree with one homography within `tolerance` [pixels]: the one that most agree with."""
    rng = np.random.default_rng(0)
    most = np.zeros(len(seen), bool)
    for _ in range(DRAWS):
        rows = rng.choice(len(seen), 4, replace=False)
        matrix = solve_linear(plane[rows], seen[rows])
        if matrix is not None:
            agree = np.linalg.norm(apply_homography(matrix, plane) - seen, axis=1) < tolerance  # NaN: behind, does not
            most = agree if agree.sum() > most.sum() else most
            if most.all():
                break
    return most if most.sum() >= MOST * len(seen) else np.ones(len(seen), bool)


def apply_homography(matrix: Floats, points: Floats) -> Floats:
    """Project points (N, 2) by a homography; NaN behind the camera."""
    found = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return found[:, :2] / np.where(found[:, 2:] > 0, found[:, 2:], np.nan)


def focal_from_homography(matrix: Floats) -> float | None:
    """Return the focal length [pixels] with which two axes of a plane are at right angles and of one length; None: none is.

    With columns h1, h2 and w = 1 / f²: w (h11 h12 + h21 h22) + h31 h32 = 0, w (h11² + h21² − h12² − h22²) + h31² − h32² = 0.
    """
    (a, b), (c, d), (e, f) = matrix[:, :2] / np.linalg.norm(matrix[:, :2])
    slope, rest = np.array([a * b + c * d, a * a + c * c - b * b - d * d]), np.array([e * f, e * e - f * f])
    share = slope @ slope
    square = -(slope @ rest) / share if share > 0 else 0.0
    return float(1 / np.sqrt(square)) if square > 0 else None


def start_from_plane(matrix: Floats, focal: float, origin: Floats, axes: Floats) -> Pose:
    """Return the camera whose homography of a plane, with this origin and these axes, is nearest to this one."""
    columns = matrix / [[focal], [focal], [1.0]]
    scale = 2 / (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1]))
    first, second, away = (columns * scale).T
    rotation = make_rotation(np.column_stack([first, second, np.cross(first, second)]))
    return Pose(rotation @ axes, origin - axes.T @ rotation.T @ away)


def flip_pose(pose: Pose, origin: Floats, normal: Floats) -> Pose:
    """Return the other camera that sees a small plane almost alike: the plane tilts the other way.

    Depths of the plane's points are mirrored about that of its origin; the plane stays where it is, so the camera moves.
    """
    seen = pose.rotation @ (origin - pose.eye)
    sight = seen / np.linalg.norm(seen)
    rotation = (np.eye(3) - 2 * np.outer(sight, sight)) @ pose.rotation @ (np.eye(3) - 2 * np.outer(normal, normal))
    return Pose(rotation, origin - rotation.T @ seen)


def start_from_space(points: Floats, pixels: Floats) -> tuple[Pose, float] | None:
    """Return camera and focal length from six or more points (N, 3) that are not in one plane; None when many fit."""
    matrix = solve_linear(points, pixels)
    if matrix is None or np.linalg.matrix_rank(matrix[:, :3]) < 3:
        return None
    matrix = matrix * np.sign(np.linalg.det(matrix[:, :3]))
    inner, rotation = rq(matrix[:, :3])
    signs = np.sign(np.diag(inner))
    inner, rotation = inner * signs, rotation * signs[:, None]
    focal = float(np.sqrt(abs(inner[0, 0] * inner[1, 1])) / inner[2, 2])
    return Pose(make_rotation(rotation), -np.linalg.solve(matrix[:, :3], matrix[:, 3])), focal


def start_from_above(points: Floats, seen: Floats, focal: float) -> list[Pose]:
    """Return cameras around points (N, 3), 45 degrees up, at the distance that makes them as large as their pixels (N, 2)."""
    origin = points.mean(axis=0)
    distance = focal * float(np.linalg.norm(points - origin)) / max(float(np.linalg.norm(seen - seen.mean(axis=0))), 1.0)
    poses = []
    for azimuth in np.arange(SIDES) * 2 * np.pi / SIDES:
        out = np.array([np.cos(azimuth), np.sin(azimuth), 1.0]) / np.sqrt(2)
        right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        poses.append(Pose(np.stack([right, np.cross(-out, right), -out]), origin + distance * out))
    return poses


def make_rotation(matrix: Floats) -> Floats:
    """Return the rotation that is nearest to a matrix (3, 3)."""
    left, _, right = np.linalg.svd(matrix)
    return left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
