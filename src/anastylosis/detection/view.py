"""View: a photograph levelled and scaled, so that blocks are equally large in every picture.

A camera that turns about its centre, or zooms, sees the same rays, so one picture can be resampled into the other. Only the
height and distance of the camera differ between views.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter

from anastylosis.arrays import Flags, Floats, Singles, Vector
from anastylosis.detection.camera.lens import straighten
from anastylosis.detection.camera.photograph import read_photograph
from anastylosis.detection.camera.pose import Solved
from anastylosis.detection.camera.target import cover_sheet
from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera, check_picture, sample

PHOTOS_MAX = 16
HEIGHT_UNIT = 0.1  # [m] of heights that nets take and give
FOOTPRINT = 1.4e-3  # [m] that a pixel covers where the scene is: a block is 54 pixels long and 11 high
SIDE_UNIT, SIDE_MIN, SIDE_MAX = 32, 160, 896  # [pixels] sides of a view are multiples of the first
MARGIN = 0.06  # share of the picture left free on each side
TURNS = 4  # iterations that turn the camera towards the middle of its points
WIDEST = math.radians(100)  # field of view
NARROWEST = math.tan(math.radians(0.6))  # half the field of view of a camera, as a slope
PROBE = 512  # [pixels] sides of the picture in which that is measured
STEEP = math.radians(80)  # a camera that looks down more steeply is not levelled by the vertical
STEP_BACK = "the camera stands at {:.2f}, {:.2f}, {:.2f} m, too near to what it is to see; step back"
SMOOTH = 0.4  # pixels of a view over which a finer picture is smoothed: standard deviation
REACH = 0.60  # [m] of the floor around the tower that is searched
COLUMN, TALLEST = 0.1, 0.60  # [m] side of the column over the foot of the tower, a little wider than it; its height
EDGE = 65  # rays along each side of a picture that are followed to the floor
DOWN_SLOPE_MIN = 0.02  # least downward slope of a ray
NOT_IN_VIEW = "the camera does not look at the place where the tower stood; is it of this picture, and is the origin right?"
DARKEST = 0.05  # least standard deviation (of 0..1) by which contrast is normalised: a bare floor stays one


class Photo(NamedTuple):
    """A picture and the camera that took it, in the ground frame."""

    picture: NDArray[np.uint8]  # (H, W, 3)
    camera: Camera
    sheet: tuple[Vector, ...] = ()  # corners of the printed target in it [m], counter-clockwise; it is covered before detection


class View(NamedTuple):
    """A picture levelled, scaled and normalised, and its camera."""

    picture: Singles  # (H, W, 3) of mean 0 and standard deviation 1: see `normalise`
    camera: Camera


def check_photos(photos: Sequence[Photo]) -> None:
    """Raise when there are too many photographs, or one of them twice: its votes would count twice."""
    if not 1 <= len(photos) <= PHOTOS_MAX:
        raise InvalidInput(f"there are {len(photos)} pictures; 1 to {PHOTOS_MAX} of one scene are looked at")
    for second, photo in enumerate(photos):
        for first, other in enumerate(photos[:second]):
            if np.array_equal(photo.picture, other.picture):
                raise InvalidInput(
                    f"pictures {first + 1} and {second + 1} are the same; give each of them once", kind="picture_twice"
                )


def scale_photo(photo: Photo, share: float) -> Photo:
    """Multiply all lengths by a share: the picture shows the same."""

    def scale(place: Vector) -> Vector:
        x, y, z = place
        return share * x, share * y, share * z

    camera = replace(photo.camera, eye=scale(photo.camera.eye), target=scale(photo.camera.target))
    return Photo(photo.picture, camera, tuple(map(scale, photo.sheet)))


def straighten_photo(picture: Path | str | NDArray[np.uint8], solved: Solved) -> Photo:
    """Read a photograph from a file or an array, and straighten the distortion of its lens."""
    straight, _ = straighten(read_photograph(picture), solved.lens)
    return Photo(straight, solved.camera, solved.sheet)


def level_photo(photo: Photo) -> View:
    """Make the level view that debris fills, with the printed target covered."""
    wanted = aim_at_debris(photo.camera)
    return take_view(cover_sheet(*photo), photo.camera, wanted)


def normalise(picture: NDArray[np.uint8] | Singles) -> Singles:
    """Normalise a picture (H, W, 3) of bytes to mean 0 and standard deviation 1; NaN becomes 0."""
    values = picture.astype(np.float32) / np.float32(255)
    seen = values[np.isfinite(values)]
    spread = max(float(seen.std()), DARKEST) if len(seen) else 1.0
    middle = seen.mean() if len(seen) else np.float32(0)
    return np.nan_to_num((values - middle) / np.float32(spread))


def scale_camera(camera: Camera, distance: float, foot: float = FOOTPRINT) -> Camera:
    """Return the camera with so many pixels that one covers `foot` [m] at this distance [m]."""
    wanted = camera.height * camera.pixel_size * distance / foot
    side = SIDE_UNIT * round(min(max(wanted, SIDE_MIN), SIDE_MAX) / SIDE_UNIT)
    return replace(camera, width=side, height=side)


def frame_points(eye: Vector, points: ArrayLike, foot: float = FOOTPRINT) -> Camera:
    """Return the level camera at `eye` [m] whose picture points (N, 3) [m] fill, but for a margin; a pixel covers `foot` [m]."""
    return aim(eye, np.asarray(points, np.float64), MARGIN, foot)


def aim_at_debris(camera: Camera) -> Camera:
    """Return the level camera at the same place that sees all of this one's picture that may show debris or the tower."""
    side = np.linspace(0, 1, EDGE)
    rays = camera.rays(np.stack(np.meshgrid(side * camera.width, side * camera.height), axis=-1).reshape(-1, 2))
    floor = np.asarray(camera.eye[:2]) - camera.eye[2] / np.minimum(rays[:, 2:], -DOWN_SLOPE_MIN) * rays[:, :2]
    there = (np.linalg.norm(floor, axis=1) < REACH) & (rays[:, 2] < -DOWN_SLOPE_MIN)
    meets, height = meet_column(camera, rays)
    there |= meets & (height < TALLEST)
    if not there.any():
        raise InvalidInput(NOT_IN_VIEW, kind="not_in_view")
    return aim(camera.eye, np.add(camera.eye, math.hypot(*camera.eye) * rays[there]), 0.0)


