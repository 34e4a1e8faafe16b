"""Camera of a picture: world points to pixels, pixels to rays, and views that keep everything in.

A pinhole camera. Pixel coordinates are (x right, y down) and continuous: pixel [row, column] covers
[column, column + 1) x [row, row + 1), its centre is (column + 0.5, row + 0.5). Depth is z-depth: metres along the
viewing axis, not along the ray.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats, Vector
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.structure import BLOCK_SIZE

SIDE_MAX = 8192  # [pixels] a picture wider or higher than this is a typing error
PIXELS_MAX = 4096 * 4096  # 48 MB of RGB
REACH_MAX = 1e4  # [m] from the origin, of anything that is drawn or draws

REACH = 0.60  # [m] along x and y: 99 of 100 blocks of an 18-layer tower come to rest within this
RIM = 64  # points of a circle on the floor that the still camera shows
DEBRIS_HEIGHT = 0.05  # [m] of what lies far from the tower
BISECTIONS = 40  # of a metre: to less than a nanometre
MARGIN = 0.04  # share of the picture left free on each side


class StillView(NamedTuple):
    """Direction and lens of the paper's pictures, and what the still camera shows."""

    elevation: float = math.radians(22.0)
    azimuth: float = math.radians(35.0)
    field_of_view: float = math.radians(32.0)  # vertical; about a 60 mm lens: little distortion, some depth
    layers: int = 24  # of the tallest tower
    reach: float = 0.5  # [m] of the floor around it


STILL_VIEW = StillView()


@dataclass(frozen=True, kw_only=True)
class Camera:
    """A pinhole camera above the floor that looks from `eye` at `target`."""

    FORMAT: ClassVar[int] = 1  # of a camera in a file; raised when a name in it changes its meaning

    eye: Vector  # [m]
    target: Vector  # [m] in the middle of the picture
    up: Vector = (0.0, 0.0, 1.0)  # what points upwards in the picture; any length
    field_of_view: float = STILL_VIEW.field_of_view  # vertical [rad]
    width: int = 128  # [pixels]
    height: int = 128  # [pixels]

    def __post_init__(self) -> None:
        for name in ("eye", "target", "up"):
            object.__setattr__(self, name, check_vector(getattr(self, name), name))
        for name in ("width", "height"):
            side = getattr(self, name)
            if isinstance(side, bool) or not isinstance(side, int | np.integer) or not 1 <= side <= SIDE_MAX:
                raise InvalidConfig(f"{name} is {side!r}; a picture is a whole number of pixels wide and high, 1..{SIDE_MAX}")
            object.__setattr__(self, name, int(side))
        if self.width * self.height > PIXELS_MAX:
            raise InvalidConfig(f"{self.width} x {self.height} pixels are too many; a picture has at most {PIXELS_MAX}")
        if not math.radians(1) <= self.field_of_view <= math.radians(150):
            raise InvalidConfig(f"field_of_view is {self.field_of_view} rad; it must be in 0.0175..2.618 (1 to 150 degrees)")
        if self.eye[2] <= 0:
            raise InvalidConfig(f"the eye is at height {self.eye[2]:g} m; a camera stands above the floor, z > 0")
        if math.dist(self.eye, self.target) < 1e-6:
            raise InvalidConfig("the eye and the target are at the same place; a camera looks at something")
        length = math.hypot(*self.up)
        if length == 0 or math.hypot(*cross(unit(np.subtract(self.target, self.eye)), self.up)) < 1e-6 * length:
            raise InvalidConfig(f"up {self.up} points along the view; choose one that does not, such as (0, 1, 0) from above")

    @staticmethod
    def find_shrink(width: int, height: int) -> float:
        """Find the share, at most 1, to which a picture of this size must shrink so that a camera can have it."""
        return min(1.0, math.sqrt(PIXELS_MAX / (width * height)), SIDE_MAX / max(width, height))

    @property
    def axes(self) -> tuple[Floats, Floats, Floats]:
        """Unit vectors: right and down in the picture, forward into it."""
        ahead = unit(np.subtract(self.target, self.eye))
        right = unit(cross(ahead, self.up))
        return right, cross(ahead, right), ahead

    @property
    def pixel_size(self) -> float:
        """Metres that one pixel covers at a depth of one metre."""
        return 2.0 * math.tan(self.field_of_view / 2) / self.height

    def project(self, points: ArrayLike) -> tuple[Floats, Floats]:
        """Return pixels (..., 2) and depths (...) [m] of world points (..., 3) [m]; pixels of points behind the eye are NaN."""
        at = np.asarray(points, np.float64)
        if at.shape[-1:] != (3,):
            raise InvalidInput(f"points have shape {at.shape}, expected (..., 3)")
        away = at - self.eye
        right, down, ahead = self.axes
        depth = away @ ahead
        scale = self.pixel_size * np.where(depth > 0, depth, np.nan)
        pixels = np.stack([away @ right / scale + self.width / 2, away @ down / scale + self.height / 2], axis=-1)
        return pixels, depth

    def rays(self, pixels: ArrayLike | None = None) -> Floats:
        """Return world directions (..., 3) through pixels (..., 2), one metre deep: `eye + depth * ray` is the point.

        Without `pixels`: through the centre of every pixel, (H, W, 3).
        """
        if pixels is None:
            rows, columns = np.mgrid[: self.height, : self.width]
            pixels = np.stack([columns + 0.5, rows + 0.5], axis=-1)
        at = np.asarray(pixels, np.float64)
        if at.shape[-1:] != (2,):
            raise InvalidInput(f"pixels have shape {at.shape}, expected (..., 2)")
        right, down, ahead = self.axes
        x = (at[..., :1] - self.width / 2) * self.pixel_size
        y = (at[..., 1:] - self.height / 2) * self.pixel_size
        return ahead + x * right + y * down

    def unproject(self, pixels: ArrayLike, depth: ArrayLike) -> Floats:
        """Return world points (..., 3) [m] at pixels (..., 2) and depths (...) [m]: the inverse of `project`."""
        return self.eye + np.asarray(depth, np.float64)[..., None] * self.rays(pixels)


