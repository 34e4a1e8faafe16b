"""Pose: the camera of a photograph, from points whose places are known and the pixels where they are seen.

First cameras come from linear algebra (`start`), then all of them are fitted by least squares (`fit`): rotation, place and,
unless the lens is known, focal length and, from many points, the first term of the distortion. The best one above the floor is
kept. Points that do not agree with most others are left out when there are many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.arrays import Flags, Floats, Vector
from anastylosis.detection.camera.fit import Fit, SeenPoints, fit_camera, measure
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.start import (
    MOST,
    Pose,
    check_points,
    find_agreeing,
    find_plane,
    flip_pose,
    focal_from_homography,
    solve_linear,
    start_from_above,
    start_from_plane,
    start_from_space,
)
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering import REACH_MAX, Camera
from anastylosis.survey import Ground
from anastylosis.units import metres_to_millimetres

LOOK_MAX = 100.0  # [m] a camera that sees the floor only farther away looks at the horizon: its target is this near
FOCALS = (0.8, 1.3, 2.6)  # of the longer side: telephones, a little zoom, a long lens
DEEP = 0.02  # points whose third extent is more than this share of their first are not in a plane
SPACE_MIN = 6  # points that are not in one plane
MANY = 10  # points; of fewer none is left out
DISTORTION_MIN = 12  # points; of fewer k1 stays 0
AGREE = 5.0  # standard deviations; a point that is farther off is left out
AGREE_MIN = 0.001  # of the diagonal: 1.4 pixels at 1,024 x 1,024; a point that is nearer stays
ERROR_MAX = 0.004  # of the diagonal, root mean square: more, and no camera has taken these points
NOISE, NOISE_MIN = 0.5, 0.1  # [pixels] of a point: taken of few points; of many, when they agree even better
FOCAL_SD_MAX = 0.15  # of the focal length: more, and the points do not determine it
EYE_SD_MAX = 0.15  # of the distance: more, and the points do not determine its place
ROUNDS = 5  # of fitting and leaving out
POINTS_TRIED = (6, 20)  # of fewer, one left out proves nothing; of more, the one farthest off is named


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A known camera. `straighten(picture, solved.lens)` makes the picture that `solved.camera` sees."""

    camera: Camera  # of the straightened picture
    lens: Lens  # of the photograph
    reprojection_error: float | None = None  # root mean square over the points [pixels]; None: not known
    used: tuple[int, ...] = ()  # rows of the points that agree
    left_out: tuple[int, ...] = ()  # rows of those that do not
    eye_sd: float | None = None  # standard deviation of the eye's place [m]; None: not known
    focal_sd: float | None = None  # standard deviation of the log of the focal length; None: not known
    source: str = ""  # how it is known
    warnings: tuple[str, ...] = ()  # what speaks against it, or makes it unsure
    sheet: tuple[Vector, ...] = ()  # corners of the target [m], counter-clockwise; none: the camera is not known by it

    @property
    def pose(self) -> Pose:
        """Rotation and place of the camera."""
        return Pose(np.stack(self.camera.axes), np.array(self.camera.eye))

    def resize(self, width: int, height: int) -> "Solved":
        """Return the camera for the same photograph in another size; raise for another shape."""
        if (width, height) == (self.lens.width, self.lens.height):
            return self
        if not self.fits(width, height):
            turned = "; it is turned by a quarter" if self.fits(height, width) else ""
            raise InvalidInput(
                f"the camera is of pictures of {self.lens.width} x {self.lens.height} pixels, and this one has {width} x "
                f"{height}, another shape{turned}; take the picture as the camera took it, not cropped and not turned",
                kind="picture_cropped",
            )
        lens = self.lens.resize(width, height)
        error = None if self.reprojection_error is None else self.reprojection_error * width / self.lens.width
        return replace(self, camera=build_camera(self.pose, lens), lens=lens, reprojection_error=error)

    def fits(self, width: int, height: int) -> bool:
        """Return whether pictures of this size have the shape of the lens's, but for rounding."""
        return abs(width * self.lens.height / self.lens.width - height) <= max(1.0, width / self.lens.width)

    def move(self, ground: Ground) -> "Solved":
        """Return the camera in the tower's frame, which `ground` gives in the present one."""
        sheet = tuple(map(tuple, move_places(self.sheet, ground).tolist()))
        return replace(self, camera=move_camera(self.camera, ground), sheet=sheet)


