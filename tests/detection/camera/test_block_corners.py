"""Cameras from the corners of one block: exact, noisy, six of seven, wrong; and how sure they say they are."""

import math

import numpy as np
import pytest

from anastylosis.detection.camera.block_corners import LIES, RANGE, solve_corners
from anastylosis.detection.camera.fit import FocalPrior
from anastylosis.errors import InvalidInput
from anastylosis.rendering import Camera
from support.block_clicks import HEIGHT, WIDTH, BlockView, draw_block_view

EXACT = 1e-7  # [pixels] error of clicks that are exact
NOISE = 1.5  # [pixels]
SIDES = np.array([0.081, 0.026, 0.018])
NEAR = BlockView(
    (0.081, 0.026, 0.018), SIDES,
    Camera(eye=(0.12, -0.2, 0.2), target=(0, 0, 0), field_of_view=0.6, width=WIDTH, height=HEIGHT),
)  # fmt: skip
FAR = BlockView(
    (0.081, 0.026, 0.018), SIDES,
    Camera(eye=(0.9, -1.5, 1.5), target=(0, 0, 0), field_of_view=0.6, width=WIDTH, height=HEIGHT),
)  # fmt: skip


def measure_errors(seen: BlockView, found) -> tuple[float, float]:
    """Errors of the focal length and of the eye, relative."""
    away = math.dist(found.camera.eye, seen.camera.eye) / math.hypot(*seen.camera.eye)
    return abs(math.log(found.lens.focal / seen.focal)), away


@pytest.mark.parametrize("count", [7, 6])
def test_exact_corners_in_any_order_tell_the_camera(count: int) -> None:
    rng = np.random.default_rng(count)
    lies = set()
    for _ in range(24 if count == 7 else 10):
        seen = draw_block_view(rng)
        clicks = seen.pixels[rng.permutation(7)[:count]]
        found = solve_corners(clicks, seen.block, WIDTH, HEIGHT, click_sd=EXACT)
        assert max(measure_errors(seen, found)) < 1e-6
        np.testing.assert_allclose(found.camera.axes, seen.camera.axes, atol=1e-6)
        assert found.reprojection_error < 1e-6
        lies.add(next(words for words in LIES if words in found.source))
    assert lies == set(LIES)  # on each of its three faces


def test_how_sure_it_says_it_is_holds() -> None:
    """300 cameras, 1.5 pixels: the range that is said to hold nine in ten holds 85 to 95 of 100, of focal lengths and eyes."""
    rng = np.random.default_rng(1)
    inside, errors, refused = [], [], 0
    for _ in range(300):
        seen = draw_block_view(rng)
        clicks = seen.pixels + rng.normal(0, NOISE, (7, 2))
        try:
            found = solve_corners(clicks, seen.block, WIDTH, HEIGHT)
        except InvalidInput:
            refused += 1
            continue
        focal, eye = measure_errors(seen, found)
        inside.append(focal < RANGE * found.focal_sd)
        errors.append((focal, eye))
    assert 0.85 <= np.mean(inside) <= 0.95
    assert refused < 0.4 * 300
    assert np.median(errors, axis=0).max() < 0.08


def test_a_focal_length_that_is_known_otherwise_makes_a_small_block_enough() -> None:
    clicks = FAR.pixels + np.random.default_rng(2).normal(0, NOISE, (7, 2))
    with pytest.raises(InvalidInput, match="focal length cannot be determined") as refused:
        solve_corners(clicks, FAR.block, WIDTH, HEIGHT)
    assert refused.value.kind == "corners_small"
    assert "EXIF" in str(refused.value)
    found = solve_corners(clicks, FAR.block, WIDTH, HEIGHT, prior=FocalPrior(1.03 * FAR.focal, 0.06, "EXIF: 50 mm"))
    focal, eye = measure_errors(FAR, found)
    assert focal < 0.05
    assert eye < 0.15
    assert found.source == "7 corners of a block that lies flat, and EXIF: 50 mm"


def test_one_that_stands_on_its_end_is_told_of() -> None:
    rng = np.random.default_rng(3)
    found = None
    while found is None or LIES[2] not in found.source:
        seen = draw_block_view(rng)
        found = solve_corners(seen.pixels, seen.block, WIDTH, HEIGHT, click_sd=EXACT)
    assert seen.sides[2] == seen.block[0]
    assert any("stands on its end" in warning for warning in found.warnings)


def test_a_block_of_the_bottom_course_shows_two_faces() -> None:
    """Blocks above it hide the far edge of its upper face."""
    visible = NEAR.camera.project(
        [(x, y, z) for x, y in ((-0.0405, -0.013), (0.0405, -0.013), (0.0405, 0.013)) for z in (0, 0.018)]
    )
    found = solve_corners(visible[0][::-1], NEAR.block, WIDTH, HEIGHT, click_sd=EXACT)
    assert max(measure_errors(NEAR, found)) < 1e-6


@pytest.mark.parametrize(
    ("clicks", "block", "kind"),
    [
        (NEAR.pixels[:5], NEAR.block, "corners_few"),
        (np.vstack([NEAR.pixels, [(9.0, 9.0)]]), NEAR.block, "corners_few"),
        (NEAR.pixels[[0, 1, 2, 3, 4, 5, 5]], NEAR.block, "corners_wrong"),
        (NEAR.pixels * 3.0, NEAR.block, "corners_wrong"),
        (np.vstack([NEAR.pixels[:6], NEAR.pixels[6] + (90.0, -70.0)]), NEAR.block, "corners_wrong"),
        (NEAR.pixels, (0.081, 0.04, 0.01), "corners_wrong"),
        (NEAR.pixels[:, ::-1], NEAR.block, "corners_wrong"),
        (np.random.default_rng(4).uniform(300, 800, (7, 2)), NEAR.block, "corners_wrong"),
    ],
)
def test_wrong_clicks_are_refused(clicks: np.ndarray, block: tuple[float, float, float], kind: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        solve_corners(clicks, block, WIDTH, HEIGHT)
    assert refused.value.kind == kind
