"""A session: what follows the chosen proposal, and what comes too late to be shown."""

import io
import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import viser
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from anastylosis.assignment.assignment import UNASSIGNED
from anastylosis.errors import MissingExtra
from anastylosis.report import build_story, list_findings, show_rebuilding
from anastylosis.report.reconstruction.lines import list_lines
from anastylosis.report.reconstruction.page import show_proposals
from anastylosis.web import forecast_tab
from anastylosis.web import session as module
from anastylosis.web.config import LANGUAGES
from anastylosis.web.findings import Finding
from anastylosis.web.forecast import draw_sight
from anastylosis.web.jobs import QueuedJob
from anastylosis.web.scene_view import SCALE
from anastylosis.web.session import Session
from anastylosis.web.timeline import Timeline
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.words import Translator
from support.visitors import Visitor, let_it_come, speak, wait_until


def draw_plain() -> bytes:
    """A picture that says no camera and shows no target."""
    file = io.BytesIO()
    Image.fromarray(np.full((64, 96, 3), 200, np.uint8)).save(file, "PNG")
    return file.getvalue()


def test_the_panel_is_as_wide_as_the_window_allows_in_points(session: Session, visitor: Visitor, monkeypatch) -> None:
    """Of 1024 points: 0.62 times as many for both panels, of which the other has 330."""
    main, widths = visitor.gui.main_panel, []
    monkeypatch.setattr(type(main), "set_width", lambda panel, width: widths.append(width))
    assert session.window == visitor.camera.image_width
    for text in ("", "wide", "-1", "99999", "1" * 5000):
        visitor.set(session.width_box, text)
    assert widths == []
    visitor.set(session.width_box, "1024")
    assert session.width_box._impl.removed
    assert 304.88 in widths
    widths.clear()
    speak(session, visitor, "Español")
    assert 304.88 in widths
    assert not session.width_box._impl.removed  # it is asked again: the window may be another by now


def test_who_asks_while_a_file_is_shown_finds_the_button_off(session: Session, monkeypatch) -> None:
    """Once it was said to be on while the browser had it off: it never came on again."""
    show, asked = session.intake.viewpoint.take, []

    def ask(*what: object) -> None:
        asked.append(threading.Thread(target=session.start))
        asked[0].start()
        asked[0].join(0.5)
        show(*what)

    monkeypatch.setattr(session.intake.viewpoint, "take", ask)
    monkeypatch.setattr(session, "ask", lambda *work: None)  # it is never done
    session.take_file(EXAMPLES["survey"])
    asked[0].join()
    assert session.busy
    assert session.intake.start.disabled
    session.stop()
    assert not session.intake.start.disabled


@pytest.mark.parametrize(("paper", "size"), [("A4", b"841.8"), ("Letter", b"792 ")])
def test_the_target_to_print_comes(session: Session, visitor: Visitor, paper: str, size: bytes) -> None:
    session.intake.show_progress("Tell the camera", None)  # which is why it is asked for
    visitor.set(session.files.target, paper)
    name = f"target-{paper.lower()}.pdf"
    wait_until(lambda: name in visitor.downloads)
    assert visitor.downloads[name].startswith(b"%PDF")
    assert size in visitor.downloads[name]  # points: the page's longer side
    assert "Tell the camera" in session.intake.status.content


def test_a_target_that_cannot_be_drawn_says_what_is_missing(session: Session, visitor: Visitor, monkeypatch) -> None:
    def refuse(*words: object) -> None:
        raise MissingExtra("OpenCV", "photo")

    monkeypatch.setattr(module, "draw_sheet", refuse)
    visitor.set(session.intake.viewpoint.target, "A4")
    wait_until(lambda: "Tell whoever runs the page" in session.intake.status.content)
    assert "Tell whoever runs the page" in session.files.target_status.content
    assert "pip" not in session.intake.status.content


