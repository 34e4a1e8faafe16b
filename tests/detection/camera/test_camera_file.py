"""Camera files and points files: there and back, other sizes, and what is refused."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.detection.camera.camera_file import BYTES_MAX, read_camera, write_camera
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.photograph import find_camera, read_photograph
from anastylosis.detection.camera.points_file import read_points
from anastylosis.detection.camera.pose import Solved, build_camera, make_ground, move_camera
from anastylosis.errors import InvalidInput
from anastylosis.rendering.camera import Camera

CAMERA = Camera(eye=(0.5, -0.8, 0.6), target=(0.05, 0.0, 0.0), field_of_view=0.8, width=800, height=600)
LENS = Lens(focal=900.0, width=800, height=600, middle=(410.0, 290.0), k1=-0.1, k2=0.01)
VIEW = {"format": 1, "width": 800, "height": 600, "eye": [0.5, -0.8, 0.6], "target": [0.05, 0, 0], "field_of_view_deg": 45}
POSE = {
    "format": 1, "width": 800, "height": 600, "focal_length": 900, "rotation": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
    "position": [0, 0, 1.5],
}  # fmt: skip
FLOOR = [(-300, -300), (300, -300), (300, 300), (-300, 300)]  # [mm]


def write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document) if not isinstance(document, str) else document)
    return path


def solved() -> Solved:
    pose = Solved(camera=CAMERA, lens=LENS).pose
    return Solved(camera=build_camera(pose, LENS), lens=LENS, reprojection_error=0.31, eye_sd=0.004, source="24 of 24 points")


def test_there_and_back(tmp_path: Path) -> None:
    write_camera(tmp_path / "c.json", solved())
    again = read_camera(tmp_path / "c.json")
    assert (again.lens, again.reprojection_error, again.eye_sd, again.source) == (LENS, 0.31, 0.004, "24 of 24 points")
    np.testing.assert_allclose(again.camera.eye, CAMERA.eye, atol=1e-12)
    np.testing.assert_allclose(np.stack(again.camera.axes), np.stack(CAMERA.axes), atol=1e-12)


def test_eye_and_target(tmp_path: Path) -> None:
    found = read_camera(write(tmp_path / "c.json", VIEW))
    assert (found.camera.eye, found.camera.target, found.camera.up) == ((0.5, -0.8, 0.6), (0.05, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert found.camera.field_of_view == pytest.approx(math.radians(45))
    assert found.lens.is_straight
    radians = VIEW | {"field_of_view": math.radians(45)}
    del radians["field_of_view_deg"]
    assert read_camera(write(tmp_path / "r.json", radians)).camera.field_of_view == pytest.approx(math.radians(45))


def test_rotation_and_position(tmp_path: Path) -> None:
    """From straight above: x to the right, y up in the picture."""
    camera = read_camera(write(tmp_path / "c.json", POSE)).camera
    np.testing.assert_allclose(
        camera.project([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.0)])[0], [(400, 300), (460, 300), (400, 240)]
    )


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("", "it is empty"),
        ("{", "it is no camera: it is not JSON"),
        ({name: value for name, value in VIEW.items() if name != "width"}, "width is missing"),
        ("[" * 50_000, "nested too deeply|not JSON"),
        (" " * (BYTES_MAX + 1), "a camera has less"),
        ([], "it is no camera; one looks like"),
        ({"format": 1}, "it is no camera"),
        (VIEW | {"format": 2}, "its format is '2', and this version reads 1"),
        (VIEW | {"format": True}, "its format is 'True'"),
        (VIEW | {"kind": "survey"}, "its kind is 'survey'"),
        (VIEW | {"width": "800"}, "width is 800; give"),
        (VIEW | {"width": 10**9}, "width is 1000000000"),
        (VIEW | {"eye": [0, 0]}, "eye: it is .* list of 3 numbers"),
        (VIEW | {"eye": [0, 0, "1"]}, "eye: .* is not a number"),
        (VIEW | {"eye": [0, 0, True]}, "eye: 'True' is not a number"),
        (VIEW | {"eye": [0, 0, 10**400]}, "not a finite number"),
        (VIEW | {"eye": [0, 0, -1]}, "above the floor"),
        ('{"format": 1, "eye": [NaN, 0, 1]}', "NaN is not a finite number"),
        ('{"format": 1, "eye": 1, "eye": 2}', "'eye' is given twice"),
        (VIEW | {"field_of_view": 0.5}, "give the vertical field of view once"),
        (VIEW | {"field_of_view_deg": 200}, "at most 150 degrees"),
        ({k: v for k, v in VIEW.items() if k != "field_of_view_deg"} | {"field_of_view": 45}, "call it field_of_view_deg"),
        (VIEW | {"focal": 3}, "'focal' is not known here"),
        (VIEW | {"focal_length": 3}, "it says two cameras"),
        (VIEW | {"source": "\u001b[31mred"}, "control characters"),
        (VIEW | {"reprojection_error": -1}, "reprojection_error is -1"),
        (POSE | {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]}, "rotation is no rotation"),
        (POSE | {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}, "rotation mirrors"),
        (POSE | {"distortion": [-2, 0]}, "folds"),
        (POSE | {"position": [0, 0, 0]}, "above the floor"),
        ({k: v for k, v in POSE.items() if k != "focal_length"}, "focal_length is missing"),
    ],
)
def test_refusals(tmp_path: Path, document: object, says: str) -> None:
    path = write(tmp_path / "c.json", document)
    with pytest.raises(InvalidInput, match=says) as caught:
        read_camera(path)
    assert str(caught.value).startswith(str(path))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no such file"):
        read_camera(tmp_path / "none.json")


def test_another_size_of_the_same_shape(tmp_path: Path) -> None:
    write_camera(tmp_path / "c.json", solved())
    half = find_camera(np.zeros((300, 400), np.uint8), tmp_path / "c.json")
    assert (half.lens.focal, half.lens.middle) == (450.0, (205.0, 145.0))
    assert half.reprojection_error == pytest.approx(0.155)
    whole = solved().camera
    np.testing.assert_allclose(2 * half.camera.project([(0.1, 0.1, 0.0)])[0], whole.project([(0.1, 0.1, 0.0)])[0], atol=1e-6)


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ((600, 600), "another shape;"),
        ((800, 600), "turned by a quarter"),
        ((400, 300), "turned by a quarter"),
        ((900, 600), "another shape;"),
    ],
)
def test_another_shape_is_refused(tmp_path: Path, shape: tuple[int, int], says: str) -> None:
    write_camera(tmp_path / "c.json", solved())
    with pytest.raises(InvalidInput, match=says):
        find_camera(np.zeros(shape, np.uint8), tmp_path / "c.json")


def write_points(path: Path, rows: list[tuple[float, ...]], head: str = "x_mm,y_mm,column,row") -> Path:
    return write(path, "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")


def seen() -> list[tuple[float, ...]]:
    pixels, _ = CAMERA.project([(x / 1e3, y / 1e3, 0.0) for x, y in FLOOR])
    return [(x, y, *pixel) for (x, y), pixel in zip(FLOOR, pixels.tolist(), strict=True)]


def test_points_file(tmp_path: Path) -> None:
    found = find_camera(np.zeros((600, 800, 3), np.uint8), points_file=write_points(tmp_path / "p.csv", seen()))
    np.testing.assert_allclose(found.camera.eye, CAMERA.eye, atol=1e-6)


def test_points_in_other_units_with_names_and_decimal_commas(tmp_path: Path) -> None:
    rows = [
        ";".join(str(value).replace(".", ",") for value in (f"P{n}", x / 10, y / 10, column, row))
        for n, (x, y, column, row) in enumerate(seen())
    ]
    points = read_points(write(tmp_path / "p.csv", "\n".join(["id;x [cm];y [cm];column;row", *rows])))
    np.testing.assert_allclose(points.places[:, :2], np.array(FLOOR) / 1e3)
    assert points.names[1] == "row 3 (P1)"


@pytest.mark.parametrize(
    ("head", "rows", "says"),
    [
        ("x_mm,y_mm,column,row", [], "no point follows"),
        ("x_mm,y_mm,column", [(1, 2, 3)], "column row is missing"),
        ("x_mm,y_mm,column,row,colour", [(1, 2, 3, 4, 5)], "'colour' is not known here"),
        ("x_mm,x,column,row", [(1, 2, 3, 4)], "column x is there twice"),
        ("x_mm,y_mm,column,row", [(1, 2, "here", 4)], "row 2, column column: 'here' is not a number"),
        ("x_mm,y_mm,column,row", [(1, 2, 3, "nan")], "row 2, column row"),
        ("x_mm,y_mm,column,row", seen()[:3], "there are 3 points"),
        ("x_mm,y_mm,column,row", [(x, -y, column, row) for x, y, column, row in seen()], "mirrored"),
        ("x_mm,y_mm,column,row", [*seen()[:3], (-300, 300, 5000, 100)], r"row 5 is seen at column 5000"),
    ],
)
def test_points_that_are_refused(tmp_path: Path, head: str, rows: list, says: str) -> None:
    path = write_points(tmp_path / "p.csv", rows, head)
    with pytest.raises(InvalidInput, match=says):
        find_camera(np.zeros((600, 800), np.uint8), points_file=path)


def test_two_answers_to_one_question(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="give one of them"):
        find_camera(np.zeros((600, 800), np.uint8), tmp_path / "c.json", tmp_path / "p.csv")


def test_the_tower_s_frame() -> None:
    """The foot is at (0.2, 0.1) of the target, and its x is the target's y: what lies there is at the origin."""
    moved = move_camera(CAMERA, make_ground((0.2, 0.1), math.pi / 2))
    before = CAMERA.project([(0.2, 0.1, 0.0), (0.2, 0.2, 0.0), (0.1, 0.1, 0.05)])[0]
    np.testing.assert_allclose(moved.project([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.1, 0.05)])[0], before, atol=1e-9)
    assert moved.eye[2] == CAMERA.eye[2]


@pytest.mark.parametrize("origin", [(1.0,), (1.0, math.nan), "here", (1e9, 0.0)])
def test_an_origin_that_cannot_be(origin: object) -> None:
    with pytest.raises(ValueError, match=r"origin is|could not convert"):
        make_ground(origin)  # type: ignore[arg-type]


def test_photographs_are_upright(tmp_path: Path) -> None:
    image = Image.new("RGB", (40, 30), (200, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "p.jpg", exif=exif)
    assert read_photograph(tmp_path / "p.jpg").shape == (40, 30, 3)
    with pytest.raises(InvalidInput, match="there is no picture"):
        read_photograph(tmp_path / "none.jpg")
    with pytest.raises(InvalidInput, match="uint8"):
        read_photograph(np.zeros((40, 30)))  # type: ignore[arg-type]
