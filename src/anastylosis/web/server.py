"""Server: viser's own, which asks `Access` before it answers. It opens no tunnel, and no error of a control stays unheard.

viser answers whoever asks, opens a tunnel to the outside when a browser wants one, tries other ports without a word, and prints
a traceback where a control fails. None of that here.
"""

import contextlib
import gzip
import io
import logging
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import viser
import websockets.asyncio.server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from anastylosis.errors import InvalidInput
from anastylosis.web.access import Access, Refusal
from anastylosis.web.refusal import draw_page

THREADS = 32  # that controls are handled by, as viser has
REFUSED_MAX = 24  # sockets at a time that are only told why they get no session
REFUSED_BYTES = 10_000  # of a message that such a socket may send
FULL = 1013  # close code of a socket: try again later
TITLE = "Anastylosis"
ICON = (  # a tower of three courses, the last block of which is on its way
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg fill='%23c98a4b' stroke='%23542c10' "
    "stroke-width='1.4'%3E%3Cpath d='M5 22h22v6H5zM5 14h7v6H5zM12.500 14h7v6h-7zM20 14h7v6h-7zM5 6h14v6H5z'/%3E"
    "%3Cpath fill='%23d8701f' d='m21 2 8 3-2 6-8-3z'/%3E%3C/g%3E%3C/svg%3E"
)
HOST = re.compile(r"[\w.:\[\]-]+", re.ASCII)
LOGGER = logging.getLogger(__name__)
OnError = Callable[[Any, Exception], None]  # is told the event of a control, and what its handler raised


class ClosedServer(viser.ViserServer):
    """A server that opens no tunnel."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        return None


class ControlThreads(ThreadPoolExecutor):
    """Threads that handle the controls of all visitors, and tell of what goes wrong there."""

    def __init__(self, on_error: OnError) -> None:
        super().__init__(THREADS)
        self.on_error = on_error

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def run() -> Any:
            try:
                return fn(*args, **kwargs)
            except Exception as error:
                self.on_error(args[0] if args else None, error)

        return super().submit(run)


def open_server(host: str, port: int, access: Access, on_error: OnError) -> viser.ViserServer:
    """Open a server at this port and no other; refuse in one line where that cannot be."""
    try:
        with socket.create_server((host, port)) as probe:  # viser would try the next ports, without a word, a thousand times
            port = probe.getsockname()[1]
    except OSError as error:
        raise InvalidInput(f"nothing can listen at {host} port {port}: {error.strerror}; choose another --port") from error
    with contextlib.redirect_stdout(io.StringIO()), ask_first(access, port):  # its own greeting
        server = ClosedServer(host=host, port=port, label="Anastylosis", verbose=False)
    server._thread_executor.shutdown(wait=False)
    server._thread_executor = ControlThreads(on_error)  # every client gets it when it comes
    return server


def find_refusal(client: viser.ClientHandle, access: Access) -> Refusal | None:
    """Return why the socket of a client gets no session; None: it gets one, or is gone."""
    server = client._viser_server
    connection = server._websock_server._live_connections.get(client.client_id)
    request = connection.request if connection is not None else None
    return access.find_refusal(request.path, request.headers, server.get_port(), socket=True) if request is not None else None


def read_languages(client: viser.ClientHandle) -> str:
    """Return the languages that the browser of a client asks for, as its header says; "": it is gone, or asks for none."""
    connection = client._viser_server._websock_server._live_connections.get(client.client_id)
    request = connection.request if connection is not None else None
    return request.headers.get("Accept-Language", "") if request is not None else ""


@contextlib.contextmanager
def ask_first(access: Access, port: int) -> Iterator[None]:
    """Have requests to the server that viser starts meanwhile judged by `access`.

    A page that is refused is a page that says why. A socket that is refused is let in, for only so can the page that opened it
    say why; but it may send next to nothing, it gets no session, and few of them are open at a time.
    """
    given, refused = websockets.asyncio.server.serve, set[ServerConnection]()
    places = [access.public.place] if access.public is not None else []
    silent = logging.getLogger(f"{__name__}.sockets")  # requests that cannot be read would each fill the terminal
    silent.setLevel(logging.CRITICAL + 1)

    def serve(handler: Callable[[ServerConnection], Awaitable[None]], *args: Any, process_request: Any, **settings: Any) -> Any:
        def answer(connection: ServerConnection, request: Request) -> Response | None:
            asks_socket = request.headers.get_all("Upgrade") == ["websocket"]
            refusal = access.find_refusal(request.path, request.headers, port, asks_socket)
            if refusal is not None and asks_socket:
                connection.protocol.max_message_size = REFUSED_BYTES
            elif refusal is not None:
                return respond(HTTPStatus.FORBIDDEN, draw_page(refusal))
            elif not asks_socket and (entry := access.enter(request.path, port)) is not None:
                return respond(HTTPStatus.SEE_OTHER, "", entry)
            request.path = access.strip(request.path)
            response = process_request(connection, request)
            if response is not None and response.status_code == HTTPStatus.NOT_FOUND:
                return respond(HTTPStatus.NOT_FOUND, draw_page(Refusal("refused_path", request.path.partition("?")[0])))
            return response if response is None else seal(brand(response), [*places, *request.headers.get_all("Host")])

        async def handle(connection: ServerConnection) -> None:
            request = connection.request
            if request is None or access.find_refusal(request.path, request.headers, port, socket=True) is None:
                await handler(connection)
            elif len(refused) == REFUSED_MAX:
                await connection.close(FULL, "too many at once")
            else:
                refused.add(connection)
                try:
                    await handler(connection)
                finally:
                    refused.discard(connection)

        return given(handle, *args, process_request=answer, logger=silent, **settings)

    websockets.asyncio.server.serve = serve  # type: ignore[assignment, misc]
    try:
        yield
    finally:
        websockets.asyncio.server.serve = given  # type: ignore[misc]


def respond(status: HTTPStatus, body: str, headers: dict[str, str] | None = None) -> Response:
    content = body.encode()
    given = Headers(
        {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(content)), "Cache-Control": "no-store"}
    )
    given.update(headers or {})
    return seal(Response(status, status.phrase, given, content), [])


def brand(response: Response) -> Response:
    """Give viser's page the name and the icon of ours."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return response
    packed = response.headers.get("Content-Encoding") == "gzip"
    page = (gzip.decompress(response.body) if packed else response.body).decode()
    page = re.sub(r"<title>[^<]*</title>", f"<title>{TITLE}</title>", page, count=1)
    page = re.sub(r'(rel="icon"\s+href=")[^"]*"', rf'\g<1>{ICON}"', page, count=1)
    response.body = gzip.compress(page.encode()) if packed else page.encode()
    del response.headers["Content-Length"]
    response.headers["Content-Length"] = str(len(response.body))
    return response


def seal(response: Response, hosts: list[str]) -> Response:
    """Forbid the page to ask other hosts for anything: viser's would open a socket to any address that its query names."""
    sockets = " ".join(f"ws://{host} wss://{host}" for host in hosts if HOST.fullmatch(host))
    response.headers["Content-Security-Policy"] = f"connect-src 'self' data: blob: {sockets}".strip()
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
