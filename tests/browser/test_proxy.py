"""The page behind nginx and under a path, in a real Chromium: with the token, without it, and where the proxy was not told of."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from anastylosis.web.app import PageServer
from anastylosis.web.config import PageConfig
from support.browsers import Browser, find_chromium
from support.proxies import HOSTS, find_free_port, run_proxy

FLAGS = (f"--host-resolver-rules={','.join(f'MAP {host} 127.0.0.1' for host in HOSTS.values())}", "--ignore-certificate-errors")
COARSE = "fixedDpr=0.6"


@pytest.fixture(scope="module")
def browse(tmp_path_factory) -> Iterator[Callable[..., Browser]]:
    """Browsers that know the name of the proxy."""
    if find_chromium() is None:
        pytest.skip("no Chromium with its driver on this machine (Debian: apt install chromium chromium-driver)")
    opened: list[Browser] = []

    def start(address: str, first: str) -> Browser:
        opened.append(Browser(tmp_path_factory.mktemp("browser"), address, *FLAGS, first=first))
        return opened[-1]

    yield start
    for browser in opened:
        browser.quit()
        shutil.rmtree(browser.folder, ignore_errors=True)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch) -> Iterator[Callable[[str, bool], tuple[PageServer, str]]]:
    """The page behind nginx, told of it or not; and its address there."""
    monkeypatch.setattr("anastylosis.web.app.warm_up", lambda: None)
    with ExitStack() as opened:

        def start(path: str, told: bool) -> tuple[PageServer, str]:
            port = find_free_port()
            url = f"https://{HOSTS[path]}:{port}{path}"
            page = PageServer(PageConfig(port=0, workers=1, public_url=url if told else None))
            opened.callback(page.close)
            opened.enter_context(run_proxy("nginx", path, port, page.port, tmp_path))
            return page, url

        yield start


def test_behind_nginx_a_visitor_works_with_the_token_and_is_told_without_it(serve, browse, small_survey: Path) -> None:
    page, _ = serve("/rubble", True)
    visitor: Browser = browse(page.address, "The page takes a token")
    assert "La página pide una clave" in visitor.text
    visitor.find("//input[@name='token']").send_keys(page.access.token)
    visitor.find("//button[.='Open']").click()
    visitor.wait_for("Nothing is given yet.")
    assert page.access.token not in visitor.driver.current_url
    visitor.driver.get(f"{page.link}&{COARSE}")
    visitor.wait_for("Nothing is given yet.")
    assert page.access.token not in visitor.driver.current_url
    assert COARSE in visitor.driver.current_url
    visitor.give(small_survey)
    visitor.wait_for("six-layers.csv: a survey")
    visitor.read_logs()
    assert visitor.hosts == {urlsplit(page.address).netloc}
    page.access.token = "n" * 22  # as after a new start: the page that is open has an old one
    page.server._websock_server.disconnect_all_clients()
    visitor.wait_for("each start of the page makes a new one")
    visitor.quit()


def test_where_the_page_was_not_told_of_nginx_it_says_so_where_its_controls_would_be(serve, browse) -> None:
    page, url = serve("", False)
    visitor: Browser = browse(f"{url}/?{COARSE}", "has to start it with --public-url")
    assert url in visitor.text
    assert "debe iniciarla con --public-url" in visitor.text
    assert page.sessions == {}
    visitor.quit()


def test_a_link_that_names_another_server_leads_to_none(page, browse) -> None:
    """viser's page would open a socket to it, and let it run scripts here."""
    visitor: Browser = browse(f"{page.address}/?{COARSE}&websocket=ws://127.0.0.1:9", "")

    def is_blocked() -> bool:
        visitor.read_logs()
        return any("Content Security Policy" in said for said in visitor.complaints)

    visitor.wait_to_have(is_blocked, True)
    assert "Reconstruct" not in visitor.text
    visitor.quit()
