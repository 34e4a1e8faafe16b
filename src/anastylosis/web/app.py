"""The page as a whole: the server, its visitors, and the workshops that they share."""

import logging
import threading

import viser

from anastylosis import physics, rendering
from anastylosis.machine import count_cores
from anastylosis.reconstruction import Toolset
from anastylosis.web.allowance import Allowance
from anastylosis.web.config import PageConfig
from anastylosis.web.guard import comes_from_here, open_server
from anastylosis.web.jobs import JobQueue, QueuedJob
from anastylosis.web.scene_view import FIELD_OF_VIEW, place_lights
from anastylosis.web.session import Session

LOGGER = logging.getLogger(__name__)
BRAND = (150, 76, 20)


class PageServer:
    """A server that runs until it is closed."""

    def __init__(self, config: PageConfig) -> None:
        self.config = config
        self.sessions: dict[int, Session] = {}
        self.lock = threading.Lock()
        self.server = open_server(config.host, config.port)
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
    def address(self) -> str:
        return f"http://{self.config.host}:{self.server.get_port()}"

    def welcome(self, client: viser.ClientHandle) -> None:
        """Open a session for a new visitor."""
        if not comes_from_here(client):
            LOGGER.warning("a page of another site asked for a session; it gets none")
            return
        with self.lock:
            if len(self.sessions) >= self.config.visitors:
                client.gui.add_markdown("The page is full; try again later. / La página está llena; intente más tarde.")
                return
            session = self.sessions[client.client_id] = Session(
                client, self.config, self.large, self.small, self.bytes, self.pixels
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

    def close(self) -> bool:
        """End everything, and keep nothing. False: a thread is still at work, as one that compiles kernels."""
        with self.lock:
            sessions = list(self.sessions.values())
            self.sessions.clear()
        for session in sessions:
            session.close()
        ended = [queue.close() for queue in (self.large, self.small)]
        self.server.stop()
        return all(ended)


def warm_up() -> None:
    """Compile and load what the first visitor would wait for."""
    Toolset().warm_up()
    physics.warm_up()
    rendering.warm_up()
