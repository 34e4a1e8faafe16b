"""What stays when the language of the page changes."""

import io
import re
from dataclasses import replace

import numpy as np
import viser
from PIL import Image
from viser._messages import RunJavascriptMessage

from anastylosis.web.session import Session
from anastylosis.web.uploads import EXAMPLES
from support.visitors import Visitor, speak, wait_until


def draw_plain() -> bytes:
    """A picture that says no camera and shows no target."""
    file = io.BytesIO()
    Image.fromarray(np.full((64, 96, 3), 200, np.uint8)).save(file, "PNG")
    return file.getvalue()


def pressed(content: str) -> list[str]:
    """The choices that are pressed."""
    return re.findall(r'data-choose="([^"]+)" aria-pressed="true"', content)


def test_a_change_of_the_language_keeps_what_is_looked_at(session: Session, visitor: Visitor) -> None:
    results_panel = session.results_panel
    visitor.set(results_panel.choices.box, "rank:1")
    visitor.set(results_panel.choices.box, "view:tower")
    visitor.set(results_panel.layers, (1, 3))
    speak(session, visitor, "Español")
    assert (results_panel.choice.rank, results_panel.choice.view, results_panel.choice.layers) == (1, "tower", (1, 3))
    assert pressed(results_panel.ranking.content) == ["rank:1"]
    assert pressed(results_panel.modes.content) == ["view:tower"]
    assert results_panel.layers.value == (1, 3)
    assert "Lugares llenos" in results_panel.caption.content
    wait_until(lambda: "La propuesta 2" in session.forecast.comparison.content)


def test_a_change_of_the_language_keeps_what_was_told(session: Session, visitor: Visitor) -> None:
    session.take_file(EXAMPLES["survey"])
    visitor.set(session.intake.layers, 17)
    visitor.set(session.intake.friction, "other …")
    visitor.set(session.intake.viewpoint.origin, "12.5 -0.3")
    told = session.intake.read()
    speak(session, visitor, "Español")
    assert session.intake.friction.value == "otra …"
    assert session.intake.coefficient.visible
    assert session.intake.read() == told


def test_a_change_of_the_language_keeps_the_word_that_the_work_is_done(session: Session, visitor: Visitor) -> None:
    session.end(replace(session.finding, given=EXAMPLES["survey"]), session.stopped)
    assert "Done." in session.intake.status.content
    for language, said in (("Español", "Listo."), ("English", "Done.")):
        speak(session, visitor, language)
        assert said in session.intake.status.content
    session.take_file(EXAMPLES["picture"])
    speak(session, visitor, "Español")
    assert session.intake.status.content == ""


def test_a_change_of_the_language_keeps_the_tower_that_is_played_with(session: Session, visitor: Visitor) -> None:
    visitor.press(session.play.build)
    tower = session.play.tower
    speak(session, visitor, "Español")
    assert session.play.tower is tower
    assert "bloques en pie" in session.results_panel.caption.content


def test_a_change_of_the_language_leaves_no_picture_behind(session: Session, visitor: Visitor) -> None:
    session.take_file(viser.UploadedFile("photo.png", draw_plain()))
    board = session.intake.viewpoint.board
    assert board is not None
    board.click(*(2 * (board.image.position,)))
    assert {"/photo", "/mark/0"} <= visitor.nodes
    speak(session, visitor, "Español")
    assert "/mark/0" not in visitor.nodes
    assert board.image._impl.removed
    again = session.intake.viewpoint
    assert again.board is not None  # the picture is still given, and can be clicked in
    visitor.set(again.camera, "la foto, o su patrón")
    assert again.board.image.visible  # it is looked at,
    assert not again.board.listens
    visitor.set(again.camera, "cuatro puntos del piso")
    assert again.board.listens  # and clicked in


def test_files_that_are_dropped_are_asked_for_in_the_language_of_the_page(session: Session, visitor: Visitor) -> None:
    speak(session, visitor, "Español")
    sent = [each.source for each in visitor._websock_connection.sent if isinstance(each, RunJavascriptMessage)]
    scripts = [source for source in sent if "anastylosisDrop" in source]
    assert "Drop one picture" in scripts[0]
    assert "Suelte aquí" in scripts[-1].encode().decode("unicode_escape", "ignore")