def test_proposals_name_every_slot_that_was_empty(session: Session) -> None:
    found = session.finding.found
    names = {name for each in found.hypotheses for name in found.name_slots(~each.state.filled)}
    assert names
    assert all(name in session.results_panel.ranking.content for name in names)
    assert "…" not in session.results_panel.ranking.content


def test_a_block_that_is_clicked_is_outlined_until_the_next_file(session: Session, visitor: Visitor) -> None:
    results_panel = session.results_panel
    visitor.set(results_panel.choices.box, "view:debris")
    before = results_panel.scene_view.boxes.batched_colors.copy()
    results_panel.pick(5)
    assert {"/picked/0", "/picked/1"} <= visitor.nodes
    assert (results_panel.scene_view.boxes.batched_colors == before).all()  # colours are for what the legend says
    where = results_panel.scene_view.marks[0].points.mean(axis=(0, 1))
    np.testing.assert_allclose(where, SCALE * session.finding.found.survey.position[5], rtol=1e-4)
    assert "How sure" in results_panel.about.content
    session.take_file(EXAMPLES["survey"])
    assert not {"/picked/0", "/picked/1"} & visitor.nodes
    assert results_panel.about.content == ""


@pytest.mark.parametrize("view", ["debris", "tower"])
def test_a_clicked_block_says_where_it_stood_by_the_chosen_proposal(session: Session, visitor: Visitor, view: str) -> None:
    results_panel, found = session.results_panel, session.finding.found
    first, second = (each.state.slot for each in found.hypotheses)
    block = int(np.flatnonzero(first != second)[0])
    visitor.set(results_panel.choices.box, f"view:{view}")
    for rank, slots in enumerate((first, second)):
        visitor.set(results_panel.choices.box, f"rank:{rank}")
        if slots[block] == UNASSIGNED and view == "tower":
            continue  # it is not in that tower
        results_panel.pick(int(np.flatnonzero(results_panel.animation.row == found.rows[block])[0]))
        stood = "it is put back nowhere" if slots[block] == UNASSIGNED else found.structure.ids[slots[block]]
        assert f">{stood} (proposal {rank + 1})<" in results_panel.about.content
        if slots[block] != UNASSIGNED:
            assert f">{found.placed[block, slots[block]]:.0%}: " in results_panel.about.content


def test_the_scene_says_which_file_it_shows_whatever_is_given_next(session: Session, visitor: Visitor) -> None:
    shown = "Reconstruction of <b>&lt;b&gt;six&lt;/b&gt;.csv</b>"
    session.take_file(viser.UploadedFile("stones.csv", b"no survey"))
    assert shown in session.results_panel.whose.content
    assert session.results_panel.whose.visible
    session.take_file(EXAMPLES["survey"])  # it is seen at once,
    assert not session.results_panel.whose.visible
    assert "What lies there: 46 blocks." in session.results_panel.caption.content
    visitor.press(session.results_panel.leave)  # and what was there before can be come back to
    assert shown in session.results_panel.whose.content
    assert session.results_panel.whose.visible
    visitor.press(session.play.build)
    assert not session.results_panel.whose.visible
    session.end(replace(session.finding, given=EXAMPLES["picture"]), session.stopped)
    assert "debris.png" in session.results_panel.whose.content
    assert session.results_panel.whose.visible


def test_proposals_that_are_left_out_of_the_list_are_counted(session: Session) -> None:
    results_panel, finding = session.results_panel, session.finding
    assert "most probable of" not in results_panel.ranking.content
    many = replace(finding, found=replace(finding.found, hypotheses=6 * finding.found.hypotheses))
    assert "The first 8 of 12 are listed." in results_panel.draw_proposals(many)


