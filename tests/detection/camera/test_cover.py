"""The printed target is covered before detection: its squares are no blocks, and blocks on it stay."""

from pathlib import Path

import numpy as np
import pytest
from scipy.ndimage import binary_erosion
from scipy.spatial.transform import Rotation

from anastylosis.detection.camera.lens import straighten
from anastylosis.detection.camera.photograph import find_camera
from anastylosis.detection.camera.target import TARGETS, cover_sheet, mark_floor, outline_sheet
from anastylosis.detection.detector import BlockDetector
from anastylosis.detection.view import Photo, level_photo, straighten_photo
from anastylosis.models.shipped import list_detector
from anastylosis.rendering import Camera, render_image
from anastylosis.rendering.look import wood_look
from support.photographs import Sheet, draw_target, lay_sheet, take_photograph
from support.scenes import Scene

CAMERA = Camera(eye=(0.25, -1.0, 0.7), target=(0.0, -0.1, 0.0), field_of_view=0.72, width=1024, height=768)
PLACE, TURN = (-0.13, -0.42), 0.12  # corner 0 of the sheet in the tower's frame [m], and its turn [rad]
BLOCK = (0.081, 0.026, 0.018)
BEHIND = [(-0.15, 0.0, 0.4), (0.05, -0.05, 1.2), (0.15, 0.1, 2.0), (-0.05, 0.15, 2.8)]  # x, y [m] and turn [rad] of blocks
OVER = [(-0.08, -0.36, 0.9), (0.08, -0.41, 0.2)]  # on the sheet, and before it


@pytest.fixture(scope="module")
def sheet(tmp_path_factory) -> Sheet:
    path = tmp_path_factory.mktemp("sheets") / "a4.pdf"
    return lay_sheet(path, draw_target(path), PLACE, TURN)


def lay_blocks(places: list[tuple[float, float, float]]) -> Scene:
    rows = np.array(places)
    position = np.column_stack([rows[:, :2], np.full(len(rows), BLOCK[2] / 2)])
    return Scene(np.tile(BLOCK, (len(rows), 1)), position, Rotation.from_euler("z", rows[:, 2:]).as_quat(scalar_first=True))


def photograph(places: list[tuple[float, float, float]], sheet: Sheet) -> Photo:
    picture, _ = take_photograph(lay_blocks(places), CAMERA, sheet, k1=-0.1)
    return straighten_photo(picture, find_camera(picture, origin=sheet.to_sheet(np.zeros(2)), heading=-sheet.turn))


@pytest.fixture(scope="module")
def photo(sheet: Sheet) -> Photo:
    return photograph(BEHIND, sheet)


def test_no_contrast_is_left_of_the_sheet(photo: Photo) -> None:
    paper = mark_floor(photo.camera, photo.sheet, 0.02)  # and the floor around it
    covered = cover_sheet(photo.picture, photo.camera, photo.sheet)
    assert np.ptp(photo.picture[paper]) > 180
    assert np.ptp(covered[paper].mean(axis=-1)) < 25  # what noise leaves
    rest = ~paper
    np.testing.assert_array_equal(covered[rest], photo.picture[rest])


def test_no_block_is_found_on_the_sheet(photo: Photo, sheet: Sheet) -> None:
    eye = BlockDetector.from_files(*list_detector())
    low, high = outline_sheet("a4")[[0, 2], :2]
    counts = []
    for each in (photo._replace(sheet=()), photo):
        at = sheet.to_sheet(eye.survey([each]).position[:, :2])
        counts.append(int(((at > low) & (at < high)).all(axis=1).sum()))
    assert counts[0] > 0
    assert counts[1] == 0


def test_blocks_on_the_sheet_stay(sheet: Sheet) -> None:
    photo = photograph([*BEHIND, *OVER], sheet)
    ids = render_image(*lay_blocks([*BEHIND, *OVER]), photo.camera, wood_look(0), ids=True).ids
    assert ids is not None
    covered = cover_sheet(photo.picture, photo.camera, photo.sheet)
    blocks = binary_erosion(ids >= 0, iterations=2)  # the rim is blurred, and the camera that was found a little off
    np.testing.assert_array_equal(covered[blocks], photo.picture[blocks])
    changed = (covered != photo.picture).any(axis=-1)
    paper = mark_floor(photo.camera, photo.sheet, -0.003) & ~(ids >= 0)
    assert changed[paper].mean() > 0.9


def test_the_eye_sees_the_covered_picture_and_people_the_one_that_was_taken(photo: Photo) -> None:
    covered = cover_sheet(photo.picture, photo.camera, photo.sheet)
    np.testing.assert_array_equal(level_photo(photo).picture, level_photo(Photo(covered, photo.camera)).picture)
    assert not np.array_equal(photo.picture, covered)


def test_without_a_target_nothing_changes(photo: Photo, tmp_path: Path) -> None:
    assert cover_sheet(photo.picture, photo.camera, ()) is photo.picture
    points = tmp_path / "points.csv"
    places = np.array([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)])
    pixels = CAMERA.project(np.column_stack([places, np.zeros(4)]))[0]
    rows = [",".join(map(str, (*place * 1e3, *pixel))) for place, pixel in zip(places, pixels, strict=True)]
    points.write_text("\n".join(["x_mm,y_mm,column,row", *rows]))
    picture = np.full((CAMERA.height, CAMERA.width, 3), 180, np.uint8)
    solved = find_camera(picture, points_file=points)
    assert solved.sheet == ()
    np.testing.assert_array_equal(straighten_photo(picture, solved).picture, straighten(picture, solved.lens)[0])


def test_a_sheet_that_is_not_in_the_picture_changes_nothing(photo: Photo) -> None:
    away = Camera(eye=(0.25, 1.0, 0.7), target=(0.0, 3.0, 0.0), width=1024, height=768)
    picture = np.full((768, 1024, 3), 180, np.uint8)
    np.testing.assert_array_equal(cover_sheet(picture, away, photo.sheet), picture)


def test_the_outline_holds_every_sheet_with_this_board() -> None:
    low, high = outline_sheet("a4")[[0, 2], :2]
    for paper in ("a4", "letter"):
        target = TARGETS[paper]
        assert (low <= -np.array(target.corner) + 1e-9).all()
        assert (high >= np.array(target.page) - target.corner - 1e-9).all()
