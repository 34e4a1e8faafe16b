"""Server: who gets the page and who is told why not, asked over real connections."""

import logging
import socket
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
import viser
from viser._messages import ShareUrlRequest
from websockets.exceptions import ConnectionClosed

from anastylosis.errors import InvalidInput
from anastylosis.web import server as module
from anastylosis.web.access import Access
from anastylosis.web.app import PageServer
from anastylosis.web.config import PageConfig
from anastylosis.web.server import REFUSED_BYTES, open_server
from anastylosis.web.uploads import EXAMPLES
from support.visitors import open_page_server

TOKEN = "t" * 20


@pytest.fixture(scope="module")
def page() -> Iterator[PageServer]:
    page = PageServer(PageConfig(port=0, workers=1, token=TOKEN))
    yield page
    page.close()


@pytest.fixture
def client(open_tool) -> SimpleNamespace:
    return open_tool("page_client")


@pytest.fixture
def cookie(page: PageServer, client: SimpleNamespace) -> str:
    """The cookie that a browser has once it has opened the link."""
    status, headers, _ = client.fetch(page.link)
    assert (status, headers["location"]) == (303, "/")
    return headers["set-cookie"].partition(";")[0]


def test_a_port_that_is_taken_is_refused_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(InvalidInput, match="choose another --port"):
        open_server("127.0.0.1", other.getsockname()[1], Access("127.0.0.1"), lambda event, error: None)


def test_no_tunnel_is_opened() -> None:
    server = open_page_server()
    assert ShareUrlRequest in server._websock_server._incoming_handlers  # viser still has the message that asks for one
    assert server.request_share_url() is None
    server.stop()


def test_who_has_the_token_gets_the_page_and_a_session(page: PageServer, client: SimpleNamespace, cookie: str) -> None:
    status, headers, text = client.fetch(page.address, cookie=cookie)
    assert (status, "<title>Anastylosis</title>" in text) == (200, True)
    assert TOKEN not in text
    place = page.address.removeprefix("http://")
    assert headers["content-security-policy"] == f"connect-src 'self' data: blob: ws://{place} wss://{place}"
    with client.PageClient(page.address, cookie=cookie, origin=page.address) as visitor:
        visitor.wait_for("Nothing is given yet.")


def test_who_lacks_the_token_is_told_so_in_both_languages(page: PageServer, client: SimpleNamespace) -> None:
    for url in (page.address, f"{page.address}/?token=wrong"):
        status, headers, text = client.fetch(url)
        assert (status, headers["content-type"]) == (403, "text/html; charset=utf-8")
        assert "The page takes a token" in text
        assert "La página pide una clave" in text
        assert '<input name="token"' in text


def test_a_page_that_is_open_when_its_token_gets_old_says_so(page: PageServer, client: SimpleNamespace) -> None:
    with client.PageClient(page.address, cookie="anastylosis-1=old", origin=page.address) as visitor:
        visitor.wait_for("The page takes a token")
        assert "La página pide una clave" in visitor.text
        assert "My picture or survey …" not in [each.get("label") for each in visitor.controls.values()]


def test_a_page_of_another_site_gets_words_and_no_session(page: PageServer, client: SimpleNamespace, cookie: str) -> None:
    before = set(page.sessions)
    with client.PageClient(page.address, cookie=cookie, origin="https://<b>elsewhere.example") as visitor:
        visitor.wait_for("has to start it with --public-url <b>https://&lt;b&gt;elsewhere.example</b>")
        assert set(page.sessions) == before
        visitor.connection.send(b"x" * (REFUSED_BYTES + 1))
        with pytest.raises(TimeoutError, match="hung up"):
            visitor.wait(lambda: False, 20)


def test_a_name_that_leads_here_and_is_not_ours_is_refused(page: PageServer, client: SimpleNamespace, cookie: str) -> None:
    status, _, text = client.fetch(page.address, cookie=cookie, host="elsewhere.example")
    assert status == 403
    assert "not served under the name <b>elsewhere.example</b>" in text
    assert "no se sirve con el nombre <b>elsewhere.example</b>" in text
    assert "<form" not in text


