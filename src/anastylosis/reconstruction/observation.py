"""Observation: the evidence of a reconstruction. Blocks that were measured, or photographs and the cameras that took them.

Blocks that cannot be where they are said to be are flaws, and are left out.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anastylosis.arrays import Integers, Pixels, Vector
from anastylosis.detection import (
    POINTS_MIN,
    BlockDetector,
    Photo,
    Points,
    Solved,
    find_camera,
    make_ground,
    read_photograph,
    read_stored_camera,
    solve_from_corners,
    solve_from_points,
    straighten_photo,
)
from anastylosis.errors import InvalidInput
from anastylosis.geometry import Boxes, measure_gaps
from anastylosis.rendering import Camera
from anastylosis.structure import BLOCK_SIZE
from anastylosis.survey import Ground, Survey, check_survey, read_survey
from anastylosis.text_file import locate_errors

APART_MAX = 0.02  # of the picture, between places as two cameras show them that are one
OVERLAP_MAX = 0.5  # of the height of a block: blocks further in each other than this are no measurement error
HEAP_MAX = 500.0  # [m] from the foot of the structure: what lies further away is in no picture of the heap
GAP_MAX = 1.0  # of its length: no block that was not found bears one higher than this above the ground or all others

BlockCorner = tuple[float, float]  # column, row in the picture [pixels]
FloorPoint = tuple[float, float, float, float]  # x, y on the floor [m]; column, row in the picture [pixels]
PictureSource = Path | Pixels


@dataclass(frozen=True, kw_only=True)
class SurveyFile:
    """A survey on disk, and how it is read; the options are those of `read_survey`."""

    path: Path
    units: str | None = None
    origin: tuple[float, float, float] | None = None
    heading: float | None = None
    position_sd: float = 0.0
    orientation_sd: float = 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Photographs:
    """Pictures of one heap, and what tells their cameras.

    Without camera files, points or corners, each picture says its camera itself, or shows the printed target.
    """

    pictures: Sequence[PictureSource]
    camera_files: Sequence[Path] = ()
    points_files: Sequence[Path] = ()
    corners_files: Sequence[Path] = ()
    floor_points: Sequence[FloorPoint] = ()  # of the only picture
    block_corners: Sequence[BlockCorner] = ()  # of the only picture
    block: Vector | None = None  # size of the blocks, one of which the corners are of [m]; None: that of the paper
    origin: tuple[float, float] = (0.0, 0.0)  # of the tower's foot, in the frame of the target, the block or the files [m]
    heading: float | None = None  # of the bottom blocks, in the same frame [rad]; None: 0, which is said where it matters

    @property
    def ground(self) -> Ground:
        """Return the frame of the tower."""
        return make_ground(self.origin, self.heading or 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Observation:
    """A survey, or photographs in which blocks are still to be detected: the start of a reconstruction."""

    survey: Survey | None = None
    photos: tuple[Photo, ...] = ()
    block: Vector | None = None  # size of the blocks in them [m]; None: that which the detector was trained with
    cameras: tuple[Solved, ...] = ()  # of the photos
    ground: Ground | None = None  # where the tower stood, in the coordinates of the site; None: the survey has it
    name: str | None = None  # of the file, without its ending: episodes are looked up by it
    files: tuple[Path, ...] = ()  # pictures, or a survey
    camera_files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()

    def detect(self, detector: BlockDetector) -> Survey:
        """Detect blocks in the photographs."""
        return detector.survey(self.photos, block=self.block, ground=self.ground)


Source = SurveyFile | Photographs | Survey | Observation


def observe(source: Source) -> Observation:
    """Read a survey, or read photographs and find out where each was taken from."""
    if isinstance(source, Observation):
        return source
    if isinstance(source, Survey):
        check_heap(source)
        return Observation(survey=source)
    if isinstance(source, SurveyFile):
        reading = {name: value for name, value in vars(source).items() if name != "path"}
        survey = read_survey(source.path, **reading)
        with locate_errors(str(source.path)):
            check_heap(survey)
        return Observation(survey=survey, name=source.path.stem, files=(source.path,))
    return observe_photographs(source)


def check_heap(survey: Survey) -> None:
    """Raise where a block reaches further from the foot than a heap does. Work that takes long would end in a worse message."""
    reach = np.linalg.norm(survey.position, axis=1) + np.linalg.norm(survey.size, axis=1) / 2
    row = int(reach.argmax())
    if reach[row] > HEAP_MAX:
        raise InvalidInput(
            f"{survey.ids[row]} reaches {reach[row]:,.0f} m from the foot of the structure, and a heap at most {HEAP_MAX:,.0f} "
            "m; look at its size and its place, and at --origin, or leave the block out",
            kind="survey_far",
        )


def observe_photographs(source: Photographs) -> Observation:
    """Straighten photographs by the lenses of their cameras."""
    cameras = find_cameras(source)
    files = tuple(picture for picture in source.pictures if isinstance(picture, Path))
    return Observation(
        photos=tuple(straighten_photo(image, solved) for image, solved in zip(source.pictures, cameras, strict=True)),
        cameras=cameras,
        ground=source.ground,
        name=files[0].stem if files else None,
        files=files,
        block=source.block,
        camera_files=(*source.camera_files, *source.points_files, *source.corners_files),
        warnings=(*warn_of_other_cameras(source, cameras), *warn_of_heading(source, cameras), *warn_of_cameras(source, cameras)),
    )


def find_cameras(source: Photographs) -> tuple[Solved, ...]:
    """Find the camera of each picture, in the tower's frame. Errors name the picture."""
    for kind, files in (
        ("camera", source.camera_files),
        ("points", source.points_files),
        ("corners", source.corners_files),
    ):
        if files and len(files) != len(source.pictures):
            pictures = f"{len(source.pictures)} picture{'s' * (len(source.pictures) != 1)}"
            raise InvalidInput(f"{pictures} and {len(files)} of the {kind} files: give one for each, in their order")
    found = []
    for number, picture in enumerate(source.pictures):
        try:
            found.append(find_one_camera(source, number))
        except InvalidInput as problem:
            if not isinstance(picture, Path) or str(picture) in str(problem):
                raise
            raise problem.reword(f"{picture}: {problem.what}") from problem
    return tuple(found)


