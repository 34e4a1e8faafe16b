"""What a visitor tells of a file reaches the reconstruction as they typed it."""

import math
from collections.abc import Iterator
from operator import attrgetter

import numpy as np
import pytest
from PIL import Image

from anastylosis.detection.camera.photograph import read_photograph
from anastylosis.errors import InvalidInput
from anastylosis.web.intake import Intake
from anastylosis.web.uploads import EXAMPLES, InputFile
from anastylosis.web.words import Translator
from support.visitors import Visitor, open_page_server


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    server = open_page_server()
    yield Visitor(server)
    server.stop()


@pytest.fixture
def intake(visitor: Visitor) -> Intake:
    intake = Intake(visitor, Translator("en"), 12, lambda given: None, lambda: None, lambda: None, lambda paper: None)
    intake.take(EXAMPLES["survey"])
    return intake


@pytest.fixture
def photograph(tmp_path) -> InputFile:
    """One that says no camera, and shows no target."""
    path = tmp_path / "photo.jpg"
    Image.fromarray(read_photograph(EXAMPLES["picture"].path)).save(path)
    return InputFile(path, "picture", "photo.jpg")


def test_millimetres_and_degrees_become_metres_and_radians(intake: Intake, visitor: Visitor, photograph: InputFile) -> None:
    view = intake.viewpoint
    visitor.set(intake.error, (2.5, 0.75))
    told = intake.read()
    assert (told.position_sd, told.orientation_sd) == pytest.approx((0.0025, math.radians(0.75)))
    intake.take(photograph)
    visitor.set(view.origin, "184.13 -441.5")
    visitor.set(view.heading, "-0.875")
    for (pixel, floor), row in zip(view.points, ((300.25, 7.0), (500.0, 7.0), (500.0, 400.0), (20.0, 400.0)), strict=True):
        visitor.set(pixel, row)
        visitor.set(floor, f"{row[0] + 10.5} -{row[1]}".replace(".", ","))
    told = intake.read()
    assert told.origin == pytest.approx((0.18413, -0.4415))
    assert told.heading == pytest.approx(math.radians(-0.875))
    assert told.points[0] == pytest.approx((0.31075, -0.007, 300.25, 7.0))


def test_what_tells_the_camera_is_seen_at_once(intake: Intake, photograph: InputFile) -> None:
    """And only what is left to be told is asked for."""
    view = intake.viewpoint
    assert (view.camera_folder.visible, view.place_folder.visible) == (False, True)
    intake.take(EXAMPLES["picture"])
    assert "says where it was taken from" in intake.chosen.content
    assert (view.camera_folder.visible, view.place_folder.visible) == (False, False)
    intake.take(photograph)
    assert "no printed target is seen in it" in intake.chosen.content
    assert (view.camera_folder.visible, view.by_points, view.board.image.visible) == (True, True, True)


def test_what_was_told_of_another_kind_of_file_is_forgotten(intake: Intake, photograph: InputFile, visitor: Visitor) -> None:
    view = intake.viewpoint
    visitor.set(view.origin, "120 -40")
    intake.take(EXAMPLES["survey"])
    assert view.origin.value == "120 -40"
    intake.take(photograph)
    view.note_click(0, 12.0, 34.0)
    intake.take(photograph)
    assert (view.origin.value, view.points[0][0].value) == ("0  0", (0.0, 0.0))
    intake.take(EXAMPLES["picture"])
    visitor.set(view.origin, "5 5")  # out of sight: the picture says it all
    assert intake.read().origin == (0.0, 0.0)


def test_a_picture_is_looked_at_once_for_all_languages(
    intake: Intake, visitor: Visitor, photograph: InputFile, monkeypatch
) -> None:
    intake.take(photograph)
    monkeypatch.setattr("anastylosis.web.intake.read_photograph", lambda path: pytest.fail("it was decoded again"))
    other = Intake(visitor, Translator("es"), 12, lambda given: None, lambda: None, lambda: None, lambda paper: None)
    other.take(photograph, intake.seen)
    assert other.viewpoint.size == intake.viewpoint.size == (512, 512)
    assert other.preview.content == intake.preview.content


