"""The example that the page opens on, the file that it is kept in, and how it is chosen what is seen of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anastylosis.errors import InvalidInput
from anastylosis.survey import read_survey
from anastylosis.web.allowance import Allowance
from anastylosis.web.config import PageConfig
from anastylosis.web.findings import PROPOSALS, Finding
from anastylosis.web.opening import open_example
from anastylosis.web.session import Session
from anastylosis.web.stored_finding import find_record, read_finding, write_finding
from anastylosis.web.thumbnails import HEIGHT, LINE, WIDTH, draw_thumbnails, find_differences
from anastylosis.web.uploads import EXAMPLES
from anastylosis.web.words import choose_language
from support.visitors import Visitor, wait_until


@pytest.fixture
def newcomer(visitor: Visitor, queue, tmp_path: Path):
    session = Session(visitor, PageConfig(), queue, queue, Allowance(1_000_000), Allowance(200_000), tmp_path, "es-MX,es;q=0.9")
    yield session
    session.close()
    visitor.scene.reset()


def test_a_visitor_who_has_given_nothing_sees_the_undoing_of_an_example(newcomer: Session, visitor: Visitor) -> None:
    panel = newcomer.results_panel
    assert newcomer.given is None
    assert newcomer.finding is not None
    assert "Ejemplo: <b>survey.csv</b>" in panel.whose.content  # in the language of the browser
    assert {"/blocks", "/grain", "/edges"} <= visitor.nodes
    assert panel.choice.view == "fall"
    moments, first = len(panel.animation.scenes), panel.animation.first
    assert 0 < first < moments - 1
    panel.timeline.pause()
    panel.timeline.rate = 1000.0
    panel.timeline.slider.value = first + 2
    panel.timeline.play(-1, first)
    wait_until(lambda: panel.moment == first)  # the tower as it stood; what was before is for who asks for it


def test_the_example_is_of_the_survey_that_ships_and_falls_again() -> None:
    finding = open_example()
    survey = read_survey(EXAMPLES["survey"].path)
    assert finding.found.survey.ids == survey.ids
    assert finding.found.best.fell
    assert finding.find_story(0) is not None
    assert len(finding.thumbnails) == PROPOSALS
    assert {picture.shape for picture in finding.thumbnails} == {(HEIGHT, WIDTH, 3)}


def test_what_one_visitor_asks_of_the_example_is_not_kept_for_another() -> None:
    one, other = open_example(), open_example()
    one.stories[5] = None
    assert 5 not in other.stories
    assert one.found is other.found


def test_a_finding_comes_back_from_its_file_to_the_last_bit(finding: Finding, tmp_path: Path) -> None:
    write_finding(tmp_path / "finding.npz", finding)
    again = read_finding(tmp_path / "finding.npz", finding.given)
    assert again.document == finding.document
    for one, other in zip(again.find_story(0).moments, finding.find_story(0).moments, strict=True):
        assert one.forwards == other.forwards
        assert np.array_equal(one.scene.position, other.scene.position)
    assert np.array_equal(again.found.placed, finding.found.placed)
    assert all(np.array_equal(*pair) for pair in zip(again.thumbnails, finding.thumbnails, strict=True))


@pytest.mark.parametrize(
    "kind", ["os:system", "anastylosis.web.stored_finding:read_finding", "builtins:dict", "anastylosis.nowhere:A"]
)
def test_only_records_of_this_package_are_made_from_a_file(kind: str) -> None:
    with pytest.raises((ValueError, ImportError)):
        find_record(kind)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(InvalidInput, match="no stored reconstruction"):
        read_finding(tmp_path / "other.npz", EXAMPLES["survey"])


def test_thumbnails_outline_what_differs_from_the_first(finding: Finding) -> None:
    differing = find_differences(finding.found, 1)
    first, second = (each.state.filled for each in finding.found.hypotheses)
    assert (differing == np.flatnonzero(first != second)).all()
    assert len(differing)
    assert len(find_differences(finding.found, 0)) == 0
    plain, outlined = draw_thumbnails(finding.found, 2)
    blue = [int((picture == LINE).all(axis=2).sum()) for picture in (plain, outlined)]
    assert blue[0] == 0
    assert blue[1] > 50


def test_the_scene_outlines_what_differs_and_cards_choose(session: Session, visitor: Visitor) -> None:
    panel = session.results_panel
    visitor.set(panel.choices.box, "view:tower 1")
    assert "/differing" not in visitor.nodes
    visitor.set(panel.choices.box, "rank:1 2")
    assert "/differing" in visitor.nodes
    assert 'data-choose="rank:1" aria-pressed="true"' in panel.ranking.content
    assert panel.ranking.content.count("data:image/jpeg") == 2
    for nonsense in ("rank:9", "rank:-1", "view:none", "rank:x", "", "print:1", "rank:" + "9" * 300):
        visitor.set(panel.choices.box, nonsense)
    assert (panel.choice.view, panel.choice.rank) == ("tower", 1)


@pytest.mark.parametrize("view", ["debris", "tower", "fall", "rebuild"])
def test_the_camera_frames_what_is_shown(session: Session, visitor: Visitor, view: str) -> None:
    panel = session.results_panel
    for other in ("tower", "debris"):
        visitor.set(panel.choices.box, f"view:{other}")
    before = np.array(visitor.camera.position)
    panel.look("top")
    visitor.set(panel.choices.box, f"view:{view}")
    assert panel.scene_view.preset == "top"  # the side that was chosen stays
    assert (np.array(visitor.camera.position) != before).any()


def test_a_window_of_another_shape_is_framed_anew(session: Session, visitor: Visitor) -> None:
    view = session.results_panel.scene_view
    before = np.array(visitor.camera.position)
    view.fit(1.01)
    assert (np.array(visitor.camera.position) == before).all()
    visitor.camera.aspect = 0.5
    view.fit(0.5)
    assert np.linalg.norm(visitor.camera.position) > np.linalg.norm(before)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("es-MX,es;q=0.9,en;q=0.8", "es"),
        ("fr,en;q=0.5,es;q=0.7", "es"),
        ("de", "en"),
        ("", "en"),
        ("es;q=0", "en"),
        ("es;q=x", "en"),
    ],
)
def test_the_language_is_the_first_of_the_browsers_that_the_page_speaks(accepted: str, language: str) -> None:
    assert choose_language(accepted) == language


def test_a_telephone_has_the_scene_first_in_one_sheet(visitor: Visitor, queue, tmp_path: Path) -> None:
    visitor.camera.image_width = 390
    session = Session(visitor, PageConfig(), queue, queue, Allowance(1_000_000), Allowance(200_000), tmp_path)
    assert session.side_panel is None
    assert session.results_panel.modes.visible
    session.close()
    visitor.scene.reset()


def test_a_visitor_goes_straight_to_a_tower_to_play_with(newcomer: Session, visitor: Visitor) -> None:
    visitor.press(newcomer.intake.play)
    assert "54 bloques en pie" in newcomer.results_panel.caption.content
    assert newcomer.results_panel.leave.visible
    assert any("Ensayo" in getattr(each, "source", "") for each in visitor._websock_connection.sent)


def test_a_picture_that_is_given_is_seen_at_once(newcomer: Session, visitor: Visitor) -> None:
    newcomer.take_file(EXAMPLES["picture"])
    board = newcomer.intake.viewpoint.board
    assert board.image.visible
    board.click(np.array(board.image.position) - (0, 5, 0), np.array([0.0, 1.0, 0.0]))
    assert "/mark/0" not in visitor.nodes  # nothing is asked of it
    newcomer.end(replace(newcomer.finding, given=EXAMPLES["picture"]), newcomer.stopped)
    assert not board.image.visible
