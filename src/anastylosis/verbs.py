"""Verbs of the front door: what the commands do, from Python. `import anastylosis` gives them all."""

import math
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.arrays import Pixels, Vector
from anastylosis.assignment import Assignment
from anastylosis.dataset import Dataset, Plan, generate, list_levels
from anastylosis.detection import Photo
from anastylosis.errors import InvalidInput
from anastylosis.executors import open_pool, run_pool, run_serial
from anastylosis.kernel_cache import compile_kernels
from anastylosis.models import Prediction, Predictor
from anastylosis.number import is_number
from anastylosis.progress import Progress, no_progress
from anastylosis.reconstruction import (
    Friction,
    Knowledge,
    Photographs,
    Reconstruction,
    ReconstructionConfig,
    Source,
    SurveyFile,
    Toolset,
    observe,
    run_pipeline,
)
from anastylosis.survey import SURVEY_ENDINGS, Survey
from anastylosis.units import metres_to_millimetres

PathLike = str | Path
PictureInput = PathLike | Pixels


def reconstruct(
    input: PictureInput | Survey | Sequence[PictureInput],
    *,
    layers: int | None = None,
    friction: str | float | tuple[float, float] | None = None,
    complete: bool = False,
    hypotheses: int = 32,
    seed: int = 0,
    camera: PathLike | Sequence[PathLike] | None = None,
    points: PathLike | Sequence[PathLike] | None = None,
    corners: PathLike | Sequence[PathLike] | None = None,
    origin: Sequence[float] | None = None,
    heading: float | None = None,
    units: str | None = None,
    error: tuple[float, float] | None = None,
    block: Vector | None = None,
    fit_frame: bool | None = None,
    lookup: bool = True,
    model: PathLike | None = None,
    models: PathLike | None = None,
    library: PathLike | None = None,
    workers: int = 1,
    progress: Progress = no_progress,
) -> Reconstruction:
    """Reconstruct how a fallen tower stood, in ranked proposals that physics has replayed.

    Args:
        input: a picture or several of one heap (files or RGB arrays), a survey file (.csv, .json), or a `Survey`.
        layers: height of the tower before the fall; inferred where it is not known.
        friction: `low`, `nominal`, `high`, a coefficient, or a range such as (0.3, 0.5); inferred where it is not known.
        complete: every block was found, so slots without one were empty before the fall.
        hypotheses: number of proposals to re-simulate; 0 gives the most probable one alone, without physics.
        seed: random seed; the same seed gives the same answer.
        camera: camera file of each picture.
        points: instead of `camera`, a file of points of the floor and their pixels, for each picture.
        corners: instead of `camera`, a file of the corners of one block on the floor, for each picture.
        origin: middle of the tower's foot in the frame of the survey, the target, the clicked block or the camera files [m].
        heading: direction of the bottom blocks in that frame [rad].
        units: unit of lengths in a survey file, m, cm or mm (default: as the file declares).
        error: standard deviations [m], [rad] for blocks that have none in a survey file.
        block: length, width and height of the blocks [m] (default: the usual size of the surveyed ones; in pictures, that of
            the paper).
        fit_frame: where the blocks contradict origin or heading, believe the blocks (True) or what is given (False).
        lookup: look the episode of the input's name up in the library.
        model: assignment net (default: the one that ships).
        models: folder with the detector's nets and their assignment net (default: those that ship).
        library: library or dataset of falls to retrieve from (default: the library that ships).
        workers: processes. With more than one, a script needs `if __name__ == "__main__":` around its own work.
        progress: called with the name of the work, how much is done, and how much there is.
    """
    source = choose_source(input, camera, points, origin, heading, units, error, corners, block)
    given = Friction(*friction) if isinstance(friction, tuple) else friction
    options = {
        "layers": layers, "friction": list(friction) if isinstance(friction, tuple) else friction, "complete": complete,
        "lookup": lookup, "units": units, "error": None if error is None else write_error(error),
        "origin": None if origin is None else ",".join(f"{value:g}" for value in origin),
        "heading": None if heading is None else math.degrees(heading),
        "block": None if block is None else ",".join(f"{metres_to_millimetres(side):g}" for side in block),
        "fit_frame": fit_frame, "hypotheses": hypotheses, "seed": seed,
    }  # fmt: skip
    with open_pool(workers) as execute:
        compile_kernels(execute)
        return run_pipeline(
            source,
            Knowledge(layers=layers, friction=given, complete=complete, block=block, fit_frame=fit_frame),
            ReconstructionConfig(hypotheses=hypotheses, seed=seed, lookup=lookup),
            Toolset(model=as_path(model), models=as_path(models), library=as_path(library)),
            options=options,
            execute=execute,
            progress=progress,
        )