def test_an_error_that_was_typed_for_a_survey_is_not_asked_of_a_picture(intake: Intake, visitor: Visitor) -> None:
    visitor.set(intake.error, (2000.0, 0.0))
    intake.take(EXAMPLES["picture"])
    assert intake.read().position_sd == 0.0


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("layers", 61, "“Layers” says 61; it is 0 to 60"),
        ("layers", -1, "“Layers” says -1; it is 0 to 60"),
        ("layers", 2, "three layers or more"),
        ("hypotheses", 65, "“Proposals” says 65; it is 0 to 64"),
        ("error", (1001.0, 0.0), "“Error [mm, °]” says 1001; it is 0 to 1000"),
        ("error", (0.0, 91.0), "“Error [mm, °]” says 91; it is 0 to 90"),
        ("coefficient", 3.0, "“Coefficient” says 3; it is 0.05 to"),
        ("viewpoint.heading", "361", "“Heading [°]” says “361”; each number is between −360 and 360"),
        ("viewpoint.origin", "0 99999999999", "each number is between −10 000 000 000 and 10 000 000 000"),
    ],
)
def test_numbers_that_make_no_sense_are_refused_by_their_name(
    intake: Intake, visitor: Visitor, name: str, value, said: str
) -> None:
    visitor.set(intake.friction, "other …")
    visitor.set(attrgetter(name)(intake), value)
    with pytest.raises(InvalidInput) as refused:
        intake.read()
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("pixels", "floors", "said"),
    [
        ([(1, 1), (2, 2)], [], "Point 3 has no pixel yet"),
        ([(1, 1), (2, 2), (3, 3), (4, 4)], [], "Points 1 and 2 are at the same place"),
        ([(1, 1), (2, 2), (3, 3), (600, 4)], ["1 1", "2 2", "3 3", "4 4"], "“4. pixel” says 600; it is 0 to 512"),
        ([(1, 1), (2, 2), (3, 3), (4, 4)], ["1 1", "2 2", "3 3", "200000 4"], "between −100 000 and 100 000"),
    ],
)
def test_points_that_are_not_all_told_are_asked_for(
    intake: Intake, visitor: Visitor, photograph: InputFile, pixels: list, floors: list, said: str
) -> None:
    intake.take(photograph)
    for (pixel, _), value in zip(intake.viewpoint.points, pixels, strict=False):
        visitor.set(pixel, tuple(map(float, value)))
    for (_, floor), value in zip(intake.viewpoint.points, floors, strict=False):
        visitor.set(floor, value)
    with pytest.raises(InvalidInput) as refused:
        intake.read()
    assert said in str(refused.value)


def test_a_file_that_is_neither_is_answered_with_what_is_taken(intake: Intake) -> None:
    intake.refuse(InvalidInput("README.md: row 5: it has 3 cells"))
    assert "README.md: row 5" in intake.chosen.content
    assert "pictures (PNG, JPEG and others), and surveys (CSV or JSON" in intake.chosen.content


def test_boxes_of_measures_take_decimals(intake: Intake) -> None:
    """One that takes none drops the point that is typed: 184.13 becomes 18413."""
    boxes = (intake.coefficient, intake.error, *(pixel for pixel, _ in intake.viewpoint.points))
    assert {box.precision for box in boxes} == {3}


def test_a_measure_that_cannot_be_read_is_refused_by_its_name(intake: Intake, visitor: Visitor) -> None:
    visitor.set(intake.viewpoint.heading, "north")
    with pytest.raises(InvalidInput, match="“Heading \\[°\\]” says “north”"):
        intake.read()


def test_the_camera_goes_back_when_another_file_is_given(intake: Intake, visitor: Visitor, photograph: InputFile) -> None:
    before = visitor.camera.position = np.array([1.0, 2.0, 3.0])
    intake.take(photograph)
    assert not np.allclose(visitor.camera.position, before)
    visitor.set(intake.viewpoint.camera, "four floor points")
    visitor.set(intake.viewpoint.camera, "the picture, or its target")
    assert not np.allclose(visitor.camera.position, before)  # the picture is still looked at
    intake.take(EXAMPLES["survey"])
    assert np.allclose(visitor.camera.position, before)


def test_the_corners_of_one_block_are_clicked_in_the_same_fields(intake: Intake, visitor: Visitor, photograph: InputFile) -> None:
    view = intake.viewpoint
    intake.take(photograph)
    view.note_click(0, 12.0, 34.0)
    assert [pixel.visible for pixel in view.pixels] == [True] * 4 + [False] * 3
    visitor.set(view.camera, "corners of one block")
    assert view.pixels[0].value == (0.0, 0.0)  # a point of the floor is no corner
    assert all(pixel.visible for pixel in view.pixels)
    assert (view.by_points, view.by_corners, view.board.image.visible, view.block.visible) == (False, True, True, True)
    assert not any(floor.visible for _, floor in view.points)
    for number in range(5):
        view.note_click(number, 100.0 + number, 50.0)
    visitor.set(view.origin, "310 -120.5")
    with pytest.raises(InvalidInput, match="5 corners are clicked: click six or seven"):
        intake.read()
    view.note_click(6, 200.0, 60.0)
    visitor.set(view.block, "15 25 75")
    told = intake.read()
    assert told.points is None
    assert told.corners == ((100.0, 50.0), (101.0, 50.0), (102.0, 50.0), (103.0, 50.0), (104.0, 50.0), (200.0, 60.0))
    assert told.block == (0.075, 0.025, 0.015)
    assert told.origin == pytest.approx((0.31, -0.1205))
    assert told.options["block"] == "75,25,15"
    visitor.set(view.block, "75 25")
    with pytest.raises(InvalidInput, match="write three numbers"):
        intake.read()
    visitor.set(view.block, "75 25 15")
    visitor.set(view.origin, "0 0")
    with pytest.raises(InvalidInput, match="the middle of the clicked block"):
        intake.read()


def test_seven_clicks_have_seven_marks_and_four_have_four(intake: Intake, visitor: Visitor, photograph: InputFile) -> None:
    intake.take(photograph)
    view, towards = intake.viewpoint, np.array([0.0, 1.0, 0.0])
    for expected, then in ((4, "corners of one block"), (7, "four floor points")):
        for number in range(expected + 1):  # the last one moves the first mark
            view.board.click(np.array([0.1 * number, 0.0, 3.0]), towards)
        assert len(view.board.marks) == expected
        assert view.pixels[0].value[0] > view.pixels[1].value[0]
        visitor.set(view.camera, then)
        assert view.board.marks == []
