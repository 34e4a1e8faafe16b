"""Solved: the camera of a photograph, as a pinhole and as the lens that took it."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.start import Pose
from anastylosis.errors import InvalidInput
from anastylosis.rendering.camera import REACH_MAX, Camera, Vector
from anastylosis.survey import Ground

__all__ = ["Solved", "build_camera", "make_ground", "move_camera"]

LOOK_MAX = 100.0  # [m] a camera that sees the floor only farther away looks at the horizon: its target is this near


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A known camera. `straighten(picture, solved.lens)` makes the picture that `solved.camera` sees."""

    camera: Camera  # of the straightened picture
    lens: Lens  # of the photograph
    reprojection_error: float | None = None  # root mean square over the points [pixels]; None: not known
    used: tuple[int, ...] = ()  # rows of the points that agree
    left_out: tuple[int, ...] = ()  # rows of those that do not
    eye_sd: float | None = None  # standard deviation of the eye's place [m]; None: not known
    source: str = ""  # how it is known
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