def test_a_path_that_the_page_does_not_have_is_told_in_words(page: PageServer, client: SimpleNamespace, cookie: str) -> None:
    status, _, text = client.fetch(f"{page.address}/rubble/<i>", cookie=cookie)
    assert status == 404
    assert "There is nothing at <b>/rubble/&lt;i&gt;</b>" in text
    assert "No hay nada en <b>" in text


def test_few_refused_sockets_are_open_at_a_time(page: PageServer, client: SimpleNamespace, cookie: str, monkeypatch) -> None:
    monkeypatch.setattr(module, "REFUSED_MAX", 2)
    first, second = (client.PageClient(page.address) for _ in range(2))
    second.wait_for("takes a token")

    def come_third() -> None:
        client.PageClient(page.address).wait(lambda: False, 20)

    with pytest.raises((ConnectionClosed, TimeoutError)):  # it may be over before the first word
        come_third()
    with client.PageClient(page.address, cookie=cookie) as visitor:
        visitor.wait_for("Nothing is given yet.")
    first.close()
    second.close()


def test_requests_that_cannot_be_read_do_not_fill_the_terminal(page: PageServer, capfd) -> None:
    for raw in (
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", page.port), timeout=20) as plain:
            plain.sendall(raw)
            while plain.recv(4096):
                pass
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_an_error_that_nobody_foresaw_is_told_to_its_visitor_and_logged(
    page: PageServer, client: SimpleNamespace, cookie: str, monkeypatch, caplog, capfd
) -> None:
    """Where a control fails and where an upload does: both tell a number that the log has beside the traceback."""

    def fail(*given: object, **named: object) -> None:
        raise ZeroDivisionError("nobody foresaw it")

    with client.PageClient(page.address, cookie=cookie) as visitor, caplog.at_level(logging.ERROR):
        visitor.wait_for("Nothing is given yet.")
        monkeypatch.setattr("anastylosis.web.intake.find_kind", fail)
        visitor.upload("survey.csv", EXAMPLES["survey"].path.read_bytes())
        visitor.wait_for("Something broke on our side")
        monkeypatch.setattr("anastylosis.web.play.jenga_tower", fail)
        visitor.press("New tower")
        visitor.wait(lambda: any(each["kind"] == "NotificationShowMessage" for each in visitor.controls.values()))
        assert visitor.text.count("Something broke on our side") == 2
        records = [record for record in caplog.records if record.exc_info]
        assert len(records) == 2
        for record in records:
            assert f"under {record.getMessage()[:6]}." in visitor.text
            assert record.exc_info[0] is ZeroDivisionError
    assert "Traceback" not in capfd.readouterr().err


def test_behind_a_proxy_and_beyond_this_machine_there_is_a_token(monkeypatch, open_page: Callable[..., PageServer]) -> None:
    assert open_page().access.token == ""
    proxied = open_page(public_url="https://museum.example/rubble")
    assert proxied.link == f"https://museum.example/rubble/?token={proxied.access.token}"
    assert len(proxied.access.token) >= 22
    assert open_page(public_url="https://museum.example/rubble", token="").link == "https://museum.example/rubble"
    monkeypatch.setattr("anastylosis.web.app.is_loopback", lambda host: False)
    assert len(open_page().access.token) >= 22
    assert "anybody who can reach" in open_page(token="").describe_access()[0]


@pytest.fixture
def open_page(monkeypatch) -> Callable[..., PageServer]:
    """Pages without kernels to compile or processes to start: only what they would say of themselves."""
    monkeypatch.setattr("anastylosis.web.app.warm_up", lambda: None)
    opened: list[PageServer] = []

    def start(**settings: str) -> PageServer:
        opened.append(PageServer(PageConfig(port=0, workers=1, **settings)))
        return opened[-1]

    yield start
    for page in opened:
        page.close()


def test_viser_is_as_the_server_knows_it() -> None:
    """It takes the threads of its controls from here for each client."""
    server = open_page_server()
    assert isinstance(server, viser.ViserServer)
    assert isinstance(server._thread_executor, module.ControlThreads)
    server.stop()
