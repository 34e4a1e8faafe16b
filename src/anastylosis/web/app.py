"""The page as a whole: the server, its visitors, and the workshops that they share."""

import logging
import threading
from typing import Any
from urllib.parse import urlencode

import viser

from anastylosis import physics, rendering
from anastylosis.machine import count_cores
from anastylosis.reconstruction import Toolset
from anastylosis.web.access import QUERY, Access, PublicUrl, choose_token, is_loopback
from anastylosis.web.allowance import Allowance
from anastylosis.web.config import PageConfig
from anastylosis.web.jobs import JobQueue, QueuedJob
from anastylosis.web.memory import return_memory, share_heaps
from anastylosis.web.page_folder import PageFolder
from anastylosis.web.refusal import draw_refusal
from anastylosis.web.scene_view import FIELD_OF_VIEW, place_lights
from anastylosis.web.server import find_refusal, open_server, read_languages
from anastylosis.web.session import Session
from anastylosis.web.trouble import explain, record
from anastylosis.web.words import COLUMNS, Translator, frame

LOGGER = logging.getLogger(__name__)
BRAND = (150, 76, 20)


class PageServer:
    """A server that runs until it is closed."""

    def __init__(self, config: PageConfig) -> None:
        self.config = config
        self.sessions: dict[int, Session] = {}
        self.lock = threading.Lock()
        self.public = PublicUrl.parse(config.public_url) if config.public_url is not None else None
        reachable = self.public is not None or not is_loopback(config.host)
        self.access = Access(config.host, self.public, choose_token(config.token, reachable))
        share_heaps()
        self.server = open_server(config.host, config.port, self.access, self.hear_error)
        self.folder = PageFolder()
        self.large = JobQueue(1, config.workers or max(count_cores(), 2), "large")  # processes, so that the page stays awake
        self.small = JobQueue(2, 1, "small")
        self.bytes, self.pixels = Allowance(config.uploads_total), Allowance(config.pixels_total)
        self.server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
        place_lights(self.server.scene)
        camera = self.server.initial_camera
        camera.fov, camera.position, camera.look_at = FIELD_OF_VIEW, (7.0, -8.8, 6.0), (0.0, 0.0, 1.2)
        self.server.on_client_connect(self.welcome)
        self.server.on_client_disconnect(self.part)
        self.small.ask(QueuedJob(do=lambda execute, progress: warm_up()))

    @property
    def port(self) -> int:
        return self.server.get_port()

    @property
    def local_address(self) -> str:
        """Return the address that the page listens at."""
        return f"http://{self.config.host}:{self.port}"

    @property
    def address(self) -> str:
        """Return the address that browsers have, without the token."""
        return str(self.public) if self.public is not None else self.local_address

    @property
    def link(self) -> str:
        """Return the address that opens the page."""
        token = self.access.token
        return f"{self.address}/?{urlencode({QUERY: token})}" if token else self.address

    def describe_access(self) -> list[str]:
        """Describe who can use the page, where others can reach it."""
        if self.public is None and is_loopback(self.config.host):
            return []
        who = "who has this address, token included," if self.access.token else "anybody who can reach this address"
        behind = [f"the proxy at {self.public} finds the page at {self.local_address}"] if self.public is not None else []
        return [*behind, f"{who} can use the page"]

    def welcome(self, client: viser.ClientHandle) -> None:
        """Open a session for a new visitor."""
        refusal = find_refusal(client, self.access)
        if refusal is not None:
            LOGGER.warning("a session was refused: %s %r", refusal.reason, refusal.asked[:200])
            client.gui.add_html(frame(draw_refusal(refusal)))
            return
        with self.lock:
            if len(self.sessions) >= self.config.visitors:
                client.gui.add_markdown("The page is full; try again later. / La página está llena; intente más tarde.")
                return
            session = self.sessions[client.client_id] = Session(
                client, self.config, self.large, self.small, self.bytes, self.pixels, self.folder.path, read_languages(client)
            )
        if client.client_id not in self.server.get_clients():  # gone before all was built
            self.part(client)
        LOGGER.info("visitor %d came, %s", client.client_id, session.storage.folder)

    def part(self, client: viser.ClientHandle) -> None:
        """Close the session of a visitor who left."""
        with self.lock:
            session = self.sessions.pop(client.client_id, None)
        if session is not None:
            session.close()
            return_memory()

    def hear_error(self, event: Any, error: Exception) -> None:
        """Note what the handler of a control raised, and tell the visitor whose control it was."""
        record(error)
        client = getattr(event, "client", event)
        session = self.sessions.get(getattr(client, "client_id", -1))
        try:
            if session is not None:
                session.show_broken(error)
            elif isinstance(client, viser.ClientHandle):  # their controls could not be made
                client.gui.add_html(frame(explain(error, Translator(self.config.language or COLUMNS[0]))))
        except Exception as other:  # they are gone
            record(other)

    def close(self) -> bool:
        """End everything, and keep nothing. False: a thread is still at work, as one that compiles kernels."""
        with self.lock:
            sessions = list(self.sessions.values())
            self.sessions.clear()
        for session in sessions:
            session.close()
        ended = [queue.close() for queue in (self.large, self.small)]
        self.server.stop()
        self.folder.close()
        return all(ended)


def warm_up() -> None:
    """Compile and load what the first visitor would wait for."""
    Toolset().warm_up()
    physics.warm_up()
    rendering.warm_up()
