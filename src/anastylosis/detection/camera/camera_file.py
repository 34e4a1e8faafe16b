"""Camera files: a camera as JSON, checked when read, written whole. The format: docs/reference/camera-format.md."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis.arrays import Floats
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.pose import Solved, build_camera
from anastylosis.detection.camera.start import Pose, make_rotation
from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera
from anastylosis.text_file import SOURCE_MAX, clean_text, load_json, locate_errors, parse_number, read_text
from anastylosis.whole_file import write_whole

BYTES_MAX = 100_000
FORMAT = Camera.FORMAT
TURN_TOLERANCE = 1e-3  # how far the rows of a rotation may be from unit vectors at right angles: three decimals are enough
COMMON = ("format", "kind", "width", "height", "source", "reprojection_error", "eye_sd")
VIEW = ("eye", "target", "up", "field_of_view", "field_of_view_deg")
POSE = ("focal_length", "principal_point", "distortion", "rotation", "position")
FULL = math.radians(150)  # [rad] of a field of view; more is in degrees
EXAMPLE = '{"format": 1, "width": 4032, "height": 3024, "eye": [x, y, z], "target": [x, y, z], "field_of_view_deg": 40}'


def read_camera(path: Path | str) -> Solved:
    """Read the camera in a file."""
    path = Path(path)
    with locate_errors(str(path)):
        text = read_text(path, BYTES_MAX, "camera")
    return parse_camera(text, str(path))


def parse_camera(text: str, name: str) -> Solved:
    """Parse a camera from the text of a file or a picture; `name` is for messages."""
    with locate_errors(name):
        try:
            document = load_json(text)
        except InvalidInput as problem:
            raise problem.reword(f"it is no camera: {problem.what}; one looks like {EXAMPLE}") from problem
        if not isinstance(document, dict) or not document.keys() & {"eye", "position"}:
            raise InvalidInput(f"it is no camera; one looks like {EXAMPLE}")
        if document.get("format") != FORMAT or document["format"] is True:
            raise InvalidInput(f"its format is {str(document.get('format'))[:40]!r}, and this version reads {FORMAT}")
        if document.get("kind", "camera") != "camera":
            raise InvalidInput(f"its kind is {str(document['kind'])[:40]!r}, not camera")
        has_view, has_pose = (any(name in document for name in names) for names in (VIEW, POSE))
        if has_view and has_pose:
            raise InvalidInput(f"it says two cameras: {', '.join(VIEW[:3])} and so on, or {', '.join(POSE)}; keep one of them")
        unknown = [str(name)[:40] for name in document if name not in (*COMMON, *VIEW, *POSE)]
        if unknown:
            raise InvalidInput(f"{', '.join(map(repr, unknown[:5]))} is not known here; look for a typing error, or take it out")
        camera, lens = read_view(document) if has_view else read_pose(document)
        return Solved(
            camera=camera,
            lens=lens,
            reprojection_error=read_size(document, "reprojection_error"),
            eye_sd=read_size(document, "eye_sd"),
            source=clean_text(document.get("source", ""), "source", SOURCE_MAX),
        )


def write_camera(path: Path | str, solved: Solved) -> None:
    """Write a camera with its lens; `read_camera` reads the same one."""
    rotation, eye = solved.pose
    document = {
        "format": FORMAT,
        "kind": "camera",
        "width": solved.lens.width,
        "height": solved.lens.height,
        "focal_length": solved.lens.focal,
        "principal_point": list(solved.lens.middle),
        "distortion": [solved.lens.k1, solved.lens.k2],
        "rotation": rotation.tolist(),
        "position": eye.tolist(),
        "source": solved.source,
        "reprojection_error": solved.reprojection_error,
        "eye_sd": solved.eye_sd,
    }
    lines = [f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in document.items() if value is not None]
    with write_whole(Path(path)) as part:
        part.write_text("{\n  " + ",\n  ".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def read_view(document: dict[str, Any]) -> tuple[Camera, Lens]:
    """Read a pinhole camera that is given by eye, target and field of view."""
    width, height = read_sides(document)
    if ("field_of_view" in document) == ("field_of_view_deg" in document):
        raise InvalidInput("give the vertical field of view once, as field_of_view [rad] or field_of_view_deg")
    degrees = "field_of_view_deg" in document
    angle = float(read_array(document, "field_of_view_deg" if degrees else "field_of_view", ()))
    if not degrees and angle > FULL:
        raise InvalidInput(f"field_of_view is {angle:g} radians, more than 2.618; if it is in degrees, call it field_of_view_deg")
    view = math.radians(angle) if degrees else angle
    if not 0 < view <= FULL:
        raise InvalidInput(f"the field of view is {angle:g}; it is more than 0 and at most 150 degrees")
    lens = Lens(focal=height / (2 * math.tan(view / 2)), width=width, height=height)
    straight = lens.straight()  # smaller, if the photograph is very large
    eye, target = (read_array(document, name, (3,)) for name in ("eye", "target"))
    up = read_array(document, "up", (3,)) if "up" in document else np.array([0.0, 0.0, 1.0])
    camera = Camera(
        eye=tuple(eye), target=tuple(target), up=tuple(up), field_of_view=2 * math.atan(straight.height / (2 * straight.focal)),
        width=straight.width, height=straight.height,
    )  # fmt: skip
    return camera, lens


def read_pose(document: dict[str, Any]) -> tuple[Camera, Lens]:
    """Read a camera that is given by lens, rotation and position."""
    width, height = read_sides(document)
    k1, k2 = read_array(document, "distortion", (2,)) if "distortion" in document else (0.0, 0.0)
    middle = tuple(read_array(document, "principal_point", (2,))) if "principal_point" in document else None
    focal = float(read_array(document, "focal_length", ()))
    lens = Lens(focal=focal, width=width, height=height, middle=middle, k1=float(k1), k2=float(k2))  # type: ignore[arg-type]
    rotation = read_array(document, "rotation", (3, 3))
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers such as 1e308: then it is infinite, or NaN
        off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if not off <= TURN_TOLERANCE:
        raise InvalidInput(
            f"rotation is no rotation: its rows differ from unit vectors at right angles by {off:.2g}. They are what points "
            "right, down and ahead in the picture, in ground coordinates"
        )
    if np.linalg.det(rotation) < 0:
        raise InvalidInput("rotation mirrors: its third row has to be the first one cross the second; do rows count downwards?")
    return build_camera(Pose(make_rotation(rotation), read_array(document, "position", (3,))), lens), lens


def read_sides(document: dict[str, Any]) -> tuple[int, int]:
    """Read width and height [pixels]; `Lens` checks their range."""
    for name in ("width", "height"):
        if name not in document:
            raise InvalidInput(f"{name} is missing; give that of the picture, a whole number of pixels")
        if isinstance(document[name], bool) or not isinstance(document[name], int):
            raise InvalidInput(f"{name} is {str(document[name])[:40]}; give that of the picture, a whole number of pixels")
    return document["width"], document["height"]


def read_array(document: dict[str, Any], name: str, shape: tuple[int, ...]) -> Floats:
    """Read finite numbers in this shape."""
    if name not in document:
        raise InvalidInput(f"{name} is missing")
    with locate_errors(name):
        return np.array(read_nested(document[name], shape), np.float64)


def read_nested(value: Any, shape: tuple[int, ...]) -> Any:
    """Read numbers from nested lists."""
    if not shape:
        return parse_number(value) if not isinstance(value, str) else parse_number([value])
    if not isinstance(value, list) or len(value) != shape[0]:
        wanted = " x ".join(map(str, shape))
        raise InvalidInput(f"it is {str(value)[:40]}; it has to be a list of {wanted} numbers")
    return [read_nested(item, shape[1:]) for item in value]


def read_size(document: dict[str, Any], name: str) -> float | None:
    """Read a number that is 0 or more; None if it is not there."""
    if document.get(name) is None:
        return None
    value = float(read_array(document, name, ()))
    if value < 0:
        raise InvalidInput(f"{name} is {value:g}; it has to be 0 or more")
    return value
