"""The pictures of the comparison, and what stands under them."""

import pytest

from anastylosis.report.sight import FELL_COLOURS
from anastylosis.web.config import LANGUAGES
from anastylosis.web.findings import SIGHT, Finding
from anastylosis.web.forecast import draw_comparison, draw_sight, name_story
from anastylosis.web.words import Words


def test_the_comparison_says_what_it_shows(finding: Finding) -> None:
    first = finding.choose(0)._replace(fell=True)
    told = [first, first._replace(fell=False), first._replace(trial=None)]
    assert first.trial is not None
    assert [Words("en")(name_story(each), rank=1) for each in told] == [
        "Proposal 1, fallen again", "Proposal 1: did not fall again", "A simulated fall that looks alike",
    ]  # fmt: skip


def test_what_was_found_is_drawn_over_the_picture(pictured: Finding) -> None:
    drawn = pictured.sight
    assert drawn is not None
    assert drawn.shape == (SIGHT // 2, SIGHT, 3)
    assert (drawn == FELL_COLOURS[0]).all(axis=2).sum() > 500  # surveyed exactly: no block is unsure
    assert not (pictured.observation.photos[0].picture == FELL_COLOURS[0]).all(axis=2).any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_found_is_shown_with_its_colours(pictured: Finding, finding: Finding, language: str) -> None:
    words = Words(language)
    shown = draw_sight(pictured, words)
    assert all(words(name) in shown for name in ("sight", "sight_stands", "sight_fell", "sight_unsure"))
    assert shown.count("<figure") == 1
    assert draw_sight(finding, words) == ""  # blocks that were measured: there is no picture


def test_the_comparison_is_of_what_was_given_and_what_fell(pictured: Finding, finding: Finding) -> None:
    for each, given in ((pictured, "given_photo"), (finding, "given_survey")):
        shown = draw_comparison(each, 0, Words("en"))
        assert Words("en")(given) in shown
        assert shown.count("<figure") == 2