def detect_blocks(
    pictures: PictureInput | Sequence[PictureInput],
    *,
    camera: PathLike | Sequence[PathLike] | None = None,
    points: PathLike | Sequence[PathLike] | None = None,
    corners: PathLike | Sequence[PathLike] | None = None,
    origin: Sequence[float] | None = None,
    heading: float | None = None,
    block: Vector | None = None,
    models: PathLike | None = None,
) -> Survey:
    """Detect the blocks in pictures of one heap, those that still stand and those that fell.

    The arguments are those of `reconstruct`. Each block has a probability and an error; `write_survey` writes them.
    """
    source = choose_source(pictures, camera, points, origin, heading, corners=corners, block=block)
    if not isinstance(source, Photographs):
        raise InvalidInput("detect_blocks takes pictures; assign and reconstruct take surveys")
    return observe(source).detect(Toolset(models=as_path(models)).open_detector())


def read_photo(
    picture: PictureInput,
    *,
    camera: PathLike | None = None,
    points: PathLike | None = None,
    corners: PathLike | None = None,
    block: Vector | None = None,
    origin: Sequence[float] | None = None,
    heading: float | None = None,
) -> Photo:
    """Read a photograph, straightened, with the camera that took it. The arguments are those of `reconstruct`."""
    source = choose_source([picture], camera, points, origin, heading, corners=corners, block=block)
    return observe(source).photos[0]


def predict(picture: Any, *, friction: str | float | None = None, layers: int | None = None) -> Prediction:
    """Predict from one picture of debris with the paper's network: how many blocks were gone, which, and how near the fall was.

    `picture`: a file, a Pillow image or an array. `friction`, `layers`: as of `reconstruct`. If the picture is unlike those that
    the network has learned from, `unlike` is true, and the first of the `warnings` says so.
    """
    return Predictor.from_file().predict(picture, friction, layers)


def assign(
    survey: Survey | PathLike,
    *,
    layers: int | None = None,
    friction: str | float | None = None,
    complete: bool = False,
    block: Vector | None = None,
    fit_frame: bool | None = None,
    model: PathLike | None = None,
) -> Assignment:
    """Find where each block of a survey stood, with probabilities, and what was missing; without physics, in a second.

    The arguments are those of `reconstruct`; `friction` is a level or one coefficient.
    """
    read = observe(survey if isinstance(survey, Survey) else SurveyFile(path=Path(survey))).survey
    assert read is not None
    assigner = Toolset(model=as_path(model)).open_assigner(read)
    return assigner.assign(read, layers, friction, complete=complete, block=block, fit_frame=fit_frame)


def simulate(
    folder: PathLike,
    *,
    preset: str = "default",
    episodes: int | None = None,
    layers: int | None = None,
    friction: str | float | None = None,
    policy: str | None = None,
    rule: str | None = None,
    vary: bool = False,
    solver: str = "ours",
    seed: int = 0,
    split: Sequence[str] = (),
    workers: int = 1,
    progress: Progress = no_progress,
) -> Dataset:
    """Play episodes, keep them in a dataset, and open it. Finished episodes are not played again.

    The arguments are the options of `anastylosis simulate`. `workers`: as of `reconstruct`.
    """
    levels = list_levels(
        preset,
        episodes,
        layers=layers,
        friction=None if friction is None else str(friction),
        policy=policy,
        rule=rule,
        vary=vary,
        solver=solver,
    )
    execute = run_serial if workers == 1 else partial(run_pool, workers=workers)
    with closing(generate(folder, Plan(levels=levels, seed=seed, splits=tuple(split)), execute)) as made:
        for done in made:
            progress("episodes", done.kept + done.played, done.total)
    return Dataset(folder)