def build_camera(pose: Pose, lens: Lens) -> Camera:
    """Build the pinhole of the straightened picture; its target is on the floor if it looks there."""
    _, down, ahead = pose.rotation
    straight = lens.straight()
    distance = -pose.eye[2] / ahead[2] if ahead[2] < 0 else LOOK_MAX
    return Camera(
        eye=tuple(pose.eye), target=tuple(pose.eye + min(distance, LOOK_MAX) * ahead), up=tuple(-down),
        field_of_view=2 * math.atan(straight.height / (2 * straight.focal)), width=straight.width, height=straight.height,
    )  # fmt: skip


def make_ground(origin: ArrayLike = (0.0, 0.0), heading: float = 0.0) -> Ground:
    """Make the ground frame of a tower in the frame of a target.

    `origin` (2,) or (3,) [m]: the middle of the tower's foot. `heading` [rad]: from the target's x to the length of the bottom
    blocks, counter-clockwise seen from above.
    """
    place = np.asarray(origin, np.float64)
    if place.shape not in ((2,), (3,)) or not (np.abs(place) <= REACH_MAX).all():
        raise InvalidInput(f"origin is {origin!r}; it has x and y [m] of the middle of the tower's foot, within {REACH_MAX:g} m")
    return Ground(origin=np.append(place, np.zeros(3 - len(place))), heading=heading)


def move_camera(camera: Camera, ground: Ground) -> Camera:
    """Move a camera from site coordinates, such as those of the target, to the ground frame."""
    eye, target, up = move_places(np.array([camera.eye, camera.target, np.add(camera.eye, camera.up)]), ground)
    return replace(camera, eye=tuple(eye), target=tuple(target), up=tuple(up - eye))


def move_places(places: ArrayLike, ground: Ground) -> NDArray[np.float64]:
    """Move places (N, 3) from site coordinates to the ground frame."""
    at = np.asarray(places, np.float64).reshape(-1, 3)
    return ground.from_site(at, np.tile([1.0, 0.0, 0.0, 0.0], (len(at), 1)))[0]


class FittedCamera(NamedTuple):
    """A fitted camera, and the mask of the points that it was fitted to."""

    fit: Fit
    kept: Flags

    @property
    def error(self) -> float:
        """Root mean square error over the kept points [pixels]."""
        return measure(self.fit.error[self.kept])

    @property
    def is_above(self) -> bool:
        """Return whether the camera is above the floor."""
        return bool(self.fit.pose.eye[2] > 0)


