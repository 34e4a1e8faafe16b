"""The camera of the stage sees all that it is turned to, in windows of any shape."""

import numpy as np
import pytest

from anastylosis.web.guard import open_server
from anastylosis.web.stage import FIELD_OF_VIEW, PRESETS, SCALE, Stage
from visitors import Visitor


@pytest.fixture(scope="module")
def visitor():
    server = open_server("127.0.0.1", 0)
    yield Visitor(server)
    server.stop()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("aspect", [0.4, 1.0, 2.5])
def test_all_is_in_the_picture(visitor: Visitor, preset: str, aspect: float) -> None:
    visitor.camera.aspect = aspect
    stage = Stage(visitor, lambda number: None)
    places = np.random.default_rng(0).uniform((-0.3, -0.1, 0.0), (0.6, 0.2, 0.3), (200, 3))
    stage.measure(places)
    stage.look(preset)
    eye, target = np.array(visitor.camera.position) / SCALE, np.array(visitor.camera.look_at) / SCALE
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    seen = (places - eye) @ np.stack([right, np.cross(right, ahead), ahead]).T
    half = np.tan(FIELD_OF_VIEW / 2)
    assert (np.abs(seen[:, :2] / seen[:, 2:]) < (half * aspect, half)).all()
    assert np.abs(seen[:, :2] / seen[:, 2:] / (half * aspect, half)).max() > 0.6  # and not from afar
