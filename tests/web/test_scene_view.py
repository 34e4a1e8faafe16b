"""The camera of the scene sees all that it is turned to, in windows of any shape."""

import numpy as np
import pytest

from anastylosis.web.scene_view import FIELD_OF_VIEW, FULL, PRESETS, SCALE, SceneView
from support.visitors import Visitor, open_page_server


@pytest.fixture(scope="module")
def visitor():
    server = open_page_server()
    yield Visitor(server)
    server.stop()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("aspect", [0.7, 1.0, 2.5])
def test_all_is_in_the_picture(visitor: Visitor, preset: str, aspect: float) -> None:
    visitor.camera.aspect = aspect
    scene_view = SceneView(visitor, lambda number: None)
    places = np.random.default_rng(0).uniform((-0.3, -0.1, 0.0), (0.6, 0.2, 0.3), (200, 3))
    scene_view.measure(places)
    scene_view.look(preset)
    half = np.tan(FIELD_OF_VIEW / 2)
    seen = see(visitor, places) / (half * aspect, half)
    assert (np.abs(seen) < 1).all()
    assert np.abs(seen).max() > 0.6  # and not from afar


@pytest.mark.parametrize("preset", PRESETS)
def test_a_block_that_lies_apart_is_in_the_picture(visitor: Visitor, preset: str) -> None:
    visitor.camera.aspect = 0.75
    scene_view = SceneView(visitor, lambda number: None)
    places = np.concatenate([np.random.default_rng(0).uniform((-0.1, -0.1, 0.0), (0.1, 0.1, 0.3), (200, 3)), [(0.2, -0.5, 0.0)]])
    scene_view.measure(places[:200], places[200:])
    scene_view.look(preset)
    half = np.tan(FIELD_OF_VIEW / 2)
    seen = see(visitor, places) / (half * 0.75, half)
    assert np.abs(seen).max() == pytest.approx(FULL)
    assert seen.min(axis=0) + seen.max(axis=0) == pytest.approx(0.0, abs=0.2)  # in the middle


@pytest.mark.parametrize("dots", [1, 3])  # in a point of the screen, along each side
@pytest.mark.parametrize("preset", PRESETS)
def test_all_is_above_the_sheet_of_controls_on_a_phone(visitor: Visitor, preset: str, dots: int, monkeypatch) -> None:
    monkeypatch.setattr(visitor.camera, "image_width", dots * 390)
    visitor.camera.aspect = 390 / 800
    scene_view = SceneView(visitor, lambda number: None)
    places = np.random.default_rng(0).uniform((-0.1, -0.1, 0.0), (0.1, 0.1, 0.3), (200, 3))
    scene_view.measure(places)
    scene_view.look(preset)
    half = np.tan(FIELD_OF_VIEW / 2)
    seen = see(visitor, places) / (half * visitor.camera.aspect, half)
    assert (np.abs(seen) < 1).all()
    assert (seen[:, 1] > 0.2).all()  # of -1, the bottom, to 1, the top: the sheet reaches to 0.2


def see(visitor: Visitor, places: np.ndarray) -> np.ndarray:
    """(N, 2) where the camera sees places, to the right and up, in shares of how far they are away."""
    eye, target = np.array(visitor.camera.position) / SCALE, np.array(visitor.camera.look_at) / SCALE
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    seen = (places - eye) @ np.stack([right, np.cross(right, ahead), ahead]).T
    return seen[:, :2] / seen[:, 2:]