def solve_camera(
    points: ArrayLike, pixels: ArrayLike, width: int, height: int, *, lens: Lens | None = None, names: Sequence[str] | None = None
) -> Solved:
    """Find the camera that sees `points` (N, 3) [m], or (N, 2) on the floor, at `pixels` (N, 2) of a photograph of this size.

    With `lens` only rotation and place are solved for. Four points of a plane are enough, six if they are not in one. `names` are
    for messages. Raises `InvalidInput` when no camera fits, when several do, and when the one that does is below the floor.
    """
    places, seen, called = check_points(points, pixels, width, height, names)
    known = lens.resize(width, height) if lens else None
    shown = SeenPoints(places, seen, width, height, known, bent=known is None and len(seen) >= DISTORTION_MIN)
    starts, trusted = find_starts(shown)
    found = [refine(shown, pose, focal, trusted) for pose, focal in starts]
    fitting = [each for each in found if each.fit.possible]
    if not fitting:  # a point that is wrong can spoil all of them
        focal = FOCALS[1] * max(width, height) if known is None else known.focal
        found = [refine(shown, pose, focal, trusted) for pose in start_from_above(places, seen, focal)]
        fitting = [each for each in found if each.fit.possible]
    above, below = ([each for each in fitting if each.is_above == side] for side in (True, False))
    most = ERROR_MAX * shown.diagonal
    best = min(above, key=lambda each: rank(shown, each), default=None)
    if (best is None or best.error > most) and any(each.error <= most for each in below):
        raise InvalidInput(
            "the points are seen as from below the floor: they are mirrored. From above, y is a quarter turn counter-clockwise "
            "from x, and rows count downwards from the top of the picture; exchange x and y, or change the sign of one of them",
            kind="points_mirrored",
        )
    if best is None or best.error > most or (not best.kept.all() and best.error > 2 * AGREE_MIN * shown.diagonal):
        refuse_points(shown, min(fitting, key=lambda each: rank(shown, each), default=None), called)
    return make_solved(shown, best)


def find_starts(shown: SeenPoints) -> tuple[list[tuple[Pose, float]], Flags]:
    """Find first cameras with their focal lengths, and a mask of the points that agree with them."""
    known, count = shown.lens, len(shown.pixels)
    seen = (known.undistort(shown.pixels) if known else shown.pixels) - shown.middle
    origin, axes, extents = find_plane(shown.places)
    flat = extents[2] <= DEEP * extents[0]
    trusted = np.ones(count, bool)
    starts: list[tuple[Pose, float]] = []
    if not flat:
        if count < SPACE_MIN:
            raise InvalidInput(f"{count} points that are not in one plane do not determine a camera; give {SPACE_MIN} of them")
        space = start_from_space(shown.places, seen)
        starts += [space] if space else []
    plane = (shown.places - origin) @ axes[:2].T
    if flat and count >= MANY:
        trusted = find_agreeing(plane, seen, 4 * AGREE_MIN * shown.diagonal)
    matrix = solve_linear(plane[trusted], seen[trusted])
    if matrix is None and not starts:
        raise InvalidInput(
            "the points do not determine a camera: all of them but one are on one line, or two are the same; move one",
            kind="points_line",
        )
    if matrix is not None:
        shortest, longest = shown.focals
        first = None if known else focal_from_homography(matrix)
        focals = [known.focal] if known else [share * max(shown.width, shown.height) for share in FOCALS]
        for focal in [*focals, *([first] if first and shortest < first < longest else [])]:
            pose = start_from_plane(matrix, focal, origin, axes)
            starts += [(pose, focal), (flip_pose(pose, origin, axes[2]), focal)]
    return [(pose, known.focal if known else float(np.clip(focal, *shown.focals))) for pose, focal in starts], trusted


def refine(shown: SeenPoints, pose: Pose, focal: float, trusted: Flags) -> FittedCamera:
    """Fit a camera to the points that agree with it."""
    kept = trusted
    fit = fit_camera(shown, kept, pose, focal)
    for _ in range(ROUNDS if len(kept) >= MANY else 0):
        spread = np.median(fit.error[kept]) / 1.177  # of distances whose two parts have this deviation
        agree = fit.error <= max(AGREE * spread, AGREE_MIN * shown.diagonal)
        if agree.sum() < MOST * len(kept) or (agree == kept).all():
            break
        kept = agree
        fit = fit_camera(shown, kept, fit.pose, fit.focal, fit.k1)
    return FittedCamera(fit, kept)


def rank(shown: SeenPoints, found: FittedCamera) -> tuple[float, float]:
    """Return a sort key: the mean square error over all points, cut off for each; then the error of those that agree."""
    return float(np.mean(np.minimum(found.fit.error, 4 * AGREE_MIN * shown.diagonal) ** 2)), found.error


