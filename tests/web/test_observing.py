"""From what a visitor gives and knows to blocks."""

import math

import numpy as np
import pytest

from anastylosis.detection.camera.photograph import find_camera
from anastylosis.errors import InvalidInput
from anastylosis.reconstruction.observation import observe
from anastylosis.web.observing import Told, choose_source
from anastylosis.web.uploads import EXAMPLES, InputFile
from support.visitors import see_blocks

PICTURE, SURVEY = EXAMPLES["picture"], EXAMPLES["survey"]
PIXELS = np.array([(80.0, 150.0), (420.0, 110.0), (440.0, 400.0), (60.0, 430.0)])  # of 512 x 512, all on the floor


def test_a_survey_is_read_with_what_is_known_of_it() -> None:
    plain = see_blocks(SURVEY, Told())
    moved = see_blocks(SURVEY, Told(origin=(0.1, 0.0), heading=math.pi / 2))
    assert len(plain) == len(moved)
    np.testing.assert_allclose(moved.position[:, 1], -(plain.position[:, 0] - 0.1), atol=1e-9)


def test_four_points_of_the_floor_tell_the_camera_as_the_picture_does() -> None:
    true = find_camera(PICTURE.path).camera
    axes, eye = np.stack(true.axes), np.array(true.eye)
    focal = true.height / (2 * math.tan(true.field_of_view / 2))
    rays = np.column_stack([PIXELS - (true.width / 2, true.height / 2), np.full(len(PIXELS), focal)]) @ axes
    floor = eye - eye[2] / rays[:, 2:] * rays
    points = tuple((*place[:2], *pixel) for place, pixel in zip(floor.tolist(), PIXELS.tolist(), strict=True))
    (seen,) = observe(choose_source(PICTURE, Told(points=points))).cameras
    np.testing.assert_allclose(seen.camera.eye, eye, atol=0.01 * np.linalg.norm(eye))


def test_a_problem_with_a_file_names_it_as_its_visitor_does(tmp_path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("id,x\nA,nan\n")
    with pytest.raises(InvalidInput, match=r"^stones\.csv") as refused:
        see_blocks(InputFile(path, "survey", "stones.csv"), Told())
    assert str(tmp_path) not in str(refused.value)


def test_points_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(InvalidInput):
        see_blocks(PICTURE, Told(points=((0.0, 0.0, 0.0, 0.0),) * 4))
