"""`anastylosis survey`: find the blocks in pictures of debris."""

import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anastylosis.cli.new_file import Force, check_new_file
from anastylosis.cli.photographs import Cameras, Corners, DetectorFolder, Points, open_detector
from anastylosis.cli.surveys import Block, parse_block, print_survey_warnings
from anastylosis.cli.table import print_json
from anastylosis.cli.words import parse_numbers
from anastylosis.errors import InvalidInput
from anastylosis.units import metres_to_millimetres

if TYPE_CHECKING:
    from anastylosis.detection import Solved
    from anastylosis.survey import Ground, Survey


def survey_command(
    images: Annotated[list[Path], typer.Argument(metavar="IMAGE", help="One or more pictures of the same debris.")],
    out: Annotated[Path, typer.Option("--out", metavar="S.csv", help="The survey to write, .csv or .json; `assign` reads it.")],
    camera: Cameras = None,
    points: Points = None,
    corners: Corners = None,
    origin: Annotated[
        str,
        typer.Option(
            metavar="X,Y", help="Middle of the tower's foot [m] in the frame of the target, the clicked block or the files."
        ),
    ] = "0,0",
    heading: Annotated[
        float | None,
        typer.Option(
            metavar="DEGREES",
            help="Angle from the x axis of that frame to the length of the bottom blocks, counter-clockwise (default: 0).",
        ),
    ] = None,
    block: Block = None,
    overlay: Annotated[
        Path | None,
        typer.Option(metavar="O.png", help="Pictures with the blocks drawn on them (default: beside the survey)."),
    ] = None,
    models: DetectorFolder = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Find the blocks in pictures of one heap. Writes a survey that `assign` and `reconstruct` read.

    Finds blocks that stand and blocks that fell, each with a probability and an error. The camera of each picture must be
    known: by the printed target (`anastylosis target`), the corners of one block, points of the floor, or a camera file;
    pictures of `anastylosis render` contain their camera. Several pictures are counted together: two pictures from sides a
    quarter turn apart find more blocks than one picture.
    """
    from anastylosis.reconstruction import Photographs, observe
    from anastylosis.rendering import write_png
    from anastylosis.report import draw_survey
    from anastylosis.survey import write_survey

    place = parse_numbers("--origin", origin, "xy")
    overlay = overlay or out.with_name(f"{out.stem}-seen.png")
    check_targets([*images, *(camera or []), *(points or []), *(corners or [])], out, overlay)
    check_new_file(out, force)  # it may have been mended by hand
    seen = observe(
        Photographs(
            pictures=images, camera_files=camera or (), points_files=points or (), corners_files=corners or (),
            block=parse_block(block), origin=(place[0], place[1]), heading=None if heading is None else math.radians(heading),
        )
    )  # fmt: skip
    survey = seen.detect(open_detector(models))
    for path in (out, overlay):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_survey(out, survey)
    write_png(overlay, draw_survey(seen.photos, survey))
    show(images, seen.cameras, survey, seen.warnings, [out, overlay], as_json)


def check_targets(given: list[Path], out: Path, overlay: Path) -> None:
    """Raise when what is written would take the place of a file that is read, or cannot be written."""
    from anastylosis.survey import SURVEY_ENDINGS

    if out.suffix.lower() not in SURVEY_ENDINGS:
        raise InvalidInput(f"--out is {out}; a survey is a file that ends in {' or '.join(SURVEY_ENDINGS)}")
    if overlay.suffix.lower() != ".png":
        raise InvalidInput(f"--overlay is {overlay}; it is a picture that ends in .png")
    taken = {os.path.realpath(path) for path in given}
    for path in (out, overlay):
        if os.path.realpath(path) in taken:
            raise InvalidInput(f"{path} is read here, and would be written over; name another file with --out or --overlay")
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder; name a file")


def show(
    images: list[Path], cameras: "Sequence[Solved]", survey: "Survey", seen: Sequence[str], files: list[Path], as_json: bool
) -> None:
    """Print what was found; `seen`: warnings about the pictures."""
    from anastylosis.detection import REACH, STANDS
    from anastylosis.report import find_doubtful
    from anastylosis.survey import find_unsure

    warnings = [*seen, *(finding.message for finding in find_unsure(survey))]
    print_survey_warnings(images[0], survey, warnings)
    if as_json:
        pictures, blocks = describe(images, cameras, survey.ground), list_blocks(survey)
        paths = [str(file) for file in files]
        print_json({"files": paths, "pictures": pictures, "blocks": blocks, "warnings": warnings})
        return
    for picture in describe(images, cameras, survey.ground):
        error = picture["reprojection_error_px"]
        note = "" if error is None else f", points fit within {error:.2f} pixels"
        note += "" if picture["focal_length_sd"] is None else f", focal length within {picture['focal_length_sd']:.0%}"
        x, y, z = picture["eye_m"]
        print(
            f"{picture['image']}\n  camera        at {x:.2f}, {y:.2f}, {z:.2f} m, {picture['elevation_deg']:.0f} degrees up{note}"
        )
    standing = sum(note.startswith(STANDS) for note in survey.notes)
    print(f"  blocks        {len(survey)}: {standing} still stand, {len(survey) - standing} fell")
    doubtful, amiss = int(find_doubtful(survey).sum()), float((1 - survey.certainty).sum())
    print(f"  wrong         about {amiss:.0f} of these, by their certainties: not there, or not as described")
    if doubtful:
        print(f"  doubtful      {doubtful}, numbered in {files[1]}: to be checked")
    print(f"  looked at     the floor within {REACH:g} m of where the tower stood, the ring in the picture; beyond it, not all")
    place, turn = metres_to_millimetres(float(survey.position_sd.mean())), math.degrees(float(survey.orientation_sd.mean()))
    print(f"  errors        {place:.0f} mm along each axis and {turn:.0f} degrees on average, as it says itself")
    for file in files:
        print(f"{file} is written", file=sys.stderr)


def describe(images: list[Path], cameras: "Sequence[Solved]", ground: "Ground") -> list[dict[str, Any]]:
    """Describe where each picture was taken from, in the coordinates of the site."""
    import numpy as np

    unturned = np.array([1.0, 0.0, 0.0, 0.0])
    return [
        {
            "image": str(image),
            "eye_m": ground.to_site(np.array(solved.camera.eye), unturned)[0].round(4).tolist(),
            "elevation_deg": round(measure_elevation(solved.camera.eye), 1),
            "reprojection_error_px": solved.reprojection_error,
            "camera_from": solved.source,
            "eye_sd_m": solved.eye_sd,
            "focal_length_px": solved.lens.focal,
            "focal_length_sd": solved.focal_sd,
        }
        for image, solved in zip(images, cameras, strict=True)
    ]


def measure_elevation(eye: tuple[float, float, float]) -> float:
    """Measure how high the eye is above the floor, as seen from the foot of the tower [degrees]."""
    return math.degrees(math.atan2(eye[2], math.hypot(*eye[:2])))


def list_blocks(survey: "Survey") -> list[dict[str, Any]]:
    """List the blocks as in the file: in the coordinates of the site."""
    from anastylosis.detection import STANDS
    from anastylosis.report import find_doubtful

    doubtful = find_doubtful(survey)
    position, orientation = survey.ground.to_site(survey.position, survey.orientation)
    return [
        {
            "id": survey.ids[row],
            "position_m": position[row].round(5).tolist(),
            "orientation_wxyz": orientation[row].round(5).tolist(),
            "position_sd_mm": round(metres_to_millimetres(float(survey.position_sd[row])), 2),
            "orientation_sd_deg": round(math.degrees(float(survey.orientation_sd[row])), 2),
            "certainty": round(float(survey.certainty[row]), 4),
            "stands": survey.notes[row].startswith(STANDS),
            "doubtful": bool(doubtful[row]),
            "note": survey.notes[row],
        }
        for row in range(len(survey))
    ]
