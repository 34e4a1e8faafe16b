"""Observation: the evidence of a reconstruction. Blocks that were measured, or photographs and the cameras that took them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anastylosis.arrays import Pixels
from anastylosis.detection import (
    POINTS_MIN,
    BlockDetector,
    Photo,
    Solved,
    find_camera,
    make_ground,
    read_photograph,
    read_stored_camera,
    solve_camera,
    straighten_photo,
)
from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera
from anastylosis.survey import Ground, Survey, read_survey

APART_MAX = 0.02  # of the picture, between places as two cameras show them that are one

FloorPoint = tuple[float, float, float, float]  # x, y on the floor [m]; column, row in the picture [pixels]
Picture = Path | Pixels


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

    Without camera files or points, each picture says its camera itself, or shows the printed target.
    """

    pictures: Sequence[Picture]
    camera_files: Sequence[Path] = ()
    points_files: Sequence[Path] = ()
    floor_points: Sequence[FloorPoint] = ()  # of the only picture
    origin: tuple[float, float] = (0.0, 0.0)  # of the tower's foot, in the frame of the target or the files [m]
    heading: float = 0.0  # of the bottom blocks, in the same frame [rad]


@dataclass(frozen=True, kw_only=True, eq=False)
class Observation:
    """A survey, or photographs in which blocks are still to be detected: the start of a reconstruction."""

    survey: Survey | None = None
    photos: tuple[Photo, ...] = ()
    cameras: tuple[Solved, ...] = ()  # of the photos
    ground: Ground | None = None  # where the tower stood, in the coordinates of the site; None: the survey has it
    name: str | None = None  # of the file, without its ending: episodes are looked up by it
    files: tuple[Path, ...] = ()  # pictures, or a survey
    camera_files: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()

    def detect(self, detector: BlockDetector) -> Survey:
        """Detect blocks in the photographs."""
        return detector.survey(self.photos, ground=self.ground)


Source = SurveyFile | Photographs | Survey | Observation


def observe(source: Source) -> Observation:
    """Read a survey, or read photographs and find out where each was taken from."""
    if isinstance(source, Observation):
        return source
    if isinstance(source, Survey):
        return Observation(survey=source)
    if isinstance(source, SurveyFile):
        reading = {name: value for name, value in vars(source).items() if name != "path"}
        return Observation(survey=read_survey(source.path, **reading), name=source.path.stem, files=(source.path,))
    return observe_photographs(source)


def observe_photographs(source: Photographs) -> Observation:
    """Straighten photographs by the lenses of their cameras."""
    cameras = find_cameras(source)
    files = tuple(picture for picture in source.pictures if isinstance(picture, Path))
    return Observation(
        photos=tuple(straighten_photo(image, solved) for image, solved in zip(source.pictures, cameras, strict=True)),
        cameras=cameras,
        ground=make_ground(source.origin, source.heading),
        name=files[0].stem if files else None,
        files=files,
        camera_files=(*source.camera_files, *source.points_files),
        warnings=tuple(warn_of_other_cameras(source, cameras)),
    )


def find_cameras(source: Photographs) -> tuple[Solved, ...]:
    """Find the camera of each picture, in the tower's frame. Errors name the picture."""
    for kind, files in (("camera", source.camera_files), ("points", source.points_files)):
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
    picture = source.pictures[number]
    if not source.floor_points:
        camera, points = (each[number] if each else None for each in (source.camera_files, source.points_files))
        return find_camera(picture, camera, points, origin=source.origin, heading=source.heading)
    if len(source.floor_points) < POINTS_MIN:
        raise InvalidInput(f"{len(source.floor_points)} points of the floor are given; {POINTS_MIN} or more tell the camera")
    rows = np.array(source.floor_points)
    height, width = read_photograph(picture).shape[:2]
    return solve_camera(rows[:, :2], rows[:, 2:], width, height).move(make_ground(source.origin, source.heading))


def warn_of_other_cameras(source: Photographs, cameras: Sequence[Solved]) -> Iterator[str]:
    """Warn of drawn pictures whose own camera differs from the camera file, which is used instead."""
    for picture, file, solved in zip(source.pictures, source.camera_files or source.points_files, cameras, strict=False):
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
