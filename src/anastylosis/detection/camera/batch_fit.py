"""Batch fit: many small camera fits at once, of the same pixels to different places. `fit` refines the best of them.

Pixels are counted from the principal point here. Least squares over rotation, place and focal length, by Levenberg and Marquardt.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from anastylosis.arrays import Floats
from anastylosis.detection.camera.fit import cross_matrix

ROUNDS = 40
DAMPING, DAMPING_LEAST, DAMPING_MOST = 1e-3, 1e-12, 1e8
EASE, BRAKE = 1 / 6, 4.0  # factors of the damping after a step that helped, and after one that did not
NEAREST = 1e-3  # [m] least depth
STEP_MAX = 0.5  # [rad], and of the log of the focal length, in a round


class BatchFit(NamedTuple):
    """C cameras, each in the frame of its own places."""

    rotation: Floats  # (C, 3, 3) rows: right, down, ahead
    eye: Floats  # (C, 3) [m]
    focal: Floats  # (C,) [pixels]
    error: Floats  # (C,) root of the sum of squared errors [pixels]; infinite: a place is behind the camera


class Unknowns(NamedTuple):
    """C cameras that are being fitted: what places become as seen from them."""

    rotation: Floats  # (C, 3, 3)
    shift: Floats  # (C, 3) [m] middle of the places, seen from the camera
    log_focal: Floats  # (C,)


def fit_batch(places: Floats, pixels: Floats, focal: float, focal_range: tuple[float, float]) -> BatchFit:
    """Fit cameras with square pixels to places (C, N, 3) [m] that are seen at pixels (N, 2), starting at a focal length."""
    middle = places.mean(axis=1)
    places = places - middle[:, None]
    now = start_far(places, pixels, focal)
    low, high = np.log(focal_range)
    error, slope = linearise(places, pixels, now)
    square = (error**2).sum(axis=1)
    damping = np.full(len(places), DAMPING)
    for _ in range(ROUNDS):
        normal = np.einsum("crp,crq->cpq", slope, slope)
        scale = np.maximum(np.einsum("cpp->cp", normal), 1e-12)
        system = normal + damping[:, None, None] * scale[:, :, None] * np.eye(7)
        step = -np.linalg.solve(system, np.einsum("crp,cr->cp", slope, error)[..., None])[..., 0]
        tried = Unknowns(
            Rotation.from_rotvec(step[:, :3] * np.minimum(1, STEP_MAX / np.abs(step[:, :3]).max(axis=1))[:, None]).as_matrix()
            @ now.rotation,
            now.shift + step[:, 3:6],
            np.clip(now.log_focal + np.clip(step[:, 6], -STEP_MAX, STEP_MAX), low, high),
        )
        tried_error, tried_slope = linearise(places, pixels, tried)
        tried_square = (tried_error**2).sum(axis=1)
        better = tried_square < square  # NaN is not
        now = Unknowns(*(np.where(better.reshape(-1, *[1] * (a.ndim - 1)), b, a) for a, b in zip(now, tried, strict=True)))
        error, slope = np.where(better[:, None], tried_error, error), np.where(better[:, None, None], tried_slope, slope)
        square = np.where(better, tried_square, square)
        damping = np.clip(damping * np.where(better, EASE, BRAKE), DAMPING_LEAST, DAMPING_MOST)
    eye = middle - np.einsum("cji,cj->ci", now.rotation, now.shift)
    return BatchFit(now.rotation, eye, np.exp(now.log_focal), np.sqrt(square))


def start_far(places: Floats, pixels: Floats, focal: float) -> Unknowns:
    """Return the cameras that see centred places (C, N, 3) best if they are far away (scaled orthography)."""
    seen = pixels - pixels.mean(axis=0)
    rows = np.einsum("cin,nk->cki", np.linalg.pinv(places), seen)  # (C, 2, 3) [pixels/m]
    scale = np.linalg.norm(rows, axis=2).mean(axis=1)
    ahead = np.cross(rows[:, 0], rows[:, 1])
    ahead *= (scale / np.maximum(np.linalg.norm(ahead, axis=1), 1e-300))[:, None]
    left, _, right = np.linalg.svd(np.concatenate([rows, ahead[:, None]], axis=1))
    left[:, :, 2] *= np.linalg.det(left @ right)[:, None]
    depth = focal / np.maximum(scale, 1e-9)
    shift = np.column_stack([pixels.mean(axis=0) * depth[:, None] / focal, depth])
    return Unknowns(left @ right, shift, np.full(len(places), np.log(focal)))


def linearise(places: Floats, pixels: Floats, at: Unknowns) -> tuple[Floats, Floats]:
    """Return errors (C, 2 N) [pixels] and their derivatives (C, 2 N, 7) by turn, shift and the log of the focal length."""
    turned = places @ at.rotation.transpose(0, 2, 1)
    seen = turned + at.shift[:, None]
    depth = np.where(seen[..., 2:] > NEAREST, seen[..., 2:], np.nan)
    focal = np.exp(at.log_focal)[:, None, None]
    shown = focal * seen[..., :2] / depth
    by_seen = np.zeros((*seen.shape[:2], 2, 3))
    by_seen[..., 0, 0] = by_seen[..., 1, 1] = (focal / depth)[..., 0]
    by_seen[..., 2] = -shown / depth
    slope = np.concatenate([by_seen @ -cross_matrix(turned), by_seen, shown[..., None]], axis=-1)
    return (shown - pixels).reshape(len(places), -1), slope.reshape(len(places), -1, 7)
