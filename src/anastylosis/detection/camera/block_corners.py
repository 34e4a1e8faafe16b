"""Block corners: the camera of a photograph, from the corners of one block of known size that are clicked in it.

Nobody says which corner is which. All labellings (`labelling`) are fitted at once (`batch_fit`), and the best ones again.
The block lies on the floor, and the picture is upright: so the face that looks up is known, too.

The frame: its origin is on the floor under the middle of the block. x is along the longer side that lies on the floor, to the
right in the picture; z is up, so y leads away from the camera.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from anastylosis.arrays import Floats, Vector
from anastylosis.detection.camera.batch_fit import BatchFit, fit_batch
from anastylosis.detection.camera.fit import Fit, FocalPrior, SeenPoints, fit_camera
from anastylosis.detection.camera.labelling import CLICKS, STEPS, Labellings, list_labellings
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.pose import Solved, build_camera
from anastylosis.detection.camera.start import OUTSIDE, Pose
from anastylosis.errors import InvalidConfig, InvalidInput
from anastylosis.units import metres_to_millimetres

CLICK_SD = 1e-3  # of the longer side: error of a click along each axis, 1.5 pixels of 1,500
CLICK_WEIGHT = 6.0  # errors of clicks that this guess counts as much as
ERROR_MAX = 3.0  # of the error of a click, root mean square: more, and these are no corners of such a block
EDGE_ON = 0.05  # of the distance: a face that is nearly seen from its side may seem to be seen from behind
USUAL, USUAL_SD = 1.2, 0.5  # focal length of photographs, of the longer side, and the deviation of its log
NEARLY = 4.0  # how much farther off labellings may be before they are fitted to the end, and be fitted again
TRIED = 6  # labellings that are fitted again
STANDING = 2  # row of `LIES`
ALIKE = 6.0  # difference of squared errors, in squares of a click's error, below which two labellings fit equally well
SAME_CAMERA = 0.05  # of focal length and of the distance: cameras that differ by less are one
ROLL_MAX = math.radians(45)  # a picture that is turned by more is not upright
FOCAL_SD_MAX = 0.25  # of the focal length: more, and the corners do not determine it
FOCAL_SD_SURE = 0.06  # more, and it is warned of
LINEAR = 0.02  # of the log of the focal length: deviations below this are those of the derivatives
FOCALS_TRIED, FARTHEST = 13, 4.0  # focal lengths that are tried for its error; in deviations to either side
RANGE = 1.645  # standard deviations to either side hold nine in ten
LIES = ("lies flat", "lies on its edge", "stands on its end")  # by the side that is upright: height, width, length
ADVICE = (
    "click a block that is nearer to the camera or seen more from a corner, give the picture as the camera wrote it (its EXIF "
    "tells the focal length), or tell points of the floor or a camera file"
)


class LaidBlock(NamedTuple):
    """One labelling in the frame of the block."""

    places: Floats  # (N, 3) [m] the clicked corners
    sides: Floats  # (3,) [m] along x, y and z
    pose: Pose
    focal: float  # [pixels]
    roll: float  # [rad] of the picture about its middle, from upright
    upright: int  # row of `LIES`


class Candidate(NamedTuple):
    """One labelling, and the camera that was fitted to it."""

    block: LaidBlock
    fit: Fit
    strain: float  # squared error of the focal length, by what is known of it, in squares of a click's error

    @property
    def square(self) -> float:
        """Sum of the squared errors [pixels²]."""
        return float((self.fit.error**2).sum())

    def measure_misfit(self, click_sd: float) -> float:
        """Measure how badly it fits clicks and focal length, in squares of a click's error [pixels]."""
        return self.square / click_sd**2 + self.strain


def solve_corners(
    pixels: ArrayLike,
    block: Vector,
    width: int,
    height: int,
    *,
    prior: FocalPrior | None = None,
    click_sd: float | None = None,
) -> Solved:
    """Find the camera that sees six or seven corners of a block, in any order, at `pixels` (N, 2).

    `block`: length, width and height [m]. `prior`: the focal length as far as it is known otherwise. `click_sd` [pixels]: error
    of a click along each axis. Raises `InvalidInput` when no such block is seen there, and when the corners leave too much open.
    """
    seen = check_clicks(pixels, width, height)
    size = check_block(block)
    click_sd = CLICK_SD * max(width, height) if click_sd is None else click_sd
    known = prior or guess_focal(width, height)
    shown = SeenPoints(np.zeros((len(seen), 3)), seen, width, height, None, prior=known, noise=click_sd)
    best, *others = find_candidates(shown, known, size)
    error = math.sqrt(best.square / (2 * len(seen)))
    if error > ERROR_MAX * click_sd:
        raise InvalidInput(
            f"the {len(seen)} corners are not those of one block of {describe_size(size)}: the best fit is "
            f"{error:.1f} pixels off (root mean square), and {ERROR_MAX * click_sd:.1f} are allowed. Click the corners of "
            "one block that is seen whole, and say its size",
            kind="corners_wrong",
        )
    for other in others:
        if other.measure_misfit(click_sd) - best.measure_misfit(click_sd) < ALIKE and not is_same(best, other):
            raise InvalidInput(
                f"the corners fit a block that {LIES[best.block.upright]} and one that {LIES[other.block.upright]} equally well, "
                f"seen from {measure_distance(best):.2f} and from {measure_distance(other):.2f} m; {ADVICE}",
                kind="corners_unclear",
            )
    return make_solved(best, shown, prior)


