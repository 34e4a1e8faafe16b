"""Cameras from points: exact, noisy, wrong, mirrored, too few."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from anastylosis.detection.camera.fit import cross_matrix, differentiate, left_jacobian, project
from anastylosis.detection.camera.lens import Lens
from anastylosis.detection.camera.pose import Solved, solve_camera
from anastylosis.detection.camera.start import Pose
from anastylosis.errors import InvalidInput
from anastylosis.rendering.camera import Camera, random_camera

SQUARE = np.array([(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)])
CAMERA = Camera(eye=(0.5, -0.8, 0.6), target=(0.05, 0.0, 0.0), field_of_view=0.8, width=1024, height=768)
FOCAL = 1 / CAMERA.pixel_size
GRID = np.stack(np.meshgrid(np.linspace(-0.3, 0.3, 6), np.linspace(-0.2, 0.2, 5)), axis=-1).reshape(-1, 2)


def see(camera: Camera, floor: np.ndarray) -> np.ndarray:
    return camera.project(np.column_stack([floor, np.zeros(len(floor))]))[0]


def solve(floor: np.ndarray, pixels: np.ndarray, **known: object) -> Solved:
    return solve_camera(floor, pixels, CAMERA.width, CAMERA.height, **known)  # type: ignore[arg-type]


def angle(first: Camera, second: Camera) -> float:
    """Degrees between two views."""
    return math.degrees(math.acos(min(1.0, float(first.axes[2] @ second.axes[2]))))


def apart(first: Camera, second: Camera) -> float:
    return math.dist(first.eye, second.eye)


def test_four_exact_points_tell_all() -> None:
    found = solve(SQUARE, see(CAMERA, SQUARE))
    assert found.lens.focal == pytest.approx(FOCAL, rel=1e-3)
    assert apart(found.camera, CAMERA) < 1e-6
    assert angle(found.camera, CAMERA) < 1e-4
    assert found.reprojection_error < 1e-6
    assert found.used == (0, 1, 2, 3)
    assert found.lens.k1 == 0
    np.testing.assert_allclose(found.camera.project([(0.1, 0.2, 0.05)])[0], CAMERA.project([(0.1, 0.2, 0.05)])[0], atol=1e-4)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_any_camera_comes_back_from_exact_points(seed: int) -> None:
    camera = random_camera(np.random.default_rng(seed), 1024, 768)
    found = solve(SQUARE, see(camera, SQUARE))
    assert found.lens.focal == pytest.approx(1 / camera.pixel_size, rel=1e-3)
    assert apart(found.camera, camera) < 1e-3
    assert found.camera.eye[2] > 0


def test_noise_moves_the_eye_as_far_as_is_told() -> None:
    """Of 20 pictures with 0.3 pixels of noise, errors over deviations are near one: root mean square, three parts each."""
    rng = np.random.default_rng(0)
    pixels = see(CAMERA, GRID)
    found = [solve(GRID, pixels + rng.normal(0, 0.3, pixels.shape)) for _ in range(20)]
    shares = [apart(each.camera, CAMERA) / each.eye_sd for each in found]
    assert 0.6 < math.sqrt(np.mean(np.square(shares))) < 1.5
    assert max(apart(each.camera, CAMERA) for each in found) < 0.015
    assert np.mean([each.reprojection_error for each in found]) == pytest.approx(0.3 * math.sqrt(2), rel=0.15)


def test_distortion_is_found_from_many_points() -> None:
    lens = Lens(focal=FOCAL, width=1024, height=768, k1=-0.15)
    found = solve(GRID, lens.distort(see(CAMERA, GRID)))
    assert found.lens.k1 == pytest.approx(-0.15, abs=0.005)
    assert found.lens.focal == pytest.approx(FOCAL, rel=2e-3)
    assert apart(found.camera, CAMERA) < 0.002


def test_a_lens_that_is_known_is_kept() -> None:
    lens = Lens(focal=FOCAL, width=1024, height=768, k1=-0.2, k2=0.05, middle=(500.0, 380.0))
    pixels = lens.distort(see(CAMERA, SQUARE) - (512, 384) + lens.middle)
    found = solve(SQUARE, pixels, lens=lens)
    assert found.lens == lens
    assert apart(found.camera, CAMERA) < 1e-6


def test_from_straight_above_only_a_known_lens_helps() -> None:
    above = Camera(eye=(0.0, 0.0, 1.2), target=(0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0), field_of_view=0.8, width=1024, height=768)
    with pytest.raises(InvalidInput, match="focal length cannot be determined"):
        solve(SQUARE, see(above, SQUARE))
    found = solve(SQUARE, see(above, SQUARE), lens=Lens(focal=FOCAL, width=1024, height=768))
    assert apart(found.camera, above) < 1e-6


def test_wrong_points_among_many_are_left_out() -> None:
    pixels = see(CAMERA, GRID) + np.random.default_rng(1).normal(0, 0.2, (len(GRID), 2))
    pixels[3] += 50
    pixels[17] -= (80, 15)
    found = solve(GRID, pixels)
    assert found.left_out == (3, 17)
    assert apart(found.camera, CAMERA) < 0.01


def test_the_wrong_point_among_few_is_named() -> None:
    rows = [0, 2, 5, 12, 20, 24, 29]
    pixels = see(CAMERA, GRID[rows])
    pixels[3] += (60, -40)
    with pytest.raises(InvalidInput, match=r"the best one is \d+\.\d pixels off .* D fits worst .*without it .* 0\.0 pixels"):
        solve(GRID[rows], pixels, names=list("ABCDEFG"))


def test_four_points_do_not_tell_which_is_wrong() -> None:
    rows = [0, 5, 24, 29]
    pixels = see(CAMERA, GRID[rows])
    pixels[1] += (140, -120)
    with pytest.raises(InvalidInput, match="So few points do not tell which is wrong"):
        solve(GRID[rows], pixels, names=list("ABCD"))


def test_points_in_space() -> None:
    rng = np.random.default_rng(2)
    places = rng.uniform((-0.2, -0.2, 0.0), (0.2, 0.2, 0.4), (8, 3))
    found = solve(places, CAMERA.project(places)[0])
    assert apart(found.camera, CAMERA) < 1e-6
    with pytest.raises(InvalidInput, match="5 points that are not in one plane"):
        solve(places[:5], CAMERA.project(places[:5])[0])


@pytest.mark.parametrize(
    ("floor", "pixels", "says"),
    [
        (SQUARE[:3], see(CAMERA, SQUARE[:3]), "there are 3 points; a camera needs 4"),
        (SQUARE * (1, -1), see(CAMERA, SQUARE), "mirrored"),
        (SQUARE[:, ::-1], see(CAMERA, SQUARE), "mirrored"),
        (SQUARE[[0, 2, 1, 3]], see(CAMERA, SQUARE), "no camera sees these points there"),
        (SQUARE * (1, 0), see(CAMERA, SQUARE), "the points are on one line"),
        (SQUARE, see(CAMERA, SQUARE) * (1, 0) + (0, 300), "seen on one line"),
        (np.array([(0, 0), (0.1, 0), (0.2, 0), (0.1, 0.2)]), None, "all of them but one are on one line"),
        (SQUARE, see(CAMERA, SQUARE) * (1, 2.5), "outside the picture, which has 1024 columns and 768 rows"),
        (SQUARE * (1, np.nan), see(CAMERA, SQUARE), "finite"),
        (SQUARE, see(CAMERA, SQUARE)[:3], "have shape"),
    ],
)
def test_refusals(floor: np.ndarray, pixels: np.ndarray | None, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        solve(floor, see(CAMERA, floor) if pixels is None else pixels)
    assert re.search(says, str(caught.value)), caught.value


def test_derivatives_are_those_of_the_projection() -> None:
    rng = np.random.default_rng(3)
    places = rng.uniform(-0.3, 0.3, (5, 3))
    pose = Pose(np.stack(CAMERA.axes), np.array(CAMERA.eye))
    seen = (places - pose.eye) @ pose.rotation.T
    by_seen, by_k1, by_focal = differentiate(seen, 900.0, -0.1, 0.05)

    def flat(eye_focal_k1: np.ndarray) -> np.ndarray:
        return project(places, Pose(pose.rotation, eye_focal_k1[:3]), eye_focal_k1[3], eye_focal_k1[4], 0.05, np.zeros(2))[
            0
        ].ravel()

    slope = approx_fprime(np.array([*pose.eye, 900.0, -0.1]), flat, 1e-6)
    np.testing.assert_allclose((-by_seen @ pose.rotation).reshape(-1, 3), slope[:, :3], rtol=1e-3, atol=0.01)
    np.testing.assert_allclose(by_focal.ravel(), slope[:, 3], atol=1e-4)
    np.testing.assert_allclose(by_k1.ravel(), slope[:, 4], atol=1e-2)


def test_left_jacobian_turns_as_the_rotation_does() -> None:
    from scipy.spatial.transform import Rotation

    turn, place = np.array([0.4, -0.7, 0.2]), np.array([0.1, 0.5, -0.3])
    slope = approx_fprime(turn, lambda w: Rotation.from_rotvec(w).apply(place), 1e-7)
    np.testing.assert_allclose(-cross_matrix(Rotation.from_rotvec(turn).apply(place)) @ left_jacobian(turn), slope, atol=1e-6)
