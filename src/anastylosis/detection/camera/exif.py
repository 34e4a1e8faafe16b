"""EXIF: the focal length that a camera wrote into its picture, as what is known before anything is measured.

It is rounded to millimetres, makers count it along the diagonal or along the longer side, and editors that crop a picture
leave it as it was. So it is believed within a few percent, only while the picture has the shape that the camera
wrote, and only as long as what is measured does not contradict it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from numpy.typing import ArrayLike

from anastylosis.arrays import Vector
from anastylosis.detection.camera.block_corners import solve_corners
from anastylosis.detection.camera.fit import FocalPrior
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.pose import Solved, solve_camera
from anastylosis.errors import InvalidInput
from anastylosis.models import read_exif_numbers

FOCAL_35, FOCAL_MM = 0xA405, 0x920A  # tags: millimetres on film of 36 x 24 mm; millimetres of the lens
PLANE_X, PLANE_UNIT = 0xA20E, 0xA210  # pixels a unit of the sensor, and the unit
WIDTH, HEIGHT = 0xA002, 0xA003  # pixels, as the camera wrote them
UNITS = {2: 25.4, 3: 10.0, 4: 1.0, 5: 1e-3}  # [mm]
DIAGONAL = math.hypot(36.0, 24.0)  # [mm] of film
FOCAL_SD = 0.06  # of the log: rounding of 26 mm is 2 %, diagonal or longer side 4 % in a picture of 4:3
SHAPE = 0.01  # share by which sides may differ in shape from those that the camera wrote
CONTRADICTION = 0.15  # share by which a solved focal length may differ from that of EXIF
SURE = 3.0  # deviations of the solved focal length that it has to differ by, too: EXIF is right more often than clicks
SHORTEST, LONGEST = 0.3, 20.0  # of the longer side: others are typing errors


def read_focal(path: Path, width: int, height: int) -> FocalPrior | None:
    """Read the focal length of a picture with these sides [pixels], in any order; None: it is not told, or not believed."""
    tags = read_exif_numbers(path)
    longer, shorter = max(width, height), min(width, height)
    wrote = sorted((tags.get(WIDTH, 0.0), tags.get(HEIGHT, 0.0)))
    if wrote[0] > 0 and abs(wrote[1] / wrote[0] / (longer / shorter) - 1) > SHAPE:
        return None  # cropped
    focal, source = 0.0, ""
    if tags.get(FOCAL_35, 0.0) > 0:
        focal = tags[FOCAL_35] / DIAGONAL * math.hypot(width, height)
        source = f"EXIF: {tags[FOCAL_35]:g} mm on 35 mm film"
    elif tags.get(FOCAL_MM, 0.0) > 0 and tags.get(PLANE_X, 0.0) > 0 and wrote[1] > 0:
        unit = UNITS.get(int(tags.get(PLANE_UNIT, 2)), 0.0)
        focal = tags[FOCAL_MM] / unit * tags[PLANE_X] * longer / wrote[1] if unit else 0.0
        source = f"EXIF: {tags[FOCAL_MM]:g} mm"
    return FocalPrior(focal, FOCAL_SD, source) if SHORTEST * longer < focal < LONGEST * longer else None


def solve_with_points(
    places: ArrayLike, pixels: ArrayLike, width: int, height: int, known: FocalPrior | None, names: Sequence[str] | None = None
) -> Solved:
    """Solve a camera from points; where they leave the focal length open, take it from EXIF."""
    try:
        solved = solve_camera(places, pixels, width, height, names=names)
    except InvalidInput as problem:
        if known is None or problem.kind != "points_steep":
            raise
        solved = solve_camera(
            places, pixels, width, height, lens=Lens(focal=known.focal, width=width, height=height), names=names
        )
        warning = f"the points do not determine the focal length; it is taken from {known.source}, and mostly right within 10 %"
        return replace(solved, focal_sd=known.sd, source=f"{solved.source}, and {known.source}", warnings=(warning,))
    return replace(solved, warnings=tuple(find_contradiction(solved, known)))


def solve_with_corners(pixels: ArrayLike, block: Vector, width: int, height: int, known: FocalPrior | None) -> Solved:
    """Solve a camera from the corners of a block and EXIF; where EXIF contradicts the corners, from these alone."""
    try:
        alone = solve_corners(pixels, block, width, height)
    except InvalidInput as problem:
        if known is None or problem.kind not in ("corners_small", "corners_unclear"):
            raise
    else:
        contradiction = tuple(find_contradiction(alone, known))
        if known is None or contradiction:
            return replace(alone, warnings=(*alone.warnings, *contradiction))
    return solve_corners(pixels, block, width, height, prior=known)


def find_contradiction(solved: Solved, known: FocalPrior | None) -> Iterator[str]:
    """Yield a warning where the solved focal length is another than that of EXIF, by more than both may be wrong."""
    if known is None or solved.focal_sd is None:
        return
    apart = math.log(solved.lens.focal / known.focal)
    if abs(apart) > max(math.log1p(CONTRADICTION), SURE * solved.focal_sd):
        yield (
            f"EXIF and what is seen contradict each other: a focal length of {known.focal:.0f} pixels ({known.source}), "
            f"and one of {solved.lens.focal:.0f}, which is believed. Was the picture cropped? Is every size right?"
        )
