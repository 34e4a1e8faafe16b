"""One small reconstruction for all tests of this folder."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.predict.eye.eye import Photo
from anastylosis.render import frame_points
from anastylosis.report.reconstruction.scene import Scene, surround
from anastylosis.web.findings import SIGHT, Finding
from anastylosis.web.forecast import draw
from visitors import find_small_tower


@pytest.fixture(scope="session")
def finding(tmp_path_factory) -> Finding:
    """With physics: two proposals, the first of them fallen again."""
    return find_small_tower(tmp_path_factory.mktemp("with"), 2)


@pytest.fixture
def pictured(finding: Finding) -> Finding:
    """The same, as if its blocks had been found in a picture of them."""
    survey = finding.found.survey
    camera = frame_points(surround(survey.size, survey.position), width=2 * SIGHT, height=SIGHT, margin=0.06)
    picture = draw(Scene(survey.size, survey.position, survey.orientation, np.ones(len(survey), bool), {}), camera)
    return replace(finding, observation=finding.observation._replace(photos=(Photo(picture, camera),)))