def open_dataset(folder: PathLike) -> Dataset:
    """Open a dataset that `simulate` has written."""
    return Dataset(folder)


def choose_source(
    given: PictureInput | Survey | Sequence[PictureInput],
    camera: PathLike | Sequence[PathLike] | None,
    points: PathLike | Sequence[PathLike] | None,
    origin: Sequence[float] | None,
    heading: float | None,
    units: str | None = None,
    error: tuple[float, float] | None = None,
    corners: PathLike | Sequence[PathLike] | None = None,
    block: Vector | None = None,
) -> Source:
    """Choose how an input is read."""
    survey = isinstance(given, Survey) or (isinstance(given, str | Path) and Path(given).suffix.lower() in SURVEY_ENDINGS)
    if survey and (camera is not None or points is not None or corners is not None):
        raise InvalidInput("camera, points and corners are for pictures; this is a survey")
    if (units is not None or error is not None) and (isinstance(given, Survey) or not survey):
        raise InvalidInput("units and error are for survey files; a Survey has its own, and those of pictures are estimated")
    if isinstance(given, Survey):
        if origin is not None or heading is not None:
            raise InvalidInput("origin and heading are for files; read_survey takes them for a survey")
        return given
    if origin is not None and (not isinstance(origin, Sequence | np.ndarray) or len(origin) not in (2, 3)):
        raise InvalidInput(f"origin is {origin!r}; give x and y in metres, and z for a survey")
    if heading is not None and not abs(heading) <= 2 * math.pi:
        raise InvalidInput(f"heading is {heading:g}; in Python it is in radians, math.radians(12) for 12 degrees")
    if isinstance(given, str | Path) and Path(given).suffix.lower() in SURVEY_ENDINGS:
        place = None if origin is None else (origin[0], origin[1], origin[2] if len(origin) > 2 else 0.0)
        position_sd, orientation_sd = check_error(error)
        return SurveyFile(
            path=Path(given), units=units, origin=place, heading=heading, position_sd=position_sd, orientation_sd=orientation_sd
        )
    pictures = [given] if isinstance(given, str | Path | np.ndarray) else given
    if not isinstance(pictures, Sequence) or not all(isinstance(each, str | Path | np.ndarray) for each in pictures):
        raise InvalidInput(f"input is {given!r:.60}; give a file, an array, several of them, or a Survey")
    x, y = (0.0, 0.0) if origin is None else origin[:2]
    return Photographs(
        pictures=[picture if isinstance(picture, np.ndarray) else Path(picture) for picture in pictures],
        camera_files=list_paths(camera),
        points_files=list_paths(points),
        corners_files=list_paths(corners),
        block=block,
        origin=(float(x), float(y)),
        heading=heading,
    )


def check_error(error: tuple[float, float] | None) -> tuple[float, float]:
    """Return the standard deviations [m], [rad] that blocks have when their file tells none."""
    if error is None:
        return 0.0, 0.0
    if not isinstance(error, Sequence) or len(error) != 2 or not all(is_number(each) and 0 <= each < math.inf for each in error):
        raise InvalidInput(f"error is {error!r}; give two standard deviations, in metres and in radians, such as (0.005, 0.09)")
    return float(error[0]), float(error[1])


def write_error(error: tuple[float, float]) -> str:
    """Write standard deviations as the command takes them, in millimetres and degrees."""
    return f"{metres_to_millimetres(error[0]):g},{math.degrees(error[1]):g}"


def list_paths(given: PathLike | Sequence[PathLike] | None) -> list[Path]:
    if given is None:
        return []
    return [Path(given)] if isinstance(given, str | Path) else [Path(each) for each in given]


def as_path(given: PathLike | None) -> Path | None:
    return None if given is None else Path(given)