@pytest.mark.parametrize("words", [Translator(language) for language in LANGUAGES], ids=LANGUAGES)
def test_proposals_that_did_not_fall_again_are_marked(session: Session, words: Translator) -> None:
    results_panel, finding = session.results_panel, session.finding
    first, second = (each._replace(fell=True) for each in finding.found.hypotheses)
    results_panel.words = words
    for told, marks in (((first, second), 0), ((first, second._replace(fell=False)), 1)):
        ranked = results_panel.draw_proposals(replace(finding, found=replace(finding.found, hypotheses=told)))
        assert ranked.count(f">{words('stays_up')}</div>") == marks
        assert (words("stays_up_means") in ranked) == bool(marks)


def test_a_first_proposal_that_does_not_fall_says_why_it_is_first(session: Session) -> None:
    panel, finding = session.results_panel, session.finding
    assert "so the most probable one is first" not in panel.ranking.content
    none = tuple(each._replace(fell=False) for each in finding.found.hypotheses)
    assert "so the most probable one is first" in panel.draw_proposals(
        replace(finding, found=replace(finding.found, hypotheses=none))
    )


def test_one_proposal_is_first_everywhere(session: Session) -> None:
    """On the cards, in the film of the fall, in the rebuilding, on the panel, in the report and on the screen."""
    finding = session.finding
    found, first = finding.found, finding.found.best
    empty = ", ".join(found.name_slots(~first.state.filled))
    story = build_story(found)
    assert first.fell
    assert story.rank == 1
    assert story.title.startswith("proposal 1 of 2")
    assert set(story.moments[-1].scene.outlines) == set(np.flatnonzero(~first.state.filled).tolist())
    assert {move.slot for move in show_rebuilding(found).moves} <= set(np.flatnonzero(first.state.filled).tolist())
    assert session.results_panel.ranking.content.index(f": {empty}<") < session.results_panel.ranking.content.index('"rank:1"')
    rows = "".join(show_proposals(finding.document)).split("<tr>")
    assert f">{empty}<" in rows[1]
    assert f"1. {first.probability:8.0%}" in next(line for line in list_findings(found, finding.document) if " 1. " in line)
    balance = next(line for line in list_lines(found, finding.prediction) if line.code == "imbalance_score")
    assert balance.value.startswith(f"{abs(1e3 * found.imbalance):.0f} mm")


def test_a_file_that_is_refused_leaves_nothing_given(session: Session, visitor: Visitor) -> None:
    session.take_file(EXAMPLES["picture"])
    session.take_file(viser.UploadedFile("stones.csv", b"no survey"))
    assert "Nothing is given" in session.intake.chosen.content
    assert "stones.csv" in session.intake.chosen.content
    assert session.intake.start.disabled
    assert session.intake.preview.content == ""
    session.take_file(EXAMPLES["survey"])
    assert session.intake.status.content == ""
    assert not session.intake.start.disabled


def test_a_picture_that_cannot_be_decoded_is_refused_by_its_name(session: Session) -> None:
    file = io.BytesIO()
    Image.fromarray(np.zeros((300, 300, 3), np.uint8)).save(file, "PNG")
    session.take_file(viser.UploadedFile("cut.png", file.getvalue()[:-100]))
    assert "cut.png cannot be read as a picture" in session.intake.chosen.content
    assert str(session.storage.folder) not in session.intake.chosen.content
    assert session.given is None
    assert session.intake.start.disabled


@pytest.mark.parametrize("distortion", [[1e308, 0.0], [0.0, -1e308], [1e308, -1e308]])
def test_a_camera_in_a_picture_that_overflows_is_answered_in_words(session: Session, distortion: list[float]) -> None:
    """At once or when it is asked for, and never with silence."""
    camera = {
        "format": 1, "width": 300, "height": 200, "focal_length": 300.0, "distortion": distortion, "position": [0.0, -1.0, 1.0],
        "rotation": [[1.0, 0.0, 0.0], [0.0, -0.7071, -0.7071], [0.0, 0.7071, -0.7071]],
    }  # fmt: skip
    told = PngInfo()
    told.add_text("anastylosis-camera", json.dumps(camera))
    file = io.BytesIO()
    Image.fromarray(np.zeros((200, 300, 3), np.uint8)).save(file, "PNG", pnginfo=told)
    session.take_file(viser.UploadedFile("photo.png", file.getvalue()))
    assert "photo.png" in session.intake.chosen.content or "broke on our side" in session.intake.chosen.content
    if session.given is not None:
        session.start()
        wait_until(lambda: not session.busy)
        assert "did not work" in session.intake.status.content


