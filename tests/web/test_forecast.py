"""The pictures of the comparison, and what stands under them."""

from dataclasses import replace

import numpy as np
import pytest

from anastylosis.rendering import Camera
from anastylosis.report.detection_overlay import FELL
from anastylosis.web.config import LANGUAGES
from anastylosis.web.findings import SIGHT, Finding
from anastylosis.web.forecast import ROOM, draw_comparison, draw_sight, list_numbers, name_story, widen
from anastylosis.web.words import Translator


def test_the_comparison_says_what_it_shows(finding: Finding) -> None:
    first = finding.choose(0)._replace(fell=True)
    told = [first, first._replace(fell=False), first._replace(trial=None)]
    assert first.trial is not None
    assert [Translator("en")(name_story(each), rank=1) for each in told] == [
        "Proposal 1, fallen again", "Proposal 1: did not fall again", "A simulated fall that looks alike",
    ]  # fmt: skip


def test_what_was_found_is_drawn_over_the_picture(pictured: Finding) -> None:
    drawn = pictured.sight
    assert drawn is not None
    assert drawn.shape == (SIGHT // 2, SIGHT, 3)
    assert (drawn == FELL).all(axis=2).sum() > 500  # surveyed exactly: no block is unsure
    assert not (pictured.found.photos[0].picture == FELL).all(axis=2).any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_found_is_shown_with_its_colours(pictured: Finding, finding: Finding, language: str) -> None:
    words = Translator(language)
    shown = draw_sight(pictured, words)
    assert all(words(name) in shown for name in ("sight", "sight_stands", "sight_fell", "sight_unsure"))
    assert shown.count("<figure") == 1
    assert draw_sight(finding, words) == ""  # blocks that were measured: there is no picture


def test_the_comparison_is_of_what_was_given_and_what_fell(pictured: Finding, finding: Finding) -> None:
    for each, given in ((pictured, "given_photo"), (finding, "given_survey")):
        shown = draw_comparison(each, 0, Translator("en"))
        assert Translator("en")(given) in shown
        assert shown.count("<figure") == 2


def test_a_tower_that_stays_up_is_all_in_the_picture() -> None:
    """Seen from 1 m, 0.2 m high, its top is 0.4 m above what the camera is turned to: a view of 2 atan(0.4 / 0.94) has it."""
    camera = Camera(eye=(0.0, -1.0, 0.2), target=(0.0, 0.0, 0.2), field_of_view=0.4, width=64, height=48)
    wide = widen(camera, np.array([(0.0, 0.0, 0.6), (0.1, 0.0, 0.0)]))
    assert wide.field_of_view == pytest.approx(2 * np.arctan(0.4 / ROOM))
    assert wide.project((0.0, 0.0, 0.6))[0][1] == pytest.approx(48 * (1 - ROOM) / 2)
    assert (wide.eye, wide.target, wide.width) == (camera.eye, camera.target, camera.width)
    assert widen(camera, np.array([(0.0, 0.0, 0.3)])) is camera
    assert widen(camera, np.array([(0.0, -2.0, 0.0)])) is camera  # behind the eye


@pytest.mark.parametrize(("language", "heading"), [("en", "<b>Warnings</b>"), ("es", "<b>Avisos</b>")])
def test_warnings_name_no_options_of_the_command_line(finding: Finding, language: str, heading: str) -> None:
    told = ("tell the height if you know it (--layers)", "<i> (as measured)")
    shown = list_numbers(replace(finding, found=replace(finding.found, warnings=told)), Translator(language))
    assert heading in shown
    assert "<li>tell the height if you know it</li><li>&lt;i&gt; (as measured)</li>" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_heap_that_the_picture_net_does_not_know_is_said_beside_its_number(finding: Finding, language: str) -> None:
    words, asked = Translator(language), finding.prediction
    for score in (0.7, 2.5):
        shown = list_numbers(replace(finding, found=replace(finding.found, prediction=replace(asked, unlikeness=score))), words)
        assert (words("torque_unlike", score=2.5) in shown) == (score > 1)
