"""The focal length in a picture's EXIF: read, used where nothing else tells it, and compared with what is measured."""

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from anastylosis.detection.camera.corners_file import read_corners
from anastylosis.detection.camera.exif import read_focal, solve_with_corners, solve_with_points
from anastylosis.detection.camera.fit import FocalPrior
from anastylosis.detection.camera.photograph import find_camera
from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera
from support.block_clicks import BlockView

PART, FOCAL_35, FOCAL_MM, PLANE_X, PLANE_UNIT, WIDTH, HEIGHT = 0x8769, 0xA405, 0x920A, 0xA20E, 0xA210, 0xA002, 0xA003
ABOVE = Camera(eye=(0.0, 0.0, 1.2), target=(0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0), field_of_view=0.8, width=800, height=600)
SQUARE = np.array([(-0.3, -0.3, 0.0), (0.3, -0.3, 0.0), (0.3, 0.3, 0.0), (-0.3, 0.3, 0.0)])
SEEN = BlockView(
    (0.081, 0.026, 0.018), np.array([0.081, 0.026, 0.018]),
    Camera(eye=(0.12, -0.2, 0.2), target=(0, 0, 0), field_of_view=0.6, width=800, height=600),
)  # fmt: skip


def save(path: Path, tags: dict[int, object], size: tuple[int, int] = (800, 600)) -> Path:
    exif = Image.Exif()
    exif[PART] = tags
    Image.new("RGB", size, (120, 110, 100)).save(path, exif=exif)
    return path


def write_corners(path: Path, pixels: np.ndarray) -> Path:
    path.write_text("id,column,row\n" + "\n".join(f"c{n},{x:.3f},{y:.3f}" for n, (x, y) in enumerate(pixels)))
    return path


@pytest.mark.parametrize("name", ["a.jpg", "a.png"])
def test_millimetres_on_film_count_along_the_diagonal(tmp_path: Path, name: str) -> None:
    known = read_focal(save(tmp_path / name, {FOCAL_35: 26}), 800, 600)
    assert known is not None
    assert known.focal == pytest.approx(26 / math.hypot(36, 24) * 1000)  # 800 x 600 has a diagonal of 1,000
    assert known.source == "EXIF: 26 mm on 35 mm film"


def test_the_sensor_tells_it_too(tmp_path: Path) -> None:
    """5 mm of lens, 8,000 pixels a centimetre, 1,600 pixels wide when it was taken: 4,000 pixels, and 2,000 at half the size."""
    tags = {FOCAL_MM: 5.0, PLANE_X: 8000, PLANE_UNIT: 3, WIDTH: 1600, HEIGHT: 1200}
    known = read_focal(save(tmp_path / "a.jpg", tags), 800, 600)
    assert known is not None
    assert known.focal == pytest.approx(2000)


@pytest.mark.parametrize("tags", [
    {}, {FOCAL_35: 0}, {FOCAL_35: 26, WIDTH: 1600, HEIGHT: 900}, {FOCAL_MM: 5.0}, {FOCAL_35: 1},
])  # fmt: skip
def test_nothing_cropped_or_impossible_is_believed(tmp_path: Path, tags: dict[int, object]) -> None:
    assert read_focal(save(tmp_path / "a.jpg", tags), 800, 600) is None


def test_a_turned_picture_has_the_same_focal_length(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jpg", {FOCAL_35: 26, WIDTH: 800, HEIGHT: 600})
    assert read_focal(path, 600, 800) == read_focal(path, 800, 600)


def test_points_from_straight_above_are_helped_by_exif() -> None:
    pixels = ABOVE.project(SQUARE)[0]
    with pytest.raises(InvalidInput, match="focal length cannot be determined"):
        solve_with_points(SQUARE, pixels, 800, 600, None)
    found = solve_with_points(SQUARE, pixels, 800, 600, FocalPrior(1 / ABOVE.pixel_size, 0.06, "EXIF: 40 mm"))
    np.testing.assert_allclose(found.camera.eye, ABOVE.eye, atol=1e-6)
    assert "taken from EXIF: 40 mm" in found.warnings[0]
    assert found.source == "4 of 4 points, and EXIF: 40 mm"


@pytest.mark.parametrize("wrong", [1.5, 0.6])
def test_a_contradiction_is_told_and_what_is_seen_believed(wrong: float) -> None:
    side = Camera(eye=(0.5, -0.8, 0.6), target=(0.05, 0.0, 0.0), field_of_view=0.8, width=800, height=600)
    points = solve_with_points(SQUARE, side.project(SQUARE)[0], 800, 600, FocalPrior(wrong / side.pixel_size, 0.06, "EXIF: 9 mm"))
    corners = solve_with_corners(SEEN.pixels, SEEN.block, 800, 600, FocalPrior(wrong * SEEN.focal, 0.06, "EXIF: 9 mm"))
    for found, camera in ((points, side), (corners, SEEN.camera)):
        assert any("contradict each other" in warning for warning in found.warnings)
        assert found.lens.focal == pytest.approx(1 / camera.pixel_size, rel=0.01)
    agreed = solve_with_points(SQUARE, side.project(SQUARE)[0], 800, 600, FocalPrior(1.1 / side.pixel_size, 0.06, "EXIF"))
    assert agreed.warnings == ()


def test_a_corners_file_tells_the_camera_in_the_frame_of_the_tower(tmp_path: Path) -> None:
    """The foot is 0.3 m to the right of the block and 0.1 m behind it, its lowest blocks turned by a quarter."""
    picture = save(tmp_path / "a.jpg", {})
    file = write_corners(tmp_path / "c.csv", SEEN.pixels[::-1])
    np.testing.assert_allclose(read_corners(file), SEEN.pixels[::-1], atol=1e-3)
    found = find_camera(picture, corners_file=file, origin=(0.3, 0.1), heading=math.pi / 2)
    x, y, z = SEEN.camera.eye
    np.testing.assert_allclose(found.camera.eye, (y - 0.1, 0.3 - x, z), atol=2e-3)
    with pytest.raises(InvalidInput, match="not known where the tower stood") as refused:
        find_camera(picture, corners_file=file)
    assert refused.value.kind == "foot_missing"
    with pytest.raises(InvalidInput, match="answer one question"):
        find_camera(picture, camera_file=file, corners_file=file)


@pytest.mark.parametrize(
    ("text", "says"), [("column\n3\n", "row is missing|no column row|row"), ("column,row\n1,a\n", "not a number")]
)
def test_a_corners_file_is_read_with_care(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "c.csv"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=says) as refused:
        read_corners(path)
    assert str(refused.value).startswith(str(path))
    with pytest.raises(InvalidInput, match=r"ends in \.csv"):
        read_corners(tmp_path / "c.json")
