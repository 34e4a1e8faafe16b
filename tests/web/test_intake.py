"""What a visitor tells of a file reaches the reconstruction as they typed it."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.predict.camera.photograph import find_camera
from anastylosis.web.guard import open_server
from anastylosis.web.intake import Intake
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.words import Words
from visitors import Visitor


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    server = open_server("127.0.0.1", 0)
    yield Visitor(server)
    server.stop()


@pytest.fixture
def intake(visitor: Visitor) -> Intake:
    intake = Intake(visitor, Words("en"), 12, lambda given: None, lambda: None, lambda: None, lambda paper: None)
    intake.take(EXAMPLES["picture"])
    return intake


def test_millimetres_and_degrees_become_metres_and_radians(intake: Intake, visitor: Visitor) -> None:
    visitor.set(intake.origin, "184.13 -441.5")
    visitor.set(intake.heading, "-0.875")
    visitor.set(intake.error, (2.5, 0.75))
    visitor.set(intake.camera, "four floor points")
    visitor.set(intake.points[0][0], "10,5 20")
    visitor.set(intake.points[0][1], (300.25, 7.0))
    told = intake.read(EXAMPLES["picture"])
    assert told.origin == pytest.approx((0.18413, -0.4415))
    assert told.heading == pytest.approx(math.radians(-0.875))
    assert (told.position_sd, told.orientation_sd) == pytest.approx((0.0025, math.radians(0.75)))
    assert told.points[0] == pytest.approx((0.0105, 0.02, 300.25, 7.0))


def test_a_picture_without_a_camera_is_answered_with_the_controls_of_the_page(intake: Intake) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_camera(np.full((64, 64, 3), 200, np.uint8))
    intake.tell_error(refused.value)
    assert "choose “four floor points” above, under “Camera of the picture”" in intake.status.content
    assert "points file" not in intake.status.content


def test_boxes_of_measures_take_decimals(intake: Intake) -> None:
    """One that takes none drops the point that is typed: 184.13 becomes 18413."""
    boxes = (intake.coefficient, intake.error, *(pixel for _, pixel in intake.points))
    assert {box.precision for box in boxes} == {3}


def test_a_measure_that_cannot_be_read_is_refused_by_its_name(intake: Intake, visitor: Visitor) -> None:
    visitor.set(intake.heading, "north")
    with pytest.raises(InvalidInput, match="“Heading \\[°\\]” says “north”"):
        intake.read(EXAMPLES["picture"])


def test_the_camera_goes_back_when_no_points_are_clicked_any_more(intake: Intake, visitor: Visitor) -> None:
    before = visitor.camera.position = np.array([1.0, 2.0, 3.0])
    visitor.set(intake.camera, "four floor points")
    assert not np.allclose(visitor.camera.position, before)
    visitor.set(intake.camera, "four floor points")
    visitor.set(intake.camera, "the picture, or its target")
    assert np.allclose(visitor.camera.position, before)