def find_one_camera(source: Photographs, number: int) -> Solved:
    picture, block = source.pictures[number], source.block or BLOCK_SIZE
    if not source.floor_points and not source.block_corners:
        files = (source.camera_files, source.points_files, source.corners_files)
        camera, points, corners = (each[number] if each else None for each in files)
        return find_camera(
            picture, camera, points, origin=source.origin, heading=source.heading or 0.0, corners_file=corners, block=block
        )
    height, width = read_photograph(picture).shape[:2]
    if source.block_corners:
        return solve_from_corners(picture, source.block_corners, block, width, height, source.ground)
    if len(source.floor_points) < POINTS_MIN:
        raise InvalidInput(f"{len(source.floor_points)} points of the floor are given; {POINTS_MIN} or more tell the camera")
    rows = np.array(source.floor_points)
    return solve_from_points(picture, Points(rows[:, :2], rows[:, 2:], ()), width, height).move(source.ground)


def warn_of_heading(source: Photographs, cameras: Sequence[Solved]) -> Iterator[str]:
    """Warn where the heading was not told, and the frame is not that of the tower itself."""
    if source.heading is None and (any(solved.sheet for solved in cameras) or any(source.origin)):
        along = "the long side of the printed target" if any(solved.sheet for solved in cameras) else "the x axis"
        yield f"no heading was told, so 0 is taken: the bottom blocks along {along}; if they lay otherwise, tell it (--heading)"


def warn_of_cameras(source: Photographs, cameras: Sequence[Solved]) -> Iterator[str]:
    """Warn of cameras that are unsure or contradicted."""
    for picture, solved in zip(source.pictures, cameras, strict=True):
        for warning in solved.warnings:
            yield f"{picture}: {warning}" if isinstance(picture, Path) else warning


def warn_of_other_cameras(source: Photographs, cameras: Sequence[Solved]) -> Iterator[str]:
    """Warn of drawn pictures whose own camera differs from the camera file, which is used instead."""
    for picture, file, solved in zip(
        source.pictures, source.camera_files or source.points_files or source.corners_files, cameras, strict=False
    ):
        try:
            stored = read_stored_camera(picture)
        except InvalidInput:  # what it says is not asked for
            continue
        if stored is not None and measure_gap(stored.camera, solved.camera) > APART_MAX:
            yield f"{picture}: it tells another camera than {file}, which is believed; leave it out if the picture is right"


def measure_gap(one: Camera, other: Camera) -> float:
    """Measure how far apart two cameras show places around the tower, as a share of the picture's height."""
    places = np.array([(x, y, 0.0) for x in (-0.3, 0.3) for y in (-0.3, 0.3)])
    pixels = [camera.project(places)[0] / camera.height for camera in (one, other)]
    return float(np.linalg.norm(pixels[0] - pixels[1], axis=1).max())


def find_flaws(survey: Survey, *, complete: bool = False, block: Vector = BLOCK_SIZE) -> dict[int, str]:
    """Find rows of blocks to leave out, and why; `block`: the size of the tower's blocks [m].

    Blocks that overlap by more than half of their height: those with the most overlaps go first, then the later rows. A block in
    the air goes if no single block that was not found could bear it, or if every block was found. Shallower overlaps are
    measurement errors: they are warned of, and the blocks are kept.
    """
    flaws: dict[int, str] = {}
    pairs = []
    boxes = Boxes(survey.size, survey.position, survey.orientation)
    for finding in check_survey(survey):
        if finding.kind == "overlap" and len(finding.rows) == 2:
            one, other = (boxes.take(np.array([row])) for row in finding.rows)
            if -float(measure_gaps(one, other)[0]) > OVERLAP_MAX * block[2]:
                pairs.append(finding.rows)
        elif finding.kind == "floating":
            (row,) = finding.rows
            if complete or height_above(boxes, row) > GAP_MAX * block[0]:
                flaws[row] = "it is in the air, and nothing is under it"
    while pairs:
        counted = Counter(row for pair in pairs for row in pair)
        worst = max(counted, key=lambda row: (counted[row], row))
        flaws[worst] = "it is said to be where another block is"
        pairs = [pair for pair in pairs if worst not in pair]
    return flaws


def select_sound(survey: Survey, flaws: Container[int]) -> Integers:
    """Return the rows (A,) of blocks without a flaw. Raises where there are none."""
    rows = np.array([row for row in range(len(survey)) if row not in flaws], np.int64)
    if not len(rows):
        raise InvalidInput(
            "no block of the survey can be where it is said to be; look at sizes, units and places", kind="blocks_nowhere"
        )
    return rows


def height_above(boxes: Boxes, row: int) -> float:
    """Measure how far the underside of a block is above the ground, or above the highest lower block around it [m]."""
    underside = float(boxes.measure_underside()[row])
    reach = float(boxes.size[row].max())
    near = np.linalg.norm(boxes.position[:, :2] - boxes.position[row, :2], axis=1) < reach
    lower = near & (boxes.position[:, 2] < boxes.position[row, 2])
    tops = 2 * boxes.position[lower, 2] - boxes.measure_underside()[lower]
    return underside - max(0.0, float(tops.max(initial=0.0)))