def meet_column(camera: Camera, rays: Floats) -> tuple[Flags, Floats]:
    """Return whether rays (..., 3) enter the column over the foot of the tower above the floor, and at which height [m]."""
    slope = 1 / np.where(np.abs(rays[..., :2]) < 1e-9, 1e-9, rays[..., :2])
    middle, reach = -np.array(camera.eye[:2]) * slope, np.abs(slope) * COLUMN / 2
    entry, leaving = np.maximum((middle - reach).max(axis=-1), 0), (middle + reach).min(axis=-1)
    height = camera.eye[2] + entry * rays[..., 2]
    return (entry < leaving) & (height > 0), height


def aim(eye: Vector, points: Floats, margin: float, foot: float = FOOTPRINT) -> Camera:
    """Return the camera at `eye` turned to the middle of the points' picture, and as narrow as they allow."""
    target = tuple(points.mean(axis=0))
    steep = math.atan2(eye[2] - target[2], math.hypot(eye[0] - target[0], eye[1] - target[1])) > STEEP
    up = (0.0, 1.0, 0.0) if steep else (0.0, 0.0, 1.0)
    for _ in range(TURNS):
        camera = Camera(eye=eye, target=target, up=up, field_of_view=WIDEST, width=PROBE, height=PROBE)
        pixels, depth = camera.project(points)
        if not (depth > 0).all():
            raise InvalidInput(STEP_BACK.format(*eye), kind="too_near")
        target = tuple(camera.unproject((pixels.min(axis=0) + pixels.max(axis=0)) / 2, math.dist(eye, target)))
    reached = float(np.abs(pixels - PROBE / 2).max()) * camera.pixel_size / (1 - 2 * margin)
    if reached > math.tan(WIDEST / 2):
        raise InvalidInput(STEP_BACK.format(*eye), kind="too_near")
    if reached < NARROWEST:
        raise InvalidInput(
            f"the camera stands {math.hypot(*eye):.0f} m away, and blocks are too small to be seen from there", kind="too_far"
        )
    framed = replace(camera, target=target, field_of_view=2 * math.atan(reached))
    return scale_camera(framed, float(np.mean(depth)), foot)