def cross(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the cross product of two vectors; NumPy's own takes ten times as long."""
    (ax, ay, az), (bx, by, bz) = np.asarray(a).tolist(), np.asarray(b).tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def unit(vector: Floats) -> Floats:
    return vector / math.hypot(*vector)


def check_vector(values: ArrayLike, name: str) -> Vector:
    vector = np.asarray(values, np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all() or np.abs(vector).max() > REACH_MAX:
        raise InvalidConfig(f"{name} is {values!r}; it must be three finite numbers within {REACH_MAX:g} m")
    return float(vector[0]), float(vector[1]), float(vector[2])


def scene_points(layers: int = 18, reach: float = REACH) -> Floats:
    """Return corners (N, 3) of all that must be seen: a standing tower, and debris up to `reach` [m] along x and y."""
    if not 0 < reach < REACH_MAX:
        raise InvalidConfig(f"reach is {reach} m; debris lies within 0..{REACH_MAX:g} m")
    if isinstance(layers, bool) or not isinstance(layers, int | np.integer) or layers < 1:
        raise InvalidConfig(f"layers is {layers!r}; a tower has a whole number of them, at least 1")
    corners = np.array([(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)])
    rims = [(BLOCK_SIZE[0] / 2, 0.0), (BLOCK_SIZE[0] / 2, layers * BLOCK_SIZE[2]), (reach, 0.0), (reach, DEBRIS_HEIGHT)]
    return np.concatenate([np.column_stack([side * corners, np.full(4, height)]) for side, height in rims])


def frame_points(
    points: ArrayLike,
    *,
    elevation: float = STILL_VIEW.elevation,
    azimuth: float = STILL_VIEW.azimuth,
    field_of_view: float = STILL_VIEW.field_of_view,
    width: int = 128,
    height: int = 128,
    margin: float = MARGIN,
) -> Camera:
    """Return the nearest camera of this direction with all world points (N, 3) in the picture, `margin` of it free.

    `elevation` above the floor and `azimuth` from world x, of the eye as seen from the scene [rad]. With an eye at
    camera coordinates (a, b, c), a point (x, y, z) is in when |x - a| <= t (z - c), t the tangent of half the field
    of view: linear in a and c, so that the largest c is (min(x + t z) - max(x - t z)) / 2 t, and likewise in y. There a and b
    are chosen so that the points are in the middle of the picture.
    """
    at = np.asarray(points, np.float64)
    if at.ndim != 2 or at.shape[1] != 3 or len(at) == 0 or not np.isfinite(at).all():
        raise InvalidInput(f"points have shape {at.shape}; framing needs finite points (N, 3), at least one")
    if not 0 <= margin < 0.5:
        raise InvalidConfig(f"margin is {margin}; it is the share of the picture left free on each side, 0..0.5")
    if not 0 <= elevation <= math.pi / 2:
        raise InvalidConfig(f"elevation is {elevation} rad; it must be in 0..pi/2")
    level = math.cos(elevation)
    back = (level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation))
    # From straight above, the top of the picture is where a lower camera looks to.
    up = (0.0, 0.0, 1.0) if level > 1e-3 else (-math.cos(azimuth), -math.sin(azimuth), 0.0)
    probe = Camera(
        eye=(0.0, 0.0, 1.0), target=(-back[0], -back[1], 1.0 - back[2]), up=up,
        field_of_view=field_of_view, width=width, height=height,
    )  # fmt: skip
    axes = np.stack(probe.axes)
    x, y, z = axes @ at.T
    tangent = (1 - 2 * margin) * math.tan(field_of_view / 2) * np.array([width / height, 1.0])
    low = np.array([(x - tangent[0] * z).max(), (y - tangent[1] * z).max()])
    high = np.array([(x + tangent[0] * z).min(), (y + tangent[1] * z).min()])
    nearest = ((high - low) / (2 * tangent)).min()
    eye = np.array([centre(x, z - nearest), centre(y, z - nearest), nearest]) @ axes
    middle = eye + (z.mean() - nearest) * axes[2]
    return Camera(eye=tuple(eye), target=tuple(middle), up=up, field_of_view=field_of_view, width=width, height=height)


def centre(side: Floats, depth: Floats) -> float:
    """Find the place from which points at these sides and depths (N,) reach as far to the left as to the right, as tangents."""
    low, high = side.min(), side.max()
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        offset = (side - middle) / depth
        low, high = (middle, high) if offset.max() > -offset.min() else (low, middle)
    return float(low + high) / 2


def paper_camera(width: int = 128, height: int = 128, *, layers: int = 18, reach: float = REACH) -> Camera:
    """Return the paper's view, elevation 22 and azimuth 35 degrees; one scale for a film, from the tower to its debris."""
    return frame_points(scene_points(layers, reach), width=width, height=height)


def still_camera(
    size: int,
    *,
    layers: int = STILL_VIEW.layers,
    reach: float = STILL_VIEW.reach,
    elevation: float = STILL_VIEW.elevation,
    azimuth: float = STILL_VIEW.azimuth,
    field_of_view: float = STILL_VIEW.field_of_view,
) -> Camera:
    """Return the square camera of `size` pixels that models learn from. Paper §13.

    It shows a tower of so many layers whole, and the floor around it within `reach` [m].
    """
    turn = np.linspace(0, 2 * math.pi, RIM, endpoint=False)
    rim = reach * np.column_stack([np.cos(turn), np.sin(turn), np.zeros(RIM)])
    tower = scene_points(layers, BLOCK_SIZE[0])
    return frame_points(
        np.concatenate([tower, rim]), elevation=elevation, azimuth=azimuth, field_of_view=field_of_view,
        width=size, height=size,
    )  # fmt: skip


def top_camera(width: int = 128, height: int = 128, *, layers: int = 18, reach: float = REACH) -> Camera:
    """Return the camera straight above: world x to the right, y up in the picture."""
    corners = scene_points(layers, reach)
    return frame_points(corners, elevation=math.pi / 2, azimuth=-math.pi / 2, width=width, height=height)


def front_camera(width: int = 128, height: int = 128, *, layers: int = 18, reach: float = REACH) -> Camera:
    """Return the camera in front, a little above the floor: world x to the right, z up in the picture."""
    corners = scene_points(layers, reach)
    return frame_points(corners, elevation=math.radians(6), azimuth=-math.pi / 2, width=width, height=height)


def random_camera(
    rng: np.random.Generator, width: int = 128, height: int = 128, *, layers: int = 18, reach: float = REACH
) -> Camera:
    """Draw a camera from `rng` that has the whole scene in view: any side, 12 to 65 degrees up, many lenses."""
    tilt, turn, roll = rng.uniform(12, 65), rng.uniform(0, 360), rng.uniform(-2.5, 2.5)
    framed = frame_points(
        scene_points(layers, reach), elevation=math.radians(tilt), azimuth=math.radians(turn),
        field_of_view=math.radians(rng.uniform(22, 50)), width=width, height=height, margin=rng.uniform(0.06, 0.14),
    )  # fmt: skip
    right = framed.axes[0] * math.tan(math.radians(roll))  # a hand-held camera is not quite level
    up = np.array([0.0, 0.0, 1.0]) + right
    return Camera(
        eye=framed.eye, target=framed.target, up=tuple(up), field_of_view=framed.field_of_view, width=width, height=height
    )
