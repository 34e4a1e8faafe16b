"""A visitor of the page without a browser: viser's messages over a WebSocket. For the soak and the tests."""

import socket
import ssl
import threading
import time
import uuid
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import msgspec
import viser
import zstandard
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

PART = 512 * 1024  # [bytes] of an upload that go in one message
HEAD = 8  # [bytes] of each of the two lengths that a message begins with
CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (7.0, -8.8, 6.0), "fov": 0.6, "near": 0.1,
    "far": 100.0, "image_height": 700, "image_width": 1040, "look_at": (0.0, 0.0, 1.2), "up_direction": (0.0, 0.0, 1.0),
}  # fmt: skip


class PageClient:
    """One visitor. `machine`: address and port to connect to, where the name in the URL leads nowhere from here."""

    def __init__(
        self,
        url: str,
        *,
        cookie: str = "",
        origin: str | None = None,
        machine: tuple[str, int] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        parts = urlsplit(url)
        self.controls: dict[str, dict[str, Any]] = {}  # by their name in viser
        self.news = threading.Condition()
        self.open = True
        self.connection = connect(
            f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{parts.path.rstrip('/')}",
            sock=socket.create_connection(machine) if machine is not None else None,
            ssl=tls if parts.scheme == "https" else None,
            origin=Origin(origin) if origin is not None else None,
            additional_headers={"Cookie": cookie} if cookie else None,
            subprotocols=[Subprotocol(f"viser-v{viser.__version__}")],
            compression=None,
            max_size=None,
            proxy=None,
            open_timeout=30,
        )
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.send(CAMERA)  # so viser knows that somebody is there

    def __enter__(self) -> "PageClient":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        self.listener.join(timeout=10)

    def send(self, message: dict[str, Any]) -> None:
        self.connection.send(msgspec.msgpack.encode(message))

    def listen(self) -> None:
        """Keep the controls as the page has them, until it ends the connection."""
        unzip = zstandard.ZstdDecompressor()
        try:
            while True:
                raw = self.connection.recv(decode=False)
                size, packed = (int.from_bytes(raw[at : at + HEAD], "little") for at in (0, HEAD))
                inner = unzip.decompress(raw[2 * HEAD : 2 * HEAD + packed], max_output_size=size)
                with self.news:
                    for message in msgspec.msgpack.decode(inner)["messages"]:
                        self.take(message)
                    self.news.notify_all()
        except ConnectionClosed:
            pass
        with self.news:
            self.open = False
            self.news.notify_all()

    def take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ResetGuiMessage":
            self.controls.clear()
        elif kind == "GuiRemoveMessage":
            self.controls.pop(message["uuid"], None)
        elif kind == "GuiUpdateMessage" and message["uuid"] in self.controls:
            self.controls[message["uuid"]] |= message["updates"]
        elif kind.startswith("Gui") and "props" in message:
            self.controls[message["uuid"]] = {"kind": kind, "value": message.get("value"), **message["props"]}
        elif kind == "NotificationShowMessage":
            self.controls[message["uuid"]] = {"kind": kind, "content": f"{message['props']['title']} {message['props']['body']}"}

    @property
    def text(self) -> str:
        """Return all that the page says in HTML of its own."""
        return "\n".join(str(each.get("content", "")) for each in self.controls.values())

    def wait(self, true: Callable[[], Any], seconds: float = 60.0, what: str = "it") -> Any:
        """Wait until something is true of the controls, and return it; `what` is waited for."""
        end = time.monotonic() + seconds
        with self.news:
            while not (found := true()):
                left = end - time.monotonic()
                if left <= 0 or not self.open:
                    why = f"{what} does not come" if self.open else "the page hung up"
                    raise TimeoutError(f"{why}; the page says: {' '.join(self.text.split())}")
                self.news.wait(left)
            return found

    def wait_for(self, words: str, seconds: float = 60.0) -> None:
        self.wait(lambda: words in self.text, seconds, repr(words))

    def find(self, label: str, kind: str = "Gui", seconds: float = 60.0) -> str:
        """Wait for a control that can be seen and used, and return its name."""

        def look() -> str | None:
            for name, each in self.controls.items():
                if each.get("label") == label and each["kind"].startswith(kind) and each.get("visible", True):
                    return None if each.get("disabled") else name
            return None

        return str(self.wait(look, seconds, repr(label)))

    def set(self, label: str, value: Any) -> None:
        name = self.find(label)
        with self.news:
            self.controls[name]["value"] = value
        self.send({"type": "GuiUpdateMessage", "uuid": name, "updates": {"value": value}})

    def press(self, label: str, seconds: float = 60.0) -> None:
        self.send({"type": "GuiUpdateMessage", "uuid": self.find(label, "GuiButton", seconds), "updates": {"value": True}})

    def upload(self, name: str, content: bytes, button: str = "My picture or survey …") -> None:
        source, transfer = self.find(button), str(uuid.uuid4())
        parts = [content[at : at + PART] for at in range(0, len(content), PART)]
        self.send(
            {
                "type": "FileTransferStartUpload", "source_component_uuid": source, "transfer_uuid": transfer, "filename": name,
                "mime_type": "", "part_count": len(parts), "size_bytes": len(content),
            }
        )  # fmt: skip
        for number, part in enumerate(parts):
            self.send(
                {
                    "type": "FileTransferPart", "source_component_uuid": source, "transfer_uuid": transfer, "part_index": number,
                    "content": part,
                }
            )  # fmt: skip


def fetch(
    url: str, *, cookie: str = "", host: str = "", machine: tuple[str, int] | None = None, tls: ssl.SSLContext | None = None
) -> tuple[int, dict[str, str], str]:
    """Ask for a page as a browser does, and follow nothing: its status, its headers, and what it says."""
    parts = urlsplit(url)
    secure, name = parts.scheme == "https", parts.hostname or ""
    connection = (
        HTTPSConnection(name, parts.port, context=tls, timeout=30) if secure else HTTPConnection(name, parts.port, timeout=30)
    )
    if machine is not None:
        plain = socket.create_connection(machine, timeout=30)
        connection.sock = tls.wrap_socket(plain, server_hostname=name) if secure and tls is not None else plain
    headers = {"Host": host or parts.netloc} | ({"Cookie": cookie} if cookie else {})
    try:
        connection.request("GET", f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}", headers=headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()
