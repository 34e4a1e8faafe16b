"""Lens: the distortion of a picture, and the picture that a pinhole would have taken.

Brown's radial distortion, as OpenCV writes it: a point that a pinhole sees at (x, y), in focal lengths from the principal point,
is seen at (x, y) (1 + k1 r² + k2 r⁴), with r² = x² + y². Pixel coordinates are those of `rendering.camera`: (x right, y down),
continuous, the middle of the first pixel is (0.5, 0.5); OpenCV's are half a pixel less.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import gaussian_filter, map_coordinates

from anastylosis.arrays import Floats
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.rendering import Camera

PICTURE_MAX = 20_000  # [pixels] a side of a photograph
FOCAL_RANGE = (0.1, 100.0)  # of the longer side: a fisheye, and a telescope
OFFSET_MAX = 0.5  # principal point from the picture's middle, of the longer side
RIM_STEPS = 256  # points along each side of the rim
DISTORTION_MAX = 1e6  # of k1 and k2: a telescope's may be large, as they are of its narrow angles
STRETCH_MAX = 4.0  # a corner as this lens shows it, from the middle, to where a pinhole shows it
REACH_SLACK = 1.02  # the glass must not fold within the picture, nor just outside it
FOLD_MIN = 1e-6  # 2 / r²: glass that folds a thousand focal lengths out does not fold
BAND = 256  # rows of a straightened picture at once: coordinates take 16 bytes a pixel
SHRINK_MAX = 0.8  # made smaller than this, fine patterns are blurred first so that they do not turn into false ones
ROUNDS = 60  # of Newton's method, with bisection where it leaves the bracket; ten are usual


@dataclass(frozen=True, kw_only=True)
class Lens:
    """A lens with square pixels and radial distortion, and the size of its pictures."""

    focal: float  # [pixels]
    width: int  # [pixels]
    height: int  # [pixels]
    middle: tuple[float, float] = None  # type: ignore[assignment]  # principal point [pixels]; None: the picture's middle
    k1: float = 0.0  # radial distortion, of r²
    k2: float = 0.0  # of r⁴

    def __post_init__(self) -> None:
        for name in ("width", "height"):
            side = getattr(self, name)
            if isinstance(side, bool) or not isinstance(side, int | np.integer) or not 1 <= side <= PICTURE_MAX:
                raise InvalidConfig(f"{name} is {side!r}; a photograph has a whole number of pixels, 1..{PICTURE_MAX:,}")
            object.__setattr__(self, name, int(side))
        longer = max(self.width, self.height)
        low, high = (share * longer for share in FOCAL_RANGE)
        if not low <= self.focal <= high:
            raise InvalidConfig(
                f"the focal length is {self.focal:g} pixels; of a picture of {self.width} x {self.height} it is {low:g}..{high:g}"
            )
        middle = np.asarray((self.width / 2, self.height / 2) if self.middle is None else self.middle, np.float64)
        if middle.shape != (2,) or not (np.abs(middle - (self.width / 2, self.height / 2)) <= OFFSET_MAX * longer).all():
            raise InvalidConfig(f"the principal point is {self.middle}; it is in the picture, mostly near its middle")
        object.__setattr__(self, "middle", (float(middle[0]), float(middle[1])))
        for name in ("focal", "k1", "k2"):
            object.__setattr__(self, name, float(getattr(self, name)))
        if not max(abs(self.k1), abs(self.k2)) <= DISTORTION_MAX:  # also NaN
            raise InvalidConfig(
                f"the distortion is k1 {self.k1:g}, k2 {self.k2:g}; they are numbers of no more than {DISTORTION_MAX:,.0f}"
            )
        seen = math.hypot(*farthest_corner(self))
        if bend(seen / STRETCH_MAX, self.k1, self.k2) > seen:
            raise InvalidConfig(
                f"a lens with k1 {self.k1:g} and k2 {self.k2:g} stretches the picture more than {STRETCH_MAX:g} times: no glass "
                "does that; are the two in order, and of this picture?"
            )
        farthest = bend(self.fold, self.k1, self.k2) if self.fold < math.inf else math.inf
        if farthest <= REACH_SLACK * seen:
            raise InvalidConfig(
                f"a lens with k1 {self.k1:g} and k2 {self.k2:g} folds {farthest * self.focal:.0f} pixels from the middle, and "
                f"the picture reaches {seen * self.focal:.0f}: no glass does that; are the two in order, and of this picture?"
            )

    @property
    def is_straight(self) -> bool:
        """Return whether it is a pinhole: no distortion, and the principal point in the middle."""
        return self.k1 == 0 and self.k2 == 0 and self.middle == (self.width / 2, self.height / 2)

    @property
    def fold(self) -> float:
        """Radius, in focal lengths, where r (1 + k1 r² + k2 r⁴) stops growing; infinite if it never does."""
        root = 9 * self.k1**2 - 20 * self.k2  # of 1 + 3 k1 s + 5 k2 s² = 0, s = r²; its smallest positive s is 2 / below
        below = -3 * self.k1 + math.sqrt(root) if root >= 0 else 0.0
        return math.sqrt(2 / below) if below > FOLD_MIN else math.inf

    def distort(self, pixels: ArrayLike) -> Floats:
        """Return where (..., 2) this lens shows what a pinhole of its focal length shows at `pixels`; NaN: nowhere."""
        away = self._from_middle(pixels)
        square = (away**2).sum(axis=-1, keepdims=True)
        return np.where(square < self.fold**2, self._to_pixels(away * (1 + (self.k1 + self.k2 * square) * square)), np.nan)

    def undistort(self, pixels: ArrayLike) -> Floats:
        """Return where (..., 2) a pinhole would show what this lens shows at `pixels`; NaN: nothing is shown there."""
        away = self._from_middle(pixels)
        bent = np.sqrt((away**2).sum(axis=-1, keepdims=True))
        straight = self._straighten_radius(bent)
        return self._to_pixels(away * np.where(bent > 0, straight / np.where(bent > 0, bent, 1), 1))

    def _straighten_radius(self, bent: Floats) -> Floats:
        """Solve for r in `bent` = r (1 + k1 r² + k2 r⁴), by Newton's method within a bracket; NaN beyond the fold."""
        if self.k1 == 0 and self.k2 == 0:
            return bent
        high = np.full(bent.shape, self.fold)
        if self.fold == math.inf:  # r only grows: twice as far until it is beyond
            high = np.maximum(bent, 1e-12)
            while (short := bend(high, self.k1, self.k2) < bent).any():
                high = np.where(short, 2 * high, high)
        shown = bent < bend(high, self.k1, self.k2) if self.fold < math.inf else np.isfinite(bent)
        low, radius = np.zeros(bent.shape), np.minimum(bent, high)
        for _ in range(ROUNDS):
            error = bend(radius, self.k1, self.k2) - bent
            low, high = np.where(error < 0, radius, low), np.where(error > 0, radius, high)
            slope = 1 + (3 * self.k1 + 5 * self.k2 * radius**2) * radius**2
            step = radius - error / np.where(slope > 1e-9, slope, 1e-9)
            step = np.where((step >= low) & (step <= high), step, (low + high) / 2)
            if (np.abs(step - radius) <= 1e-14 * (1 + radius))[shown].all():
                break
            radius = step
        return np.where(shown, radius, np.nan)

    def resize(self, width: int, height: int) -> "Lens":
        """Return the lens for its pictures in another size."""
        across, down = width / self.width, height / self.height
        return replace(
            self, focal=self.focal * math.sqrt(across * down), width=width, height=height,
            middle=(self.middle[0] * across, self.middle[1] * down),
        )  # fmt: skip

    def straight(self) -> "Lens":
        """Return the pinhole, principal point in the middle, whose picture of the same shape just holds all that this lens shows.

        Photographs with more pixels than a `Camera` may have become smaller.
        """
        shrink = Camera.find_shrink(self.width, self.height)
        width, height = (max(1, math.floor(side * shrink)) for side in (self.width, self.height))
        if self.is_straight:
            return self if shrink == 1 else Lens(focal=self.focal * shrink, width=width, height=height)
        x, y = np.abs(self._from_middle(self.undistort(self._rim()))).max(axis=0)
        return Lens(focal=min(width / (2 * x), height / (2 * y)), width=width, height=height)

    def _rim(self) -> Floats:
        """Return pixels (N, 2) along the outer edge of the picture."""
        along = np.linspace(0, 1, RIM_STEPS + 1)
        columns = np.append(along * self.width, np.clip(self.middle[0], 0, self.width))
        rows = np.append(along * self.height, np.clip(self.middle[1], 0, self.height))
        sides = [np.column_stack([columns, np.full(len(columns), row)]) for row in (0.0, float(self.height))]
        sides += [np.column_stack([np.full(len(rows), column), rows]) for column in (0.0, float(self.width))]
        return np.concatenate(sides)

    def _from_middle(self, pixels: ArrayLike) -> Floats:
        at = np.asarray(pixels, np.float64)
        if at.shape[-1:] != (2,):
            raise InvalidInput(f"pixels have shape {at.shape}, expected (..., 2)")
        return (at - self.middle) / self.focal

    def _to_pixels(self, away: Floats) -> Floats:
        return away * self.focal + self.middle


