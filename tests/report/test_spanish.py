"""Reports, panels, pictures and the screen in Spanish: no key is missing, and no English word is left."""

import re
import string
from dataclasses import replace
from html import unescape

import pytest

from anastylosis.cli.reconstruct import translate_line
from anastylosis.models import SLOT_WORDS
from anastylosis.reconstruction.folder import ASSUMED
from anastylosis.reconstruction.reconstruction import LIMITS
from anastylosis.rendering import Overlay
from anastylosis.report.reconstruction import card, film, page, panel, proposals, rebuilding, results, shades
from anastylosis.report.reconstruction.card import list_words
from anastylosis.report.reconstruction.film import describe_end, describe_source
from anastylosis.report.reconstruction.findings import list_findings
from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.naming import NONE_WORDS, WHOLE_WORDS, break_lines
from anastylosis.report.reconstruction.page import BITS, METHOD, render_report
from anastylosis.report.reconstruction.proposals import describe
from anastylosis.report.reconstruction.rebuilding import list_moves
from anastylosis.report.reconstruction.speaking import speak_line, speak_overlay
from anastylosis.spanish import TEMPLATES
from anastylosis.translation import KEPT, WORDS, translate, translate_page
from anastylosis.web.opening import open_example

ENGLISH = re.compile(
    r"\b(the|of|and|was|were|is|are|not|with|slots?|towers?|fell|that|by|from|to|its?|which|empty|what|how|pulled|blocks?|layers?|"
    r"one|none|heap|round|proposals?|sure|before|after|where|there|for|or|more|inside|found|taken|stood|still|rank|step|row|rows)\b",
    re.IGNORECASE,
)
WARNINGS = (
    "18 layers are only 41% probable; tell the height if you know it (--layers)",
    "a1, a2, a3 and 4 more lie in a row, evenly apart: laid out, not fallen. They are put back nowhere; declare it (state: set "
    "aside), or move the row's blocks out of the survey",
    "12 layers are told, and the blocks speak for 18 (92%); if the height is wrong, so are most slots below",
    "20 blocks for 54 slots: what was not found is taken for removed, and probabilities are less sure than they say if "
    "many "
    "blocks are missing",
    "stone-7: it is in the air, and nothing is under it; it is put back nowhere",
    "the most probable tower, 31%, is proposal 3: those before it agree better, when let fall again, with what lies "
    "and stands there",
    "no re-simulated tower fell, so the first proposal did not fall again either; what re-simulation says of this heap is worth "
    "little",
    "fewer than 6 blocks still stand where they stood, so nothing here confirms origin and heading",
    "turned by 90 degrees the blocks would fit their slots better (93% sure, not 61%), and too few still stand to tell; is the "
    "heading right?",
    "friction may have been below 0.20, the least that the model knows (0.12 to 0.31 by how the blocks lie): blocks slide far "
    "then, and in debris of another engine about four in ten of the fallen ones got a wrong slot",
    "friction 0.21 is low: blocks slide far then, and in debris of another engine about four in ten of the fallen ones got a "
    "wrong slot",
    "no heading was told, so 0 is taken: the bottom blocks along the long side of the printed target; if they lay otherwise, "
    "tell it (--heading)",
    "the first proposal has fewer empty slots than are to be expected: 2, not about 5.4; how many were empty is surer than "
    "which, and the map of slots says how likely each is",
    "stone-1, stone-2: they are 4.2 mm deep in each other",
)


def read_texts(html: str) -> list[str]:
    """The texts of a page, and those of its attributes."""
    bare = KEPT.sub("", html)
    return [unescape(each).strip() for each in re.findall(r">([^<]+)<", bare) + re.findall(r'(?:data-head|alt)="([^"]*)"', bare)]


def find_english(texts: list[str]) -> list[str]:
    return [
        text
        for text in texts
        if ENGLISH.search(text.replace("--layers", "").replace("--heading", "").replace("state: set aside", ""))
    ]


@pytest.mark.parametrize("english", TEMPLATES)
def test_every_sentence_is_spanish_with_the_same_places(english: str) -> None:
    places = [sorted(name for _, name, _, _ in string.Formatter().parse(text) if name) for text in (english, TEMPLATES[english])]
    assert places[0] == places[1]
    bare = re.sub(r"\{\w+\}|\(state: set aside\)|--layers|--heading", "", TEMPLATES[english])
    assert not ENGLISH.search(bare)
    assert TEMPLATES[english].strip()