def take_view(picture: NDArray[np.uint8], camera: Camera, wanted: Camera) -> View:
    """Resample a picture (H, W, 3) of `camera` for another camera at the same place; pixels beyond it get the mean."""
    if picture.shape != (camera.height, camera.width, 3):
        raise InvalidInput(
            f"the picture has {picture.shape[1]} x {picture.shape[0]} pixels, its camera {camera.width} x {camera.height}"
        )
    values = check_picture(picture).astype(np.float32)
    pixels = find_pixels(camera, wanted)
    coarse = wanted.pixel_size / camera.pixel_size
    if coarse > 1:  # else fine grain would turn into noise
        values = gaussian_filter(values, (SMOOTH * coarse, SMOOTH * coarse, 0), mode="nearest")
    seen = sample(values, pixels)
    seen[~((pixels >= 0.5) & (pixels <= (camera.width - 0.5, camera.height - 0.5))).all(axis=-1)] = np.nan
    return View(normalise(seen), wanted)


def mirror_view(view: View) -> View:
    """Mirror a view in the plane y = 0, as `mirror_proposals` does boxes: the mirror image, from the mirrored camera."""
    eye, target, up = ((x, -y, z) for x, y, z in (view.camera.eye, view.camera.target, view.camera.up))
    return View(np.ascontiguousarray(view.picture[:, ::-1]), replace(view.camera, eye=eye, target=target, up=up))


def find_pixels(camera: Camera, wanted: Camera) -> Singles:
    """Return the pixels (H, W, 2) of a camera that show what each pixel of another one at the same place shows; -9: behind it."""
    there = np.stack(wanted.axes, axis=1) * (wanted.pixel_size, wanted.pixel_size, 1.0)
    turn = (np.stack(camera.axes) @ there).astype(np.float32)
    column, row = (np.arange(side, dtype=np.float32) + np.float32(0.5 - side / 2) for side in (wanted.width, wanted.height))
    x, y, depth = (along[0] * column + (along[1] * row + along[2])[:, None] for along in turn)
    scale = 1 / (np.float32(camera.pixel_size) * np.where(depth > 0, depth, np.float32(1)))
    pixels = np.stack([x * scale + np.float32(camera.width / 2), y * scale + np.float32(camera.height / 2)], axis=-1)
    return np.where((depth > 0)[..., None], pixels, np.float32(-9))


def make_frames(rays: ArrayLike) -> Floats:
    """Return the frames (..., 3, 3) of rays (..., 3), directions as rows; the last two are not at right angles.

    In order: right and level; down in a picture whose middle the ray is; up in the world. Components along them do not change
    when everything is turned about the vertical. For blocks that lie flat, as most do, the third component of an axis is 0 or 1.
    """
    ray = np.asarray(rays, np.float64)
    ray = ray / np.linalg.norm(ray, axis=-1, keepdims=True)
    length = np.linalg.norm(ray[..., :2], axis=-1, keepdims=True)
    level = np.where(length > 1e-9, ray[..., :2] / np.maximum(length, 1e-9), (0.0, 1.0))  # straight down: any
    frames = np.zeros((*ray.shape[:-1], 3, 3))
    frames[..., 0, 0], frames[..., 0, 1] = level[..., 1], -level[..., 0]
    frames[..., 1, :2], frames[..., 1, 2] = level * ray[..., 2:], -length[..., 0]
    frames[..., 2, 2] = 1.0
    return frames