def bend(radius: Floats | float, k1: float, k2: float) -> Floats | float:
    """Return the radius at which a lens shows what a pinhole shows at `radius`, both in focal lengths."""
    square = radius * radius
    return radius * (1 + (k1 + k2 * square) * square)


def farthest_corner(lens: Lens) -> tuple[float, float]:
    """Return the offset from the principal point to the farthest corner of the picture, in focal lengths."""
    x, y = lens.middle
    return max(x, lens.width - x) / lens.focal, max(y, lens.height - y) / lens.focal


def straighten(picture: NDArray[np.uint8], lens: Lens) -> tuple[NDArray[np.uint8], Lens]:
    """Return the picture (H, W) or (H, W, 3) without distortion, and the lens that it now has, `lens.straight()`.

    Its rim is bent: between it and the sides of the new picture is the median colour of the rim. Bilinear sampling.
    """
    check_picture(picture, lens)
    straight = lens.straight()
    if straight == lens:
        return picture, lens
    scale = straight.focal / lens.focal
    source = picture.reshape(lens.height, lens.width, -1)
    if scale < SHRINK_MAX:
        blur = math.sqrt(1 / scale**2 - 1) / 2
        source = gaussian_filter(source, (blur, blur, 0), mode="nearest")
    rim = np.concatenate([source[0], source[-1], source[:, 0], source[:, -1]])
    fill = np.median(rim, axis=0)
    made = np.empty((straight.height, straight.width, source.shape[2]), np.uint8)
    columns = np.arange(straight.width) + 0.5
    for top in range(0, straight.height, BAND):
        rows = np.arange(top, min(top + BAND, straight.height)) + 0.5
        pixels = np.stack(np.meshgrid(columns, rows), axis=-1)
        # From the new picture to directions, from directions to the old one; its first pixel is 0 to `map_coordinates`.
        pinhole = (pixels - straight.middle) / scale + lens.middle
        at = lens.distort(pinhole)[..., ::-1] - 0.5
        size = np.array([lens.height, lens.width])
        inside = np.all((at >= -0.5) & (at <= size - 0.5), axis=-1, keepdims=True)
        where = np.moveaxis(np.where(inside, at, 0.0), -1, 0)
        for channel in range(source.shape[2]):
            values = map_coordinates(source[..., channel], where, np.float64, order=1, mode="nearest")
            made[top : top + len(rows), :, channel] = np.rint(np.where(inside[..., 0], values, fill[channel]))
    return made.reshape(straight.height, straight.width, *picture.shape[2:]), straight


def check_picture(picture: Any, lens: Lens) -> None:
    """Raise unless an array is a picture in the size of this lens."""
    check_bytes(picture)
    if picture.shape[:2] != (lens.height, lens.width):
        raise InvalidInput(
            f"the picture has {picture.shape[1]} x {picture.shape[0]} pixels and the lens is of {lens.width} x {lens.height}; "
            "resize one of them"
        )


def check_bytes(picture: Any) -> None:
    """Raise unless this is a picture as an array of bytes."""
    if not isinstance(picture, np.ndarray):
        raise InvalidInput(f"a picture is an array uint8 (H, W) or (H, W, 3), not {type(picture).__name__}")
    if picture.dtype != np.uint8 or picture.ndim not in (2, 3) or picture.shape[2:] not in ((), (3,)):
        raise InvalidInput(f"a picture is an array uint8 (H, W) or (H, W, 3), not {picture.dtype} {picture.shape}")