def test_whatever_an_upload_raises_its_visitor_hears_of_it_and_the_log_has_it(session: Session, monkeypatch, caplog) -> None:
    def overflow(path: Path) -> None:
        raise OverflowError("int too large")

    monkeypatch.setattr("anastylosis.web.uploads.read_survey", overflow)
    session.take_file(viser.UploadedFile("stones.csv", b"id,x\n"))
    (record,) = (record for record in caplog.records if record.exc_info)
    assert f"in its log, under {record.getMessage()[:6]}." in session.intake.chosen.content
    assert session.given is None
    assert session.intake.start.disabled
    assert list(session.storage.folder.glob("survey*")) == []


def test_a_file_that_is_too_large_is_told_beside_the_file_that_is_given(session: Session) -> None:
    session.take_file(EXAMPLES["survey"])
    session.refuse_upload("<i>large</i>.csv", "too_large")
    assert "i&gt;.csv is too large" in session.intake.chosen.content
    assert "survey.csv" in session.intake.chosen.content
    assert session.intake.status.content == ""
    assert session.given is EXAMPLES["survey"]
    assert not session.intake.start.disabled


def test_pictures_of_all_visitors_are_bounded_together(session: Session) -> None:
    """96 x 64 pixels each; the one that was reconstructed counts as long as it is shown."""
    assert session.storage.pixels.take("another", "pictures", 200_000 - 7_000)
    session.take_file(viser.UploadedFile("photo.png", draw_plain()))
    assert session.given is not None
    session.finding = replace(session.finding, given=session.given)
    session.take_file(viser.UploadedFile("next.png", draw_plain()))
    assert "next.png was not taken in: the files of other visitors" in session.intake.chosen.content
    assert session.given is None
    session.storage.pixels.part("another")
    session.take_file(viser.UploadedFile("next.png", draw_plain()))
    assert session.given is not None
    assert session.storage.pixels.taken == 2 * 96 * 64
    session.close()
    assert session.storage.pixels.taken == 0


def test_a_reconstruction_that_there_is_no_room_for_is_not_shown(session: Session) -> None:
    before = session.finding
    assert session.storage.pixels.take("another", "pictures", 200_000)
    session.set_busy(True)
    session.end(replace(before, given=EXAMPLES["picture"]._replace(pixels=1000)), threading.Event())
    assert session.finding is before
    assert not session.busy
    assert "debris.png was not taken in" in session.intake.status.content


def test_the_comparison_is_with_the_proposal_that_is_chosen(session: Session, visitor: Visitor) -> None:
    first = session.forecast.comparison.content
    assert "Proposal 1, fallen again" in first
    visitor.set(session.results_panel.choices.box, "rank:1")
    wait_until(lambda: "Proposal 2" in session.forecast.comparison.content)
    assert session.results_panel.choice.view == "fall"  # whatever the stage shows
    visitor.set(session.results_panel.choices.box, "rank:0")
    wait_until(lambda: session.forecast.comparison.content == first)


@pytest.fixture
def sights(monkeypatch) -> list[Finding]:
    """Whose sight was drawn."""
    drawn: list[Finding] = []

    def count(finding: Finding, words: Translator) -> str:
        drawn.append(finding)
        return draw_sight(finding, words)

    monkeypatch.setattr(forecast_tab, "draw_sight", count)
    return drawn


