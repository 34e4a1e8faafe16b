"""The printed target: the page is to scale, and the camera comes back from pictures of it."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from anastylosis.detection.camera.lens import straighten
from anastylosis.detection.camera.photograph import find_camera
from anastylosis.detection.camera.target import TARGETS, Target, build_board
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.rendering import Camera
from support.photographs import Sheet, draw_target, lay_sheet, read_page, take_photograph
from support.scenes import Scene

CAMERA = Camera(eye=(0.25, -1.0, 0.7), target=(0.0, -0.1, 0.0), field_of_view=0.72, width=1024, height=768)
PLACE, TURN = (-0.13, -0.42), 0.12  # corner 0 of the sheet in the tower's frame [m], and its turn [rad]
BLOCK = (0.075, 0.025, 0.015)


def debris(count: int = 16, seed: int = 3) -> Scene:
    """Blocks that lie flat behind the sheet."""
    rng = np.random.default_rng(seed)
    position = np.column_stack([rng.uniform(-0.25, 0.25, count), rng.uniform(-0.18, 0.25, count), np.full(count, 0.0075)])
    turns = Rotation.from_euler("z", rng.uniform(0, np.pi, (count, 1))).as_quat(scalar_first=True)
    return Scene(np.tile(BLOCK, (count, 1)), position, turns)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory) -> Sheet:
    path = tmp_path_factory.mktemp("sheets") / "a4.pdf"
    return lay_sheet(path, draw_target(path), PLACE, TURN)


@pytest.fixture(scope="module")
def photograph(sheet: Sheet):
    return take_photograph(debris(), CAMERA, sheet, k1=-0.15)


def tower_in(sheet: Sheet) -> dict:
    """Where the tower stood, in the frame of the sheet."""
    return {"origin": sheet.to_sheet(np.zeros(2)), "heading": -sheet.turn}


def angle(first: Camera, second: Camera) -> float:
    return math.degrees(math.acos(min(1.0, float(first.axes[2] @ second.axes[2]))))


@pytest.mark.parametrize("paper", TARGETS)
def test_the_page_is_to_scale(paper: str, tmp_path: Path) -> None:
    target = draw_target(tmp_path / "t.pdf", paper)
    page = read_page(tmp_path / "t.pdf")
    np.testing.assert_allclose(page.size, np.array(target.page) * 1e3, atol=0.01)
    low, high = page.black[:, :2].min(axis=0), page.black[:, 2:].max(axis=0)
    np.testing.assert_allclose(high - low, np.array(target.board) * 1e3, atol=0.01)
    sides = page.black[:, 2:] - page.black[:, :2]
    squares = np.isclose(sides, target.square * 1e3, atol=0.01).all(axis=1)
    assert squares.sum() == (target.columns * target.rows + 1) // 2
    lengths = np.linalg.norm(page.lines[:, 2:] - page.lines[:, :2], axis=1)
    assert np.isclose(lengths, 100.0, atol=0.01).any()  # the ruler
    assert (low > 5).all()  # printers leave 4 to 5 mm white
    assert (high < page.size - 5).all()
    assert page.lines[:, [1, 3]].min() > 8


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_page_is_opencv_s_board(paper: str, tmp_path: Path) -> None:
    target = draw_target(tmp_path / "t.pdf", paper)
    page = read_page(tmp_path / "t.pdf")
    side = 80  # [pixels] of a square
    drawn = np.full((target.rows * side, target.columns * side), 255, np.uint8)
    scale = side / (target.square * 1e3)
    low = page.black[:, :2].min(axis=0)
    for left, bottom, right, top in np.rint((page.black - [*low, *low]) * scale).astype(int):
        drawn[len(drawn) - top : len(drawn) - bottom, left:right] = 0
    expected = build_board(target).generateImage((target.columns * side, target.rows * side))
    assert (np.asarray(expected) == drawn).mean() > 0.999


def test_the_same_page_twice_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        draw_target(tmp_path / name, "letter")
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def test_corners_are_found_to_a_tenth_of_a_pixel(photograph, sheet: Sheet) -> None:
    picture, lens = photograph
    seen = Target.find(picture)
    assert len(seen.points) >= 20
    cos, sin = np.cos(TURN), np.sin(TURN)
    floor = seen.points[:, :2] @ np.array([[cos, sin], [-sin, cos]]) + PLACE
    truth = lens.distort(CAMERA.project(np.column_stack([floor, np.zeros(len(floor))]))[0])
    off = seen.pixels - truth
    assert np.linalg.norm(off, axis=1).max() < 0.1
    assert np.abs(off.mean(axis=0)).max() < 0.03  # half a pixel would be another convention


def test_the_camera_comes_back(photograph, sheet: Sheet) -> None:
    picture, lens = photograph
    found = find_camera(picture, **tower_in(sheet))
    assert math.dist(found.camera.eye, CAMERA.eye) < 0.005
    assert angle(found.camera, CAMERA) < 0.3
    assert found.reprojection_error < 0.6
    assert found.lens.k1 == pytest.approx(lens.k1, abs=0.04)
    assert found.lens.focal == pytest.approx(lens.focal, rel=0.01)


def test_the_camera_is_that_of_the_straightened_picture(photograph, sheet: Sheet) -> None:
    """Corners in the straightened picture are where the pinhole has them."""
    picture, _ = photograph
    foot = np.array([0.3, 0.1, 0.0])
    found = find_camera(picture, origin=foot[:2])
    straight, lens = straighten(picture, found.lens)
    assert straight.shape[:2] == (found.camera.height, found.camera.width) == (lens.height, lens.width)
    seen = Target.find(straight)
    off = seen.pixels - found.camera.project(seen.points - foot)[0]
    assert np.linalg.norm(off, axis=1).max() < 0.2


@pytest.mark.parametrize("origin", [(0.0, 0.0), (0.0, 0.0, 0.1)])
def test_a_target_without_the_place_of_the_tower_is_refused(photograph, origin: tuple[float, ...]) -> None:
    """At 0 0 the tower would stand on the corner of the sheet, wherever it is turned to."""
    with pytest.raises(InvalidInput, match="it is not known where the tower stood") as caught:
        find_camera(photograph[0], origin=origin, heading=0.3)
    assert caught.value.kind == "foot_missing"


def test_a_sheet_from_straight_above_is_told_as_a_sheet(sheet: Sheet) -> None:
    """Its corners are points that nobody has typed: what is said first does not speak of points."""
    above = Camera(eye=(0.0, -0.3, 1.0), target=(0.0, -0.3, 0.0), up=(0.0, 1.0, 0.0), field_of_view=0.6, width=1024, height=768)
    picture, _ = take_photograph(debris(3), above, sheet)
    with pytest.raises(InvalidInput, match="more from the side, with the sheet flat") as caught:
        find_camera(picture, **tower_in(sheet))
    assert caught.value.kind == "target_unclear"
    assert "point" not in caught.value.what
    assert "focal length cannot be determined" in str(caught.value)


def test_a_sheet_that_is_partly_hidden_serves(sheet: Sheet) -> None:
    scene = debris(3)
    bars = np.array([(-0.08, -0.36, 0.02), (0.09, -0.3, 0.02)])  # over the lower left and the right of the sheet
    sizes, turns = np.array([(0.13, 0.05, 0.04), (0.05, 0.09, 0.04)]), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    hiding = Scene(*(np.vstack(parts) for parts in zip(scene, (sizes, bars, turns), strict=True)))
    picture, _ = take_photograph(hiding, CAMERA, sheet, blur=0.9, noise=0.02)
    found = find_camera(picture, **tower_in(sheet))
    assert 6 <= len(found.used) < 24
    assert math.dist(found.camera.eye, CAMERA.eye) < 0.03
    assert angle(found.camera, CAMERA) < 0.5


def test_a_sheet_that_is_nearly_hidden_says_how_much_is_seen(photograph) -> None:
    picture = photograph[0].copy()
    corners = Target.find(picture).pixels
    left, top = np.percentile(corners, 45, axis=0).astype(int)
    picture[top - 60 :] = 128
    picture[:, left:] = 128
    with pytest.raises(InvalidInput, match=r"\d corners and \d+ markers are seen, and 6 corners are needed|no target is seen"):
        Target.find(picture)


def test_no_target_lists_the_four_ways() -> None:
    blank = np.full((300, 400, 3), 180, np.uint8)
    with pytest.raises(InvalidInput, match="no target is seen") as caught:
        find_camera(blank)
    for way in ("anastylosis target", "points file", "camera file"):
        assert way in str(caught.value)
    with pytest.raises(InvalidInput, match="four ways"):
        find_camera(blank, target=False)


def test_without_opencv_the_extra_is_named(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtra, match="photo"):
        Target.find(np.zeros((100, 100), np.uint8))
    with pytest.raises(MissingExtra, match="photo"):
        draw_target(tmp_path / "t.pdf")


def test_without_opencv_the_missing_camera_comes_first(monkeypatch) -> None:
    """Two of the four ways to tell it need no OpenCV."""
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(InvalidInput, match=r"^the camera of the picture is not known") as caught:
        find_camera(np.full((300, 400, 3), 180, np.uint8))
    said = str(caught.value)
    order = [said.index(words) for words in ("anastylosis target", "points file", "camera file", "opencv-python-headless")]
    assert order == sorted(order)


def test_paper_that_is_not_known() -> None:
    with pytest.raises(InvalidInput, match="choose one of a4, letter, a3"):
        draw_target("t.pdf", "papyrus")
