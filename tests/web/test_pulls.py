"""Pulls of a tower to play with: shown when they end, unless the visitor has turned to something else."""

import threading
from collections.abc import Iterator

import pytest

from anastylosis.web import session as module
from anastylosis.web.play import take_turn
from anastylosis.web.session import Session
from support.visitors import Visitor, let_it_come, speak


@pytest.fixture
def slow(monkeypatch) -> Iterator[threading.Event]:
    """Pulls take until this is set."""
    go = threading.Event()

    def wait(*words):
        assert go.wait(60)
        return take_turn(*words)

    monkeypatch.setattr(module, "take_turn", wait)
    yield go
    go.set()


def begin_pull(session: Session, visitor: Visitor) -> None:
    visitor.set(session.play.layers, 4)
    visitor.press(session.play.build)
    visitor.set(session.play.block, "L01_1")
    visitor.press(session.play.pull)


def test_a_pull_is_shown(session: Session, visitor: Visitor, slow: threading.Event) -> None:
    begin_pull(session, visitor)
    let_it_come(session, slow)
    assert "L01_1 is out" in session.play.result.content
    assert len(session.results_panel.animation.scenes) > 1


def test_a_pull_is_undone(session: Session, visitor: Visitor, slow: threading.Event) -> None:
    begin_pull(session, visitor)
    tower = session.play.tower
    assert session.play.undo.disabled  # while the physics is at work
    let_it_come(session, slow)
    assert len(session.play.tower) == len(tower) - 1
    visitor.press(session.play.undo)
    assert session.play.tower is tower
    assert session.play.undo.disabled
    assert "12 blocks stand." in session.results_panel.caption.content
    visitor.press(session.play.undo)  # there is nothing before it
    assert session.play.tower is tower


def build_another(session: Session, visitor: Visitor) -> None:
    visitor.set(session.play.layers, 5)
    visitor.press(session.play.build)


def go_back(session: Session, visitor: Visitor) -> None:
    visitor.press(session.results_panel.leave)


@pytest.mark.parametrize("turn_away", [build_another, go_back])
def test_a_pull_that_ends_late_is_not_shown_over_what_came_after_it(session: Session, visitor: Visitor, slow, turn_away) -> None:
    begin_pull(session, visitor)
    turn_away(session, visitor)
    before = session.play.tower, session.results_panel.animation, session.results_panel.played
    let_it_come(session, slow)
    assert (session.play.tower, session.results_panel.animation, session.results_panel.played) == before
    assert "Click a block" in session.play.result.content
    assert not session.play.pull.disabled


def test_a_pull_that_ends_in_another_language_is_let_go(session: Session, visitor: Visitor, slow) -> None:
    begin_pull(session, visitor)
    speak(session, visitor, "Español")
    animation = session.results_panel.animation
    let_it_come(session, slow)
    assert session.results_panel.animation is animation
    assert not session.play.pull.disabled
