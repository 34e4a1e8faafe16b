"""The pictures of the comparison, and what stands under them."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.predict.eye.eye import Photo
from anastylosis.render import frame_points
from anastylosis.report.reconstruction.scene import Scene, surround
from anastylosis.report.sight import FELL_COLOURS
from anastylosis.web.config import LANGUAGES
from anastylosis.web.findings import SIGHT, Finding
from anastylosis.web.forecast import draw, draw_comparison, name_story
from anastylosis.web.words import Words


def test_the_comparison_says_what_it_shows(finding: Finding) -> None:
    first = finding.choose(0)._replace(fell=True)
    told = [first, first._replace(fell=False), first._replace(trial=None)]
    assert first.trial is not None
    assert [Words("en")(name_story(each), rank=1) for each in told] == [
        "Proposal 1, fallen again", "Proposal 1: did not fall again", "A simulated fall that looks alike",
    ]  # fmt: skip


@pytest.fixture
def pictured(finding: Finding) -> Finding:
    """The same, as if its blocks had been found in a picture of them."""
    survey = finding.found.survey
    camera = frame_points(surround(survey.size, survey.position), width=2 * SIGHT, height=SIGHT, margin=0.06)
    picture = draw(Scene(survey.size, survey.position, survey.orientation, np.ones(len(survey), bool), {}), camera)
    return replace(finding, observation=finding.observation._replace(photos=(Photo(picture, camera),)))


def test_what_was_found_is_drawn_over_the_picture(pictured: Finding) -> None:
    drawn = pictured.sight
    assert drawn is not None
    assert drawn.shape == (SIGHT // 2, SIGHT, 3)
    assert (drawn == FELL_COLOURS[0]).all(axis=2).sum() > 500  # surveyed exactly: no block is unsure
    assert not (pictured.observation.photos[0].picture == FELL_COLOURS[0]).all(axis=2).any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_found_is_shown_with_its_colours(pictured: Finding, finding: Finding, language: str) -> None:
    words = Words(language)
    shown = draw_comparison(pictured, 0, words)
    said = [words(name) for name in ("given_photo", "sight", "sight_stands", "sight_fell", "sight_unsure")]
    assert all(each in shown for each in said)
    assert shown.count("<figure") == 3
    assert draw_comparison(finding, 0, words).count("<figure") == 2  # blocks that were measured: there is no picture
