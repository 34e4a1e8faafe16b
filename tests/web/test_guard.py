"""The guard: uploads that a browser may not send, asked of a server without one."""

from collections.abc import Iterator

import pytest
import viser
from viser._messages import FileTransferPart, FileTransferStartUpload

from anastylosis.web.allowance import Allowance
from anastylosis.web.config import SURVEY_MAX
from anastylosis.web.guard import limit_uploads
from support.visitors import Connection, Visitor, open_page_server


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = open_page_server()
    yield server
    server.stop()


class Gui:
    """A browser's uploads, as viser keeps them."""

    def __init__(self) -> None:
        self._current_file_upload_states: dict = {}

    def _handle_file_transfer_start(self, client_id, message) -> None:
        self._current_file_upload_states[message.transfer_uuid] = {
            "filename": message.filename, "total_bytes": message.size_bytes, "transferred_bytes": 0,
        }  # fmt: skip

    def _handle_file_transfer_part(self, client_id, message) -> None:
        state = self._current_file_upload_states[message.transfer_uuid]
        state["transferred_bytes"] += len(message.content)
        if state["transferred_bytes"] == state["total_bytes"]:
            del self._current_file_upload_states[message.transfer_uuid]


class Client:
    client_id = 7

    def __init__(self) -> None:
        self._websock_connection, self.gui = Connection(), Gui()


def begin(size: int, parts: int = 1, name: str = "t", button: str = "button", file: str = "a.csv") -> FileTransferStartUpload:
    return FileTransferStartUpload(
        source_component_uuid=button, transfer_uuid=name, filename=file, mime_type="", part_count=parts, size_bytes=size
    )


def part(content: bytes, number: int = 0, name: str = "t", button: str = "button") -> FileTransferPart:
    return FileTransferPart(source_component_uuid=button, transfer_uuid=name, part_index=number, content=content)


@pytest.mark.parametrize("message", [begin(101), begin(-1), begin(10, parts=11)])
def test_uploads_that_say_they_are_too_large_are_never_taken_in(message) -> None:
    client, refused, shared = Client(), [], Allowance(1000)
    limit_uploads(client, 100, shared, lambda *said: refused.append(said))
    client._websock_connection.tell(message)
    assert refused == [("a.csv", "too_large")]
    assert shared.taken == 0
    assert client.gui._current_file_upload_states == {}
    assert client._websock_connection.sent[0].transferred_bytes == message.size_bytes  # the button of the browser is free again


@pytest.mark.parametrize(("file", "reasons"), [("a.JSON", ["survey_too_large"]), ("a.png", [])])
def test_a_table_that_no_survey_can_be_is_never_taken_in(file: str, reasons: list[str]) -> None:
    client, refused, shared = Client(), [], Allowance(10 * SURVEY_MAX)
    limit_uploads(client, 5 * SURVEY_MAX, shared, lambda *said: refused.append(said))
    client._websock_connection.tell(begin(SURVEY_MAX + 1, file=file))
    assert refused == [(file, reason) for reason in reasons]


def test_uploads_that_are_larger_than_they_say_are_dropped() -> None:
    client, refused, shared = Client(), [], Allowance(1000)
    limit_uploads(client, 100, shared, lambda *said: refused.append(said))
    client._websock_connection.tell(begin(10, parts=2))
    assert shared.taken == 10
    client._websock_connection.tell(part(b"x" * 9))
    client._websock_connection.tell(part(b"x" * 2, 1))
    assert refused == [("a.csv", "too_large")]
    assert client.gui._current_file_upload_states == {}
    assert shared.taken == 0


def test_uploads_of_all_visitors_are_bounded_together() -> None:
    shared, refused, visitors = Allowance(150), [], [Client(), Client()]
    for number, client in enumerate(visitors):
        client.client_id = number
        limit_uploads(client, 100, shared, lambda *said: refused.append(said))
    first, second = (client._websock_connection for client in visitors)
    first.tell(begin(100))
    second.tell(begin(60))
    assert refused == [("a.csv", "crowded")]
    assert second.sent[0].transferred_bytes == 60
    first.tell(part(b"x" * 100))  # it is whole, and kept until there is another
    assert shared.taken == 100
    first.tell(begin(40, name="next"))
    first.tell(part(b"x" * 40, name="next"))
    assert shared.taken == 40
    second.tell(begin(60))
    assert len(refused) == 1
    shared.part(0)
    assert shared.taken == 60


@pytest.mark.filterwarnings("ignore:.*Dropping upload")
def test_uploads_that_viser_does_not_begin_take_nothing_from_the_others(server: viser.ViserServer) -> None:
    visitor, shared = Visitor(server), Allowance(1000)
    button = visitor.gui.add_upload_button("Upload")._impl.uuid
    limit_uploads(visitor, 100, shared, lambda *said: None)
    visitor._websock_connection.tell(begin(100, name="nowhere", button="none"))
    visitor._websock_connection.tell(begin(100, parts=0, name="nothing", button=button))
    assert shared.taken == 0
    visitor._websock_connection.tell(begin(100, name="file", button=button))
    visitor._websock_connection.tell(begin(0, name="file", button="none"))  # would make it smaller than it is
    assert shared.taken == 100


@pytest.mark.filterwarnings("ignore:.*Dropping upload")
def test_an_upload_that_is_smaller_than_it_said_does_not_count_and_the_one_before_it_still_does(
    server: viser.ViserServer,
) -> None:
    """viser drops the one, and keeps the other."""
    visitor, shared, refused = Visitor(server), Allowance(1000), []
    button = visitor.gui.add_upload_button("Upload")
    limit_uploads(visitor, 100, shared, lambda *said: refused.append(said))
    tell = visitor._websock_connection.tell
    tell(begin(100, name="whole", button=button._impl.uuid))
    tell(part(b"x" * 100, name="whole", button=button._impl.uuid))
    tell(begin(90, parts=2, name="short", button=button._impl.uuid))
    tell(part(b"y" * 30, name="short", button=button._impl.uuid))
    assert shared.taken == 190
    tell(part(b"y" * 30, 1, name="short", button=button._impl.uuid))
    assert button.value.content == b"x" * 100
    assert shared.taken == 100
    assert refused == [("a.csv", "cut_short")]
    tell(begin(80, name="next", button=button._impl.uuid))
    tell(part(b"z" * 80, name="next", button=button._impl.uuid))
    assert button.value.content == b"z" * 80
    assert shared.taken == 80


def test_one_visitor_has_two_uploads_and_no_more() -> None:
    client, refused, shared = Client(), [], Allowance(1000)
    limit_uploads(client, 100, shared, lambda *said: refused.append(said))
    for name in "abc":
        client._websock_connection.tell(begin(100, name=name))
    assert refused == [("a.csv", "crowded")]
    assert shared.taken == 200