def make_solved(shown: SeenPoints, found: FittedCamera) -> Solved:
    """Make the solved camera; raise when the points leave too much open."""
    fit, kept = found
    count = int(kept.sum())
    freedom = 2 * count - len(fit.covariance)
    noise = max(found.error * math.sqrt(count / max(freedom, 1)), NOISE if count < MANY else NOISE_MIN)
    deviation = noise * np.sqrt(np.diag(fit.covariance))
    if shown.lens is None and deviation[6] > FOCAL_SD_MAX:
        raise InvalidInput(
            "the focal length cannot be determined from these points: the floor is seen too straight from above, or the points "
            "are too near to each other. Take the picture more from the side, or give a camera file",
            kind="points_steep",
        )
    eye_sd = float(np.linalg.norm(deviation[3:6]))
    if eye_sd > EYE_SD_MAX * np.linalg.norm(shown.places.mean(axis=0) - fit.pose.eye):
        raise InvalidInput(
            f"the points tell where the camera was only within {eye_sd:.2f} m; take points that are farther apart, not in a row",
            kind="points_loose",
        )
    try:
        lens = shown.lens or Lens(focal=fit.focal, width=shown.width, height=shown.height, k1=fit.k1)
        camera = build_camera(fit.pose, lens)
    except InvalidConfig as problem:
        raise InvalidInput(f"the camera that sees these points there cannot be: {problem}", kind="points_wrong") from problem
    return Solved(
        camera=camera, lens=lens, reprojection_error=found.error, eye_sd=eye_sd,
        focal_sd=float(deviation[6]) if shown.lens is None else None, used=tuple(np.flatnonzero(kept).tolist()),
        left_out=tuple(np.flatnonzero(~kept).tolist()), source=f"{count} of {len(kept)} points",
    )  # fmt: skip


def refuse_points(shown: SeenPoints, found: FittedCamera | None, names: Sequence[str]) -> NoReturn:
    """Raise with the error of the best camera, and the point that fits worst."""
    if found is None:
        raise InvalidInput(
            "no camera sees these points there, not even nearly: were two of them exchanged, or columns with rows? List each "
            "place with the pixel where that very place is seen",
            kind="points_wrong",
        )
    everywhere = measure(found.fit.error)
    row, others = find_worst(shown, found.fit.error)
    x, y, z = (metres_to_millimetres(value) for value in shown.places[row])
    column, line = shown.pixels[row]
    without = "" if others is None else f"; without it the others are {others:.1f} pixels off"
    which = "Look whether it was" if others is not None else "So few points do not tell which is wrong: look whether one was"
    raise InvalidInput(
        f"no camera sees these points there: the best one is {everywhere:.1f} pixels off (root mean square). {names[row]} fits "
        f"worst (x {x:.0f}, y {y:.0f}, z {z:.0f} mm, seen at column {column:.0f}, row {line:.0f}){without}. {which} "
        "mistyped, or two points were exchanged",
        kind="points_wrong",
    )


def find_worst(shown: SeenPoints, error: Floats) -> tuple[int, float | None]:
    """Return the point without which the others fit best, and their error; for few or very many points the one farthest off."""
    count = len(error)
    if not POINTS_TRIED[0] <= count <= POINTS_TRIED[1]:
        return int(np.argmax(error)), None
    others = [fit_rows(shown, np.delete(np.arange(count), row)) for row in range(count)]
    best = int(np.argmin(others))
    return (best, others[best]) if math.isfinite(others[best]) else (int(np.argmax(error)), None)


def fit_rows(shown: SeenPoints, rows: NDArray[np.intp]) -> float:
    """Return the error [pixels] of the best camera for some of the points; infinite if there is none."""
    part = shown.take(rows)._replace(bent=False)
    try:
        starts, _ = find_starts(part)
    except InvalidInput:
        return math.inf
    fits = [fit_camera(part, np.ones(len(rows), bool), pose, focal) for pose, focal in starts[-2:]]
    return min((measure(fit.error) for fit in fits if fit.possible and fit.pose.eye[2] > 0), default=math.inf)
