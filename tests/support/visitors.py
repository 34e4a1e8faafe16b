"""Visitors without a browser: the controls and the scene are viser's own, and what a visitor does is told to them by hand."""

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import viser
from viser._messages import FileTransferPart, FileTransferStartUpload

from anastylosis.executors import run_serial
from anastylosis.reconstruction.observation import observe
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.survey import Survey, write_survey
from anastylosis.web.access import Access
from anastylosis.web.findings import Finding, reconstruct
from anastylosis.web.observing import VisitorFacts, choose_source
from anastylosis.web.server import open_server
from anastylosis.web.session import Session
from anastylosis.web.uploads import InputFile, naming
from support.heaps import small_fall, survey_of

__all__ = ["Connection", "Visitor", "find_small_tower", "let_it_come", "open_page_server", "speak", "wait_until"]


class Connection:
    """What the guard needs of a connection of viser."""

    def __init__(self) -> None:
        self.handlers: dict = {FileTransferStartUpload: [], FileTransferPart: []}
        self.sent: list = []

    def register_handler(self, kind, handler) -> None:
        self.handlers.setdefault(kind, []).append(handler)

    def unregister_handler(self, kind) -> None:
        self.handlers.pop(kind)

    def queue_message(self, message) -> None:
        self.sent.append(message)

    def tell(self, message) -> None:
        for handler in self.handlers[type(message)]:
            handler(0, message)


class Visitor:
    """Stands for viser's handle of a client."""

    client_id = 0

    def __init__(self, server: viser.ViserServer) -> None:
        self.gui, self.scene = server.gui, server.scene
        self._websock_connection = Connection()
        self.downloads: dict[str, bytes] = {}
        self.notifications: list[str] = []
        self.camera = SimpleNamespace(
            on_update=lambda react: None,
            aspect=1.0,
            fov=0.6,
            image_width=1440,
            position=(7.0, -8.8, 6.0),
            look_at=(0.0, 0.0, 1.2),
        )

    def atomic(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    @property
    def nodes(self) -> set[str]:
        """Names of all that is in the scene."""
        return set(self.scene._handle_from_node_name)

    def add_notification(self, title: str, body: str, *, color: str) -> None:
        self.notifications.append(f"{title} {body}")

    def send_file_download(self, name: str, content: bytes, *, save_immediately: bool) -> None:
        self.downloads[name] = content

    def set(self, handle: Any, value: Any) -> None:
        """Change a control, as a browser does."""
        handle._impl.value = value
        self.tell(handle)

    def press(self, handle: Any) -> None:
        self.tell(handle)

    def tell(self, handle: Any) -> None:
        for react in handle._impl.update_cb:
            react(viser.GuiEvent(client=self, client_id=self.client_id, target=handle))


def open_page_server() -> viser.ViserServer:
    """Open a server on this machine that lets in everybody, and whose controls do not fail."""

    def hear(event: Any, error: Exception) -> None:
        raise error

    return open_server("127.0.0.1", 0, Access("127.0.0.1"), hear)


def find_small_tower(folder: Path, hypotheses: int) -> Finding:
    """What is found of six fallen layers."""
    path = folder / "survey.csv"
    write_survey(path, survey_of(small_fall())[0])
    told = VisitorFacts(layers=6, hypotheses=hypotheses)
    return reconstruct(InputFile(path, "survey", "<b>six</b>.csv"), told, 1, run_serial, lambda *said: None)


def see_blocks(given: InputFile, told: VisitorFacts) -> Survey:
    """Read a survey, or detect blocks in a picture; errors name the file as the visitor does."""
    with naming(given):
        observation = observe(choose_source(given, told))
        return observation.detect(Toolset().open_detector()) if observation.survey is None else observation.survey


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def speak(session: Session, visitor: Visitor, language: str) -> None:
    visitor.set(session.language, language)


def let_it_come(session: Session, go: threading.Event) -> None:
    """The pull ends, and so does all that was ordered before."""
    over = threading.Event()
    session.ask(session.small, lambda *nothing: None, lambda result: over.set(), lambda error: over.set())
    go.set()
    assert over.wait(60)