def guess_focal(width: int, height: int) -> FocalPrior:
    """Return what is known of the focal length of any photograph."""
    return FocalPrior(USUAL * max(width, height), USUAL_SD, "the focal lengths of most photographs")


def check_clicks(pixels: ArrayLike, width: int, height: int) -> Floats:
    """Return the clicked corners (N, 2); raise where they are too few, too many, out of the picture or twice the same."""
    seen = np.asarray(pixels, np.float64)
    if seen.ndim != 2 or seen.shape[1:] != (2,):
        raise InvalidInput(f"corners have shape {seen.shape}, expected (N, 2): column and row of each")
    if not CLICKS[0] <= len(seen) <= CLICKS[1]:
        raise InvalidInput(
            f"there are {len(seen)} corners; click six or seven of the seven corners of one block that can be seen",
            kind="corners_few",
        )
    slack = OUTSIDE * max(width, height)
    bad = np.flatnonzero(~((seen >= -slack) & (seen <= np.array([width, height]) + slack)).all(axis=1))
    if len(bad):
        column, row = seen[bad[0]]
        raise InvalidInput(
            f"corner {bad[0] + 1} is at column {column:g}, row {row:g}, outside the picture, which has {width} columns and "
            f"{height} rows; are the pixels those of this picture, in this size?",
            kind="corners_wrong",
        )
    apart = np.linalg.norm(seen[:, None] - seen, axis=2) + np.where(np.eye(len(seen)), np.inf, 0)
    if apart.min() < 1.0:
        first, second = sorted(np.unravel_index(int(apart.argmin()), apart.shape))
        raise InvalidInput(
            f"corners {first + 1} and {second + 1} are at the same place; click each corner once", kind="corners_wrong"
        )
    return seen


def check_block(block: Vector) -> Vector:
    """Return length, width and height of a block [m], the longest first; raise where they cannot be."""
    sides = np.sort(np.asarray(block, np.float64))[::-1]
    if sides.shape != (3,) or not (np.isfinite(sides) & (sides > 0)).all():
        raise InvalidInput(f"the block is {block!r}; give its length, width and height in metres")
    return float(sides[0]), float(sides[1]), float(sides[2])


def find_candidates(shown: SeenPoints, prior: FocalPrior, block: Vector) -> list[Candidate]:
    """Find the labellings that fit nearly best, the best one first; `shown` has the same prior of the focal length."""
    longer, from_middle = max(shown.width, shown.height), shown.pixels - shown.middle
    labellings = list_labellings(from_middle, block)
    fits = fit_batch(labellings.places, from_middle, USUAL * longer, shown.focals)
    distance = np.linalg.norm(fits.eye, axis=1, keepdims=True)
    before = (fits.eye < EDGE_ON * distance).all(axis=1)  # the three faces of the inner corner are seen, not their backs
    square = np.where(before, fits.error**2, np.inf)
    near = np.flatnonzero(square < square.min() + NEARLY * (1 + ALIKE * shown.noise**2))
    found = []
    for row in near[np.argsort(square[near], kind="stable")][:TRIED].tolist():
        laid = lay_down(labellings, fits, row)
        if laid is not None:
            fit = fit_camera(shown._replace(places=laid.places), np.ones(len(from_middle), bool), laid.pose, laid.focal)
            if fit.possible and fit.pose.eye[2] > 0:
                strain = (math.log(fit.focal / prior.focal) / prior.sd) ** 2
                found.append(Candidate(laid, fit, strain))
    if not found:
        raise InvalidInput(
            "no camera sees the corners of such a block there: was every corner of one block clicked once, and is the picture "
            f"upright? Of a block of {describe_size(block)} six or seven corners can be seen",
            kind="corners_wrong",
        )
    return sorted(found, key=lambda candidate: candidate.measure_misfit(shown.noise))


