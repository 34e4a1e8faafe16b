"""Guard: what the page does not let a browser do. All that is known here of the inside of viser is in this file.

viser takes uploads of any size, answers pages of any site that open a socket to it, and opens a tunnel to the outside when a
browser asks for one. None of that here.
"""

import contextlib
import io
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import viser
from viser._messages import FileTransferPart, FileTransferPartAck, FileTransferStartUpload, RunJavascriptMessage

from anastylosis.errors import InvalidInput

__all__ = ["LOOPBACK", "comes_from_here", "is_own", "limit_uploads", "open_server", "run_script"]

LOOPBACK = ("127.0.0.1", "localhost")


class ClosedServer(viser.ViserServer):
    """A server that opens no tunnel."""

    def request_share_url(self, verbose: bool = True) -> str | None:
        return None


def open_server(host: str, port: int) -> viser.ViserServer:
    """A server at this port and no other; refused in one line where that cannot be."""
    try:
        with socket.create_server((host, port)) as probe:  # viser would try the next ports, without a word, a thousand times
            port = probe.getsockname()[1]
    except OSError as error:
        raise InvalidInput(f"nothing can listen at {host} port {port}: {error.strerror}; choose another --port") from error
    with contextlib.redirect_stdout(io.StringIO()):  # its own greeting
        return ClosedServer(host=host, port=port, label="Anastylosis", verbose=False)


def comes_from_here(client: viser.ClientHandle) -> bool:
    """Whether a socket was opened by this page, and not by one of another site in the same browser."""
    connection = client._viser_server._websock_server._live_connections.get(client.client_id)
    headers = connection.request.headers if connection is not None and connection.request is not None else {}
    return is_own(headers.get("Origin"), headers.get("Host"), client._viser_server.get_host())


def is_own(origin: str | None, host: str | None, bound: str) -> bool:
    """Whether a page of this origin is the one that is served at `host`. A server of this machine alone goes by no other name:
    a site could have its name lead here, and both would agree."""
    if bound in LOOPBACK and host is not None and urlsplit(f"//{host}").hostname not in LOOPBACK:
        return False
    return origin is None or urlsplit(origin).netloc == host


def run_script(client: viser.ClientHandle, source: str) -> None:
    """Let the browser of this visitor do what viser's page does not."""
    client._websock_connection.queue_message(RunJavascriptMessage(source))


def limit_uploads(client: viser.ClientHandle, most: int, refuse: Callable[[str], None]) -> None:
    """Refuse uploads of more than `most` bytes before they are taken in; and those that turn out larger than they said."""
    connection, gui = client._websock_connection, client.gui

    def begin(client_id: int, message: FileTransferStartUpload) -> None:
        if 0 <= message.size_bytes <= most and 0 <= message.part_count <= max(message.size_bytes, 1):
            gui._handle_file_transfer_start(client_id, message)
            return
        connection.queue_message(  # for the browser it is over, or its button would wait for ever
            FileTransferPartAck(
                source_component_uuid=message.source_component_uuid,
                transfer_uuid=message.transfer_uuid,
                transferred_bytes=message.size_bytes,
                total_bytes=message.size_bytes,
            )
        )
        refuse(message.filename)

    def go_on(client_id: int, message: FileTransferPart) -> None:
        state = gui._current_file_upload_states.get(message.transfer_uuid)
        if state is not None and state["transferred_bytes"] + len(message.content) > state["total_bytes"]:
            gui._current_file_upload_states.pop(message.transfer_uuid, None)
            refuse(state["filename"])
            return
        gui._handle_file_transfer_part(client_id, message)

    for kind, handler in ((FileTransferStartUpload, begin), (FileTransferPart, go_on)):
        connection.unregister_handler(kind)
        connection.register_handler(kind, handler)