@pytest.mark.parametrize(
    "text",
    [
        *METHOD, *LIMITS, *ASSUMED, BITS, SLOT_WORDS, NONE_WORDS, WHOLE_WORDS, panel.FOOT, card.TITLE, results.SEEN_WORDS,
        *(words for legend in (shades.LEGEND, shades.HEAP_LEGEND, shades.STORY_LEGEND, film.MARKED, film.MARKED_LAST,
                          rebuilding.WORDS)
          for words, _ in legend),
        film.OUTLINED[0], proposals.SLOT_SCALE.label, shades.BLOCK_SCALE.label, page.PARADATA,
    ],
)  # fmt: skip
def test_no_key_is_missing(text: str) -> None:
    assert text in TEMPLATES


def test_no_english_word_is_on_a_spanish_report() -> None:
    finding = open_example()
    found, document = finding.found, finding.document
    lines = list_lines(found, finding.prediction)
    for given in (
        document,
        document | {"warnings": list(WARNINGS), "differ": ["L01_0"], "check_next": [], "friction_told": [0.3, 0.5]},
    ):
        report = render_report(given, lines, {}, ["reconstruction.mp4"], "es")
        assert find_english(read_texts(report)) == []
        assert '<html lang="es">' in report
        assert "La respuesta" in report
        assert "escombro" in report
    assert find_english(read_texts(render_report(document, lines, {}, []))) != []  # which this test would find


@pytest.mark.parametrize("warning", WARNINGS)
def test_warnings_are_spanish(warning: str) -> None:
    assert not ENGLISH.search(translate(warning, "es").replace("(state: set aside)", "").replace("--layers", ""))
    assert translate(warning, "en") == warning


def test_panel_films_and_screen_are_spanish() -> None:
    finding = open_example()
    found, story = finding.found, finding.find_story(0)
    said = [translate(line, "es") for line in list_words(found, finding.prediction)]
    said += [part for line in list_lines(found, finding.prediction) for part in speak_line(line, "es")._replace(code="")]
    said += [translate_line(line, "es") for line in list_findings(found, finding.document)]
    overlays = [
        Overlay(title=moment.round.capitalize(), subtitle=describe_source(story, "▶ "), caption=break_lines(moment.forwards))
        for moment in story.moments
    ]
    overlays += [
        Overlay(title=f"Undoing {moment.round}" if moment.round else "All is undone", caption=break_lines(moment.backwards))
        for moment in story.moments
    ]
    title, subtitle, caption = describe_end(found, story)
    overlays.append(Overlay(title=title, subtitle=break_lines(subtitle), caption=break_lines(caption), legend=film.MARKED))
    overlays += [Overlay(caption=describe(found, each)) for each in found.hypotheses]
    overlays += [Overlay(subtitle=move.safety, caption=break_lines(move.words)) for move in list_moves(found)]
    for overlay in overlays:
        spoken = speak_overlay(overlay, "es")
        said += [spoken.title, spoken.subtitle, spoken.caption, *(words for words, _ in spoken.legend)]
        assert speak_overlay(overlay, "en") is overlay
    assert find_english([" ".join(text.split()) for text in said]) == []


def test_names_of_blocks_are_not_translated() -> None:
    assert translate("stone-003 fits better into L09_2", "es") == "stone-003 va mejor en L09_2"
    assert translate("sillar 12 del muro", "es") == "sillar 12 del muro"
    assert "number" in WORDS
    page = '<html lang="en"><p>Method</p><style>p{Method}</style><td data-head="slot">&lt;none&gt;</td></html>'
    assert (
        translate_page(page, "es")
        == '<html lang="es"><p>Método</p><style>p{Method}</style><td data-head="lugar">&lt;none&gt;</td></html>'
    )


def test_a_first_proposal_that_did_not_fall_speaks_against_itself() -> None:
    finding = open_example()
    first, *others = finding.document["hypotheses"]
    document = finding.document | {"hypotheses": [first | {"fell": False}, *others]}
    report = render_report(document, [], {}, [])
    against = report[report.index("What speaks against it") : report.index("What to check next")]
    assert "Simulated, it did not fall again." in against
    assert first["fell"]
    assert "did not fall again" not in render_report(finding.document, [], {}, []).split("The question")[0]
    assert replace(finding).document is finding.document