def test_what_the_eye_found_stays_while_proposals_are_looked_at(session, visitor, pictured: Finding, sights) -> None:
    session.end(pictured, session.stopped)
    wait_until(lambda: "What was found in it" in session.forecast.sight.content)
    visitor.set(session.results_panel.choices.box, "rank:1")
    assert "What was found in it" in session.forecast.sight.content
    wait_until(lambda: "Proposal 2" in session.forecast.comparison.content)
    assert "What was found in it" not in session.forecast.comparison.content
    speak(session, visitor, "Español")
    wait_until(lambda: "Lo que se halló en ella" in session.forecast.sight.content)
    assert sights == [pictured, pictured]  # once in each language


def test_what_the_eye_found_goes_with_its_picture(session: Session, finding: Finding, pictured: Finding) -> None:
    session.end(pictured, session.stopped)
    wait_until(lambda: "<figure" in session.forecast.sight.content)
    session.end(finding, session.stopped)
    let_all_come(session)
    assert session.forecast.sight.content == ""


@pytest.mark.parametrize(("broken", "shown"), [("draw_comparison", "sight"), ("draw_sight", "comparison")])
def test_of_two_pictures_one_is_shown_without_the_other(session: Session, pictured, monkeypatch, broken: str, shown: str) -> None:
    def break_down(*words: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(forecast_tab, broken, break_down)
    session.end(pictured, session.stopped)
    let_all_come(session)
    assert "<figure" in getattr(session.forecast, shown).content


def test_the_rebuilding_is_of_the_proposal_that_is_chosen(session: Session, visitor: Visitor) -> None:
    results_panel, finding = session.results_panel, session.finding
    visitor.set(results_panel.choices.box, "rank:1")
    visitor.set(results_panel.choices.box, "view:rebuild")
    wait_until(lambda: 1 in finding.plans and results_panel.animation.captions[0][0] == "debris")
    slots = {values["slot"] for _, values in results_panel.animation.captions if "slot" in values}
    state = finding.choose(1).state
    standing = set(finding.found.name_slots(state.filled))
    still = set(finding.found.name_slots(np.isin(np.arange(len(state.filled)), finding.found.pinned)))
    assert slots == standing - still
    assert all("margin" in values for _, values in results_panel.animation.captions if "step" in values)
    assert len(finding.plans[1].hypotheses) == len(finding.found.hypotheses)
    assert finding.plans[1].best is finding.choose(1)


def test_a_rebuilding_that_cannot_be_planned_is_told(session: Session, visitor: Visitor, monkeypatch) -> None:
    def break_down(*words: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr("anastylosis.web.findings.order_building", break_down)
    visitor.set(session.results_panel.choices.box, "rank:1")
    visitor.set(session.results_panel.choices.box, "view:rebuild")
    wait_until(lambda: "Something broke" in session.results_panel.caption.content)


def test_a_reconstruction_that_is_stopped_is_not_shown(session: Session, visitor: Visitor, monkeypatch) -> None:
    go, before = threading.Event(), session.finding
    monkeypatch.setattr(module, "reconstruct", lambda *words: go.wait(60))
    session.take_file(EXAMPLES["survey"])
    visitor.press(session.intake.start)
    assert session.intake.stop.visible
    visitor.press(session.intake.stop)
    assert "Stopped." in session.intake.status.content
    assert not session.intake.start.disabled
    let_it_come(session, go)
    assert session.finding is before
    assert not session.intake.stop.visible


def test_what_is_told_after_a_stop_is_not_shown(session: Session, visitor: Visitor, monkeypatch) -> None:
    jobs: list[QueuedJob] = []
    monkeypatch.setattr(session.large, "ask", jobs.append)
    session.take_file(EXAMPLES["survey"])
    visitor.press(session.intake.start)
    jobs[0].progress("moves", 1, 8)
    assert session.intake.bar.visible
    visitor.press(session.intake.stop)
    jobs[0].progress("moves", 2, 8)  # it was on its way
    jobs[0].fail(ValueError("no"))
    assert "Stopped." in session.intake.status.content
    assert not session.intake.bar.visible
    assert jobs[0].left.is_set()


def test_stop_is_for_the_reconstruction_that_it_is_shown_with(session: Session, visitor: Visitor, monkeypatch) -> None:
    jobs: list[QueuedJob] = []
    monkeypatch.setattr(session.large, "ask", jobs.append)
    session.take_file(EXAMPLES["survey"])
    before, shown = session.stopped, []
    monkeypatch.setattr(session, "set_busy", lambda busy: shown.append(session.stopped))
    visitor.press(session.intake.start)
    assert shown == [jobs[0].left]
    assert shown != [before]


def test_nothing_is_ordered_for_a_visitor_who_has_left(session: Session, visitor: Visitor, monkeypatch) -> None:
    jobs: list[QueuedJob] = []
    monkeypatch.setattr(session.large, "ask", jobs.append)
    session.take_file(EXAMPLES["survey"])
    session.storage.leave()
    visitor.press(session.intake.start)
    assert not jobs
    assert not session.busy


@pytest.fixture
def loads(session: Session, monkeypatch) -> list[int]:
    """How many moments each animation has that comes on the stage."""
    counts: list[int] = []
    load = Timeline.load

    def count(timeline: Timeline, moments: int, *words: float) -> None:
        counts.append(moments)
        load(timeline, moments, *words)

    monkeypatch.setattr(Timeline, "load", count)
    return counts


def test_a_fall_that_is_on_the_stage_does_not_begin_again(session: Session, visitor: Visitor, loads: list[int]) -> None:
    results_panel = session.results_panel
    visitor.set(results_panel.choices.box, "view:fall")
    assert len(loads) == 0
    visitor.set(results_panel.choices.box, "rank:1")  # it is not told yet: the stage waits for it
    wait_until(lambda: "Proposal 2" in session.forecast.comparison.content and len(loads) == 1)
    visitor.set(results_panel.choices.box, "rank:0")
    wait_until(lambda: "Proposal 1" in session.forecast.comparison.content)
    assert len(loads) == 2
    speak(session, visitor, "Español")
    wait_until(lambda: "propuesta 1" in session.forecast.comparison.content)
    let_all_come(session)
    assert len(loads) == 3


def test_what_was_shown_stands_still_while_the_stage_waits(session: Session, visitor: Visitor) -> None:
    results_panel, go = session.results_panel, threading.Event()
    session.ask(session.small, lambda *nothing: go.wait(60), lambda result: None, lambda error: None)
    visitor.set(results_panel.choices.box, "view:fall")
    results_panel.timeline.play(1)
    visitor.set(results_panel.choices.box, "rank:1")
    assert results_panel.timeline.halt.is_set()
    visitor.set(results_panel.way, "by layer")  # the old animation is painted anew
    assert "The physics is at work" in results_panel.caption.content
    go.set()
    wait_until(lambda: "The physics is at work" not in results_panel.caption.content)


def test_what_nobody_wants_any_more_is_not_done_and_asked_for_again(session: Session, visitor: Visitor) -> None:
    results_panel, finding, go = session.results_panel, session.finding, threading.Event()
    session.ask(session.small, lambda *nothing: go.wait(60), lambda result: None, lambda error: None)
    visitor.set(results_panel.choices.box, "rank:1")
    visitor.set(results_panel.choices.box, "view:rebuild")
    visitor.set(results_panel.choices.box, "view:debris")
    visitor.set(results_panel.choices.box, "rank:0")
    let_it_come(session, go)
    assert 1 not in finding.stories
    assert 1 not in finding.plans
    assert "Proposal 1" in session.forecast.comparison.content
    visitor.set(results_panel.choices.box, "rank:1")
    visitor.set(results_panel.choices.box, "view:rebuild")
    wait_until(lambda: not results_panel.waits)
    assert 1 in finding.plans
    assert "Proposal 2" in session.forecast.comparison.content


def let_all_come(session: Session) -> None:
    """All that was ordered before is done."""
    let_it_come(session, threading.Event())
