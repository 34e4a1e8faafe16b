"""Fit: least squares of one camera over points and their pixels, with the derivatives written out."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from anastylosis.arrays import Flags, Floats
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.start import Pose

FOCAL_RANGE = (0.3, 20.0)  # of the longer side; beyond is no photograph of debris
K1_SD = 0.15  # prior standard deviation of k1 about 0
K1_NOISE = 0.1  # [pixels] noise of points, the weight of that prior
BEHIND = 1e-6  # [m] least depth: points behind the camera are projected far outside the picture
EVALUATIONS = 100
FLOOR = (
    1e-12  # singular values below this share of the largest are raised to it: what points do not determine has a vast deviation
)


class FocalPrior(NamedTuple):
    """A focal length that is known otherwise, and how well."""

    focal: float  # [pixels]
    sd: float  # standard deviation of its log
    source: str  # how it is known


class SeenPoints(NamedTuple):
    """Points with their pixels in one photograph, and its lens, if known."""

    places: Floats  # (N, 3) [m]
    pixels: Floats  # (N, 2)
    width: int  # [pixels]
    height: int  # [pixels]
    lens: Lens | None  # None: the focal length is fitted
    bent: bool = False  # k1 is fitted, too
    prior: FocalPrior | None = None  # of the focal length, where it is fitted
    noise: float = 1.0  # [pixels] error of a point along each axis, by which the prior is weighed

    @property
    def middle(self) -> Floats:
        """Principal point [pixels]."""
        return np.array(self.lens.middle if self.lens else (self.width / 2, self.height / 2))

    @property
    def diagonal(self) -> float:
        """Diagonal of the picture [pixels]."""
        return math.hypot(self.width, self.height)

    @property
    def focals(self) -> tuple[float, float]:
        """Shortest and longest focal length that is fitted [pixels]."""
        return FOCAL_RANGE[0] * max(self.width, self.height), FOCAL_RANGE[1] * max(self.width, self.height)

    def take(self, rows: NDArray[np.intp]) -> "SeenPoints":
        """Return the points of these rows."""
        return self._replace(places=self.places[rows], pixels=self.pixels[rows])


class Fit(NamedTuple):
    """A camera fitted to points."""

    pose: Pose
    focal: float  # [pixels]
    k1: float
    error: Floats  # (N,) error of each point [pixels]
    covariance: Floats  # (P, P) of turn [rad], eye [m], log of the focal length, k1; for a noise of one pixel
    possible: bool  # all points that were kept are before it, and its focal length is not at the end of the range


def fit_camera(shown: SeenPoints, kept: Flags, pose: Pose, focal: float, k1: float = 0.0) -> Fit:
    """Fit a camera to the kept points by least squares, starting from this one."""
    low, high = (math.log(length / focal) for length in shown.focals)
    k2 = shown.lens.k2 if shown.lens else 0.0
    places, pixels = shown.places[kept], shown.pixels[kept]
    prior = shown.prior if shown.lens is None else None
    weight = shown.noise / prior.sd if prior else 0.0  # [pixels] for one unit of the log of the focal length
    log_prior = math.log(prior.focal / focal) if prior else 0.0

    def unpack(values: Floats) -> tuple[Pose, float, float]:
        turned = Rotation.from_rotvec(values[:3]).as_matrix() @ pose.rotation
        at = Pose(turned, pose.eye + values[3:6])
        if shown.lens:
            return at, shown.lens.focal, shown.lens.k1
        return at, focal * math.exp(np.clip(values[6], low, high)), float(values[7]) if shown.bent else 0.0

    def offset(values: Floats) -> Floats:
        found, _ = project(places, *unpack(values), k2, shown.middle)
        bent = [K1_NOISE * values[7] / K1_SD] if shown.bent else []
        return np.concatenate([(found - pixels).ravel(), bent, [weight * (values[6] - log_prior)] if prior else []])

    def slope(values: Floats) -> Floats:
        at, length, k = unpack(values)
        seen = (places - at.eye) @ at.rotation.T  # (N, 3)
        by_seen, by_k1, away = differentiate(seen, length, k, k2)
        by_turn = by_seen @ -cross_matrix(seen) @ left_jacobian(values[:3])
        parts = [by_turn, -by_seen @ at.rotation, away[..., None] * length, by_k1[..., None]]
        wide = np.concatenate(parts, axis=-1).reshape(-1, 8)[:, : len(values)]
        if shown.bent:
            wide = np.vstack([wide, [[0.0] * 7 + [K1_NOISE / K1_SD]]])
        return np.vstack([wide, weight * np.eye(len(values))[6:7]]) if prior else wide

    first = np.zeros(6 if shown.lens else 8 if shown.bent else 7)
    first[7:] = k1
    done = least_squares(
        offset, first, slope, method="trf", x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=EVALUATIONS
    )
    at, length, k = unpack(done.x)
    found, depth = project(shown.places, at, length, k, k2, shown.middle)
    ended = shown.lens is None and not low + 1e-3 < done.x[6] < high - 1e-3
    possible = bool((depth[kept] > BEHIND).all()) and not ended and bool(np.isfinite(done.x).all())
    return Fit(at, length, k, np.linalg.norm(found - shown.pixels, axis=1), find_covariance(done.jac), possible)


def project(places: Floats, pose: Pose, focal: float, k1: float, k2: float, middle: Floats) -> tuple[Floats, Floats]:
    """Project places (N, 3) to pixels (N, 2) and depths (N,) [m]."""
    seen = (places - pose.eye) @ pose.rotation.T
    away = seen[:, :2] / np.maximum(seen[:, 2:], BEHIND)
    square = (away**2).sum(axis=1, keepdims=True)
    return away * (1 + (k1 + k2 * square) * square) * focal + middle, seen[:, 2]


def differentiate(seen: Floats, focal: float, k1: float, k2: float) -> tuple[Floats, Floats, Floats]:
    """Return derivatives of pixels by the points seen from the camera (N, 2, 3), by k1 and by the focal length (N, 2)."""
    depth = np.maximum(seen[:, 2], BEHIND)
    away = seen[:, :2] / depth[:, None]
    square = (away**2).sum(axis=1)
    bend = 1 + (k1 + k2 * square) * square
    outer = away[:, :, None] * away[:, None, :]
    by_away = focal * (bend[:, None, None] * np.eye(2) + 2 * (k1 + 2 * k2 * square)[:, None, None] * outer)  # (N, 2, 2)
    by_depth = -away / depth[:, None]
    away_by_seen = np.concatenate([np.eye(2) / depth[:, None, None], by_depth[..., None]], axis=-1)  # (N, 2, 3)
    return by_away @ away_by_seen, focal * away * square[:, None], away * bend[:, None]


def cross_matrix(vectors: Floats) -> Floats:
    """Return the matrices (..., 3, 3) of cross products: M(a) b = a x b."""
    x, y, z = np.moveaxis(vectors, -1, 0)
    nothing = np.zeros_like(x)
    rows = [(nothing, -z, y), (z, nothing, -x), (-y, x, nothing)]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def left_jacobian(turn: Floats) -> Floats:
    """Return the left Jacobian (3, 3) of a rotation vector: the turn for a small change of it, in the axes after the turn."""
    angle = float(np.linalg.norm(turn))
    matrix = cross_matrix(turn)
    if angle < 1e-6:
        return np.eye(3) + matrix / 2
    return np.eye(3) + (1 - math.cos(angle)) / angle**2 * matrix + (angle - math.sin(angle)) / angle**3 * matrix @ matrix


def find_covariance(slope: Floats) -> Floats:
    """Return the covariance (P, P) of the parameters for a noise of one pixel, from the derivatives (N, P) of the errors."""
    _, sizes, axes = np.linalg.svd(slope, full_matrices=False)
    sizes = np.maximum(sizes, FLOOR * sizes[0])
    return (axes.T / sizes**2) @ axes


def measure(error: Floats) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(error**2)))
