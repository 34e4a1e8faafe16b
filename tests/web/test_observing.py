"""From what a visitor gives and knows to blocks."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from anastylosis.detection.camera.camera_file import write_camera
from anastylosis.detection.camera.photograph import find_camera, read_stored_camera
from anastylosis.errors import InvalidInput
from anastylosis.models.image_file import read_rgb
from anastylosis.picture_format import CAMERA_TEXT
from anastylosis.reconstruction import Friction
from anastylosis.reconstruction.observation import observe
from anastylosis.web.observing import VisitorFacts, choose_source, find_kind
from anastylosis.web.uploads import EXAMPLES, InputFile
from support.block_clicks import list_seen_corners
from support.visitors import see_blocks

PICTURE, SURVEY = EXAMPLES["picture"], EXAMPLES["survey"]
PIXELS = np.array([(80.0, 150.0), (420.0, 110.0), (440.0, 400.0), (60.0, 430.0)])  # of 512 x 512, all on the floor


def test_a_survey_is_read_with_what_is_known_of_it() -> None:
    plain = see_blocks(SURVEY, VisitorFacts())
    moved = see_blocks(SURVEY, VisitorFacts(origin=(0.1, 0.0), heading=math.pi / 2))
    assert len(plain) == len(moved)
    np.testing.assert_allclose(moved.position[:, 1], -(plain.position[:, 0] - 0.1), atol=1e-9)


def test_four_points_of_the_floor_tell_the_camera_as_the_picture_does() -> None:
    true = find_camera(PICTURE.path).camera
    axes, eye = np.stack(true.axes), np.array(true.eye)
    focal = true.height / (2 * math.tan(true.field_of_view / 2))
    rays = np.column_stack([PIXELS - (true.width / 2, true.height / 2), np.full(len(PIXELS), focal)]) @ axes
    floor = eye - eye[2] / rays[:, 2:] * rays
    points = tuple((*place[:2], *pixel) for place, pixel in zip(floor.tolist(), PIXELS.tolist(), strict=True))
    (seen,) = observe(choose_source(PICTURE, VisitorFacts(points=points))).cameras
    np.testing.assert_allclose(seen.camera.eye, eye, atol=0.01 * np.linalg.norm(eye))


def test_the_corners_of_a_block_tell_the_camera_as_the_picture_does() -> None:
    """Of a block as long as a hand that lies under the tower's foot: large enough in the picture to tell the focal length."""
    true = find_camera(PICTURE.path).camera
    sides = np.array([0.3, 0.1, 0.06])
    seen = list_seen_corners(sides, true)
    turn = 0.0 if true.eye[1] < 0 else math.pi  # y leads away from the camera
    corners = tuple(map(tuple, true.project(seen + np.array([0.4, 0.0, 0.0]))[0].tolist()))
    origin = (-0.4 * math.cos(turn), -0.4 * math.sin(turn))
    facts = VisitorFacts(corners=corners, block=(0.3, 0.1, 0.06), origin=origin, heading=turn)
    (solved,) = observe(choose_source(PICTURE, facts)).cameras
    np.testing.assert_allclose(solved.camera.eye, true.eye, atol=0.01 * np.linalg.norm(true.eye))
    assert facts.options["corners"][0] == {"column": corners[0][0], "row": corners[0][1]}


def test_a_problem_with_a_file_names_it_as_its_visitor_does(tmp_path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("id,x\nA,nan\n")
    with pytest.raises(InvalidInput, match=r"^stones\.csv") as refused:
        see_blocks(InputFile(path, "survey", "stones.csv"), VisitorFacts())
    assert str(tmp_path) not in str(refused.value)


def test_points_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(InvalidInput):
        see_blocks(PICTURE, VisitorFacts(points=((0.0, 0.0, 0.0, 0.0),) * 4))


def test_facts_are_kept_in_the_units_of_the_command() -> None:
    points = ((0.1, -0.2, 80.0, 150.0),)
    facts = VisitorFacts(
        layers=6, friction=Friction(0.3, 0.5), origin=(0.385, 0.518), heading=math.pi / 2, points=points,
        position_sd=0.004, orientation_sd=math.radians(3),
    )  # fmt: skip
    assert facts.options == {
        "layers": 6, "friction": "0.3..0.5", "complete": False, "origin": "0.385,0.518", "heading": pytest.approx(90.0),
        "points": [{"x_mm": 100.0, "y_mm": -200.0, "column": 80.0, "row": 150.0}], "corners": None, "block": None,
        "error": "4,3", "hypotheses": 12,
        "lookup": False,
    }  # fmt: skip
    nothing = VisitorFacts().options
    assert [nothing[name] for name in ("friction", "points", "origin", "heading", "error")] == [None] * 5


def test_a_picture_whose_camera_no_glass_has_is_asked_for_its_camera(tmp_path: Path) -> None:
    """A distortion of 1e308 was an OverflowError."""
    solved = read_stored_camera(EXAMPLES["picture"].path)
    write_camera(tmp_path / "c.json", solved)
    document = json.loads((tmp_path / "c.json").read_text()) | {"distortion": [1e308, 0]}
    told = PngInfo()
    told.add_text(CAMERA_TEXT, json.dumps(document))
    path = tmp_path / "picture.png"
    with Image.open(EXAMPLES["picture"].path) as image:
        image.save(path, pnginfo=told)
    given = InputFile(path, "picture", "heap.png")
    assert find_kind(given, read_rgb(path)) == "unknown"
    with pytest.raises(InvalidInput, match="the distortion is k1"):
        observe(choose_source(given, VisitorFacts()))
