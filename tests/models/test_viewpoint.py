"""A picture that says its camera: warned of where that is not the model's."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.dataset import Recipe
from anastylosis.models import picture as viewpoint
from anastylosis.models.picture import warn_of_camera
from anastylosis.models.predictor import Predictor
from anastylosis.rendering import still_camera, write_png
from anastylosis.rendering.picture import CAMERA_TEXT
from anastylosis.training.picture.config import build_view
from support.models import make_card, write_model

VIEW = build_view(Recipe())


def test_the_text_has_the_name_that_it_is_written_with() -> None:
    assert viewpoint.CAMERA_TEXT == CAMERA_TEXT


def test_a_picture_of_another_camera_is_warned_of(tmp_path: Path) -> None:
    write_model(tmp_path / "m.onnx", card=make_card(view=VIEW))
    predictor = Predictor.from_file(tmp_path / "m.onnx")
    debris = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    for turn, tilt, reach, said in ((0, 0, 1, ""), (0.1, 0.05, 1, ""), (1, 0, 1, "57 degrees to the side"), (0, 0.3, 1, "higher"),
                                    (0, 0, 0.5, "m in the picture")):  # fmt: skip
        near = replace(VIEW, azimuth=VIEW.azimuth + turn, elevation=VIEW.elevation + tilt, reach=reach * VIEW.reach, layers=8)
        write_png(tmp_path / "p.png", debris, still_camera(64, **vars(near)))
        warnings = [each for each in predictor.predict(tmp_path / "p.png").warnings if "camera" in each]
        assert bool(warnings) == bool(said)
        assert not said or said in warnings[0]


@pytest.mark.parametrize("text", [None, "", "{", "[]", "3", '{"eye": [1, 2], "target": [0, 0], "field_of_view": 1}',
                                  '{"eye": "x", "target": 0, "field_of_view": 1}',
                                  f'{{"eye": [1, 1, 1], "target": [0, 0, 0], "field_of_view": {10**400}}}',
                                  f'{{"eye": [1, 1, {10**400}], "target": [0, 0, 0], "field_of_view": 1}}',
                                  '{"eye": [Infinity, 1, 1], "target": [Infinity, 0, 0], "field_of_view": 1}',
                                  '{"eye": [1e308, 1, 1], "target": [-1e308, 0, 0], "field_of_view": 1}',
                                  '{"eye": [0, 1e-162, 2e-162], "target": [0, 0, 0], "field_of_view": 1}',
                                  '{"eye": [3e-161, 1e-161, 1e-160], "target": [0, 0, 0], "field_of_view": 1}'])  # fmt: skip
def test_what_is_no_camera_is_not_warned_of(text) -> None:
    assert warn_of_camera(text, VIEW) == []