def lay_down(labellings: Labellings, fits: BatchFit, row: int) -> LaidBlock | None:
    """Lay the block of a labelling on the floor: of the faces that are seen, the one that looks up in the picture is on top.

    None: the picture would have to be turned.
    """
    turned, sides = fits.rotation[row], labellings.sides[row]
    down = int(np.argmax(turned[1]))  # the edge of the inner corner that leads down in the picture
    roll = math.atan2(-turned[0, down], turned[1, down])
    if abs(roll) > ROLL_MAX:
        return None
    first, second = (axis for axis in range(3) if axis != down)
    along = first if sides[first] >= sides[second] else second
    x, z = np.eye(3)[along], -np.eye(3)[down]
    foot = np.where(np.arange(3) == down, sides, sides / 2)
    if np.cross(z, x) @ (fits.eye[row] - foot) > 0:  # y leads away from the camera
        x = -x
    axes = np.stack([x, np.cross(z, x), z])
    places = (STEPS[labellings.corner[row]] * sides - foot) @ axes.T
    return LaidBlock(
        places=places, sides=np.abs(axes @ sides), pose=Pose(turned @ axes.T, axes @ (fits.eye[row] - foot)),
        focal=float(fits.focal[row]), roll=roll, upright=int(np.argmin(np.abs(np.sort(sides) - sides[down]))),
    )  # fmt: skip


def is_same(one: Candidate, other: Candidate) -> bool:
    """Return whether two labellings tell almost one camera, such as those of a block that is nearly square."""
    away = np.linalg.norm(one.fit.pose.eye - other.fit.pose.eye) / measure_distance(one)
    return bool(away < SAME_CAMERA and abs(math.log(one.fit.focal / other.fit.focal)) < SAME_CAMERA)


def measure_distance(candidate: Candidate) -> float:
    """Measure how far the camera is from the block [m]."""
    return float(np.linalg.norm(candidate.fit.pose.eye))


def make_solved(best: Candidate, shown: SeenPoints, prior: FocalPrior | None) -> Solved:
    """Make the solved camera; raise when the focal length stays open."""
    fit, count = best.fit, len(shown.pixels)
    freedom = 2 * count - len(fit.covariance)
    noise = math.sqrt((CLICK_WEIGHT * shown.noise**2 + best.square) / (CLICK_WEIGHT + freedom))
    deviation = noise * np.sqrt(np.diag(fit.covariance))
    focal_sd = measure_focal_sd(shown._replace(places=best.block.places), fit, noise, float(deviation[6]))
    if focal_sd > FOCAL_SD_MAX:
        raise InvalidInput(
            f"the focal length cannot be determined from these corners: it is uncertain by {focal_sd:.0%}, because the block is "
            f"small in the picture and its sides look parallel; {ADVICE}",
            kind="corners_small",
        )
    try:
        lens = Lens(focal=fit.focal, width=shown.width, height=shown.height)
        camera = build_camera(fit.pose, lens)
    except InvalidConfig as problem:
        raise InvalidInput(f"the camera that sees these corners there cannot be: {problem}", kind="corners_wrong") from problem
    eye_sd = float(np.linalg.norm(deviation[3:6])) * max(1.0, focal_sd / float(deviation[6]))
    known = "" if prior is None else f", and {prior.source}"
    return Solved(
        camera=camera, lens=lens, reprojection_error=math.sqrt(best.square / count), eye_sd=eye_sd, focal_sd=focal_sd,
        used=tuple(range(count)), warnings=tuple(warn_of_block(best, focal_sd)),
        source=f"{count} corners of a block that {LIES[best.block.upright]}{known}",
    )  # fmt: skip


def measure_focal_sd(shown: SeenPoints, fit: Fit, noise: float, linear: float) -> float:
    """Measure the root mean square error of the log of a focal length over all that clicks and prior allow.

    `linear` is what the derivatives say at the best fit. Long focal lengths look alike, so that they remain possible farther
    from it than short ones. So many are tried, each with the pose that fits it best.
    """
    if linear < LINEAR or shown.prior is None:
        return linear
    kept, misfit = np.ones(len(shown.pixels), bool), []
    low, high = (math.log(focal / fit.focal) for focal in shown.focals)
    steps = np.linspace(max(low, -FARTHEST * linear), min(high, FARTHEST * linear), FOCALS_TRIED)
    pose = fit.pose
    for step in steps:
        focal = fit.focal * math.exp(step)
        lens = Lens(focal=focal, width=shown.width, height=shown.height)
        tried = fit_camera(shown._replace(lens=lens), kept, pose, focal)
        pose = tried.pose
        strain = (math.log(focal / shown.prior.focal) / shown.prior.sd) ** 2
        misfit.append(float((tried.error**2).sum()) / noise**2 + strain)
    weight = np.exp(-(np.array(misfit) - min(misfit)) / 2)
    return max(linear, math.sqrt(float((weight * steps**2).sum() / weight.sum())))


def warn_of_block(best: Candidate, focal_sd: float) -> Iterator[str]:
    """Warn of what makes the camera unsure."""
    if best.block.upright == STANDING:
        yield f"the clicked block is taken to be one that {LIES[STANDING]}; if it lies, the picture is not upright"
    if focal_sd > FOCAL_SD_SURE:
        yield (
            f"the focal length is known only within {math.expm1(RANGE * focal_sd):.0%} (nine in ten), so places far from the "
            "clicked block are unsure"
        )


def describe_size(block: Vector) -> str:
    """Describe the size of a block: 75 x 25 x 15 mm."""
    return " x ".join(f"{metres_to_millimetres(side):g}" for side in block) + " mm"
