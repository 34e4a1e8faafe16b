"""Lenses: there and back, closed forms, refusals; pictures without distortion."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anastylosis.detection.camera.lens import Lens, straighten
from anastylosis.errors import InvalidConfig, InvalidInput

SIDES = dict(width=1024, height=768)


def grid(width: int, height: int, steps: int = 9) -> np.ndarray:
    """(N, 2) pixels all over a picture, its corners included."""
    return np.stack(np.meshgrid(np.linspace(0, width, steps), np.linspace(0, height, steps)), axis=-1).reshape(-1, 2)


def make_lens(**values: object) -> Lens | None:
    """None of a lens that folds."""
    try:
        return Lens(**values)  # type: ignore[arg-type]
    except InvalidConfig:
        return None


@given(focal=st.floats(400, 5000), k1=st.floats(-0.4, 0.6), k2=st.floats(-0.2, 0.2), x=st.floats(-80, 80), y=st.floats(-80, 80))
def test_there_and_back(focal: float, k1: float, k2: float, x: float, y: float) -> None:
    lens = make_lens(focal=focal, k1=k1, k2=k2, middle=(512 + x, 384 + y), **SIDES)
    assume(lens is not None)
    pixels = grid(1024, 768)
    straight = lens.undistort(pixels)
    assert np.isfinite(straight).all()
    np.testing.assert_allclose(lens.distort(straight), pixels, atol=1e-6)


def test_brown_s_equation() -> None:
    """x_d = x (1 + k1 r² + k2 r⁴), by hand: x = 0.3, y = 0.4, r² = 0.25."""
    lens = Lens(focal=1000.0, k1=-0.2, k2=0.1, **SIDES)
    scale = 1 - 0.2 * 0.25 + 0.1 * 0.0625
    np.testing.assert_allclose(lens.distort([512 + 300.0, 384 + 400.0]), [512 + 300 * scale, 384 + 400 * scale])


def test_what_no_lens_shows_is_nan() -> None:
    lens = Lens(focal=1000.0, k1=-0.3, **SIDES)
    fold = math.sqrt(1 / 0.9)  # 1 + 3 k1 r² = 0
    assert lens.fold == pytest.approx(fold)
    assert np.isnan(lens.distort([512 + 1000 * fold * 1.01, 384.0])).all()
    assert np.isnan(lens.undistort([512 + 1000 * fold * (2 / 3) * 1.01, 384.0])).all()  # r (1 - r² / 3 fold²) at the fold


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (dict(focal=700.0, k1=-0.6), "folds"),
        (dict(focal=700.0, k1=1e308), r"k1 1e\+308, k2 0; they are numbers of no more than 1,000,000"),
        (dict(focal=700.0, k1=-1e308), r"the distortion is k1 -1e\+308"),
        (dict(focal=700.0, k2=1e308), r"the distortion is k1 0, k2 1e\+308"),
        (dict(focal=700.0, k1=1e5), "stretches the picture more than 4 times"),
        (dict(focal=700.0, k1=0.1, k2=-1.0), "folds"),
        (dict(focal=5.0), "focal length is 5 pixels"),
        (dict(focal=math.nan), "focal length"),
        (dict(focal=1000.0, middle=(9000.0, 3.0)), "principal point"),
        (dict(focal=1000.0, middle=(math.nan, 3.0)), "principal point"),
        (dict(focal=1000.0, k1=math.inf), "distortion"),
        (dict(focal=1000.0, width=0), "width is 0"),
        (dict(focal=1000.0, width=True), "width is True"),
        (dict(focal=1000.0, height=1e9), "height"),
    ],
)
def test_refusals(values: dict, says: str) -> None:
    with pytest.raises(InvalidConfig, match=says):
        Lens(**(SIDES | values))


@pytest.mark.parametrize("k1", [-0.25, 0.2])
def test_straight_lens_holds_all_that_was_seen(k1: float) -> None:
    lens = Lens(focal=900.0, k1=k1, middle=(530.0, 370.0), **SIDES)
    straight = lens.straight()
    assert straight.is_straight
    seen = (lens.undistort(grid(1024, 768, 65)) - lens.middle) / lens.focal * straight.focal + straight.middle
    assert seen.min() > -1e-9
    assert (seen <= [1024 + 1e-9, 768 + 1e-9]).all()
    touched = [seen[:, 0].min(), 1024 - seen[:, 0].max(), seen[:, 1].min(), 768 - seen[:, 1].max()]
    assert min(touched) == pytest.approx(0, abs=1e-2)  # no smaller than it has to be


def test_a_pinhole_stays_as_it_is() -> None:
    lens = Lens(focal=900.0, **SIDES)
    picture = np.random.default_rng(0).integers(0, 256, (768, 1024, 3), np.uint8)
    made, after = straighten(picture, lens)
    assert made is picture
    assert after is lens


def test_large_photographs_become_a_camera_s_size() -> None:
    straight = Lens(focal=6000.0, width=8064, height=6048).straight()
    assert straight.width * straight.height <= 4096 * 4096
    assert straight.focal / straight.width == pytest.approx(6000 / 8064, rel=1e-3)


def test_straightened_lines_are_straight() -> None:
    """A lens shows a line of the floor bent; in the straightened picture it is where the pinhole has it."""
    lens = Lens(focal=400.0, k1=-0.25, width=400, height=300, middle=(210.0, 140.0))
    pixels = np.stack(np.meshgrid(np.arange(400) + 0.5, np.arange(300) + 0.5), axis=-1)
    x = lens.undistort(pixels)[..., 0]
    picture = (128 + 100 * np.tanh((x - 60.0) / 4)).astype(np.uint8)  # an edge at column 60 of the pinhole
    made, straight = straighten(picture, lens)
    edge = (60.0 - lens.middle[0]) / lens.focal * straight.focal + straight.middle[0]
    for row in (60, 150, 240):
        across = made[row].astype(float)
        first = int(edge) - 8 + int(np.argmax(across[int(edge) - 8 :] > 128))
        found = first - 0.5 + (128 - across[first - 1]) / (across[first] - across[first - 1])
        assert found == pytest.approx(edge, abs=0.2)


def test_pictures_of_another_size_are_refused() -> None:
    with pytest.raises(InvalidInput, match="400 x 300 pixels and the lens is of 1024 x 768"):
        straighten(np.zeros((300, 400, 3), np.uint8), Lens(focal=900.0, k1=0.1, **SIDES))
    with pytest.raises(InvalidInput, match="float64"):
        straighten(np.zeros((768, 1024)), Lens(focal=900.0, **SIDES))  # type: ignore[arg-type]


def test_resizing_scales_all_lengths() -> None:
    small = Lens(focal=900.0, k1=-0.1, k2=0.02, middle=(500.0, 390.0), **SIDES).resize(512, 384)
    assert (small.focal, small.middle, small.k1, small.k2) == (450.0, (250.0, 195.0), -0.1, 0.02)
