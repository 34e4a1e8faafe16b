"""The page behind nginx and Caddy, as the documentation configures them: encrypted, with another name, also under a path."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from anastylosis.web.app import PageServer
from anastylosis.web.config import PageConfig
from anastylosis.web.uploads import EXAMPLES
from support.proxies import HOSTS, find_free_port, list_configurations, run_proxy, trust_nobody
from support.visitors import wait_until

TLS = trust_nobody()


@pytest.fixture(params=[("nginx", ""), ("nginx", "/rubble"), ("caddy", ""), ("caddy", "/rubble")], ids=" ".join)
def page(request, tmp_path: Path, monkeypatch) -> Iterator[PageServer]:
    """The page, and a proxy before it."""
    kind, path = request.param
    monkeypatch.setattr("anastylosis.web.app.warm_up", lambda: None)
    port = find_free_port()
    page = PageServer(PageConfig(port=0, workers=1, public_url=f"https://{HOSTS[path]}:{port}{path}"))
    try:
        with run_proxy(kind, path, port, page.port, tmp_path):
            yield page
    finally:
        page.close()


def test_visitors_of_a_proxy_get_a_session_and_are_told_when_they_do_not(page: PageServer, open_tool) -> None:
    client: SimpleNamespace = open_tool("page_client")
    path, machine = page.public.path, ("127.0.0.1", int(page.public.place.rpartition(":")[2]))

    def fetch(url: str, **given: str) -> tuple[int, dict[str, str], str]:
        return client.fetch(url, machine=machine, tls=TLS, **given)

    def come(**given: str):
        return client.PageClient(page.address, machine=machine, tls=TLS, **given)

    status, _, text = fetch(f"{page.address}/")
    assert (status, "The page takes a token" in text, "La página pide una clave" in text) == (403, True, True)
    status, headers, _ = fetch(page.link)
    cookie, *limits = headers["set-cookie"].split("; ")
    assert (status, headers["location"]) == (303, f"{path}/")
    assert limits == [f"Path={path or '/'}", "HttpOnly", "SameSite=Lax", "Secure"]
    for url in (page.address, f"{page.address}/"):
        status, _, text = fetch(url, cookie=cookie)
        assert (status, "<title>Anastylosis</title>" in text, len(text) > 500_000) == (200, True, True)
    with come(cookie=cookie, origin=page.public.origin) as visitor:
        visitor.wait_for("Nothing is given yet.")
        visitor.upload("survey.csv", EXAMPLES["survey"].path.read_bytes())
        visitor.wait_for("<b>survey.csv</b>: a survey")
        large = EXAMPLES["survey"].path.read_bytes() + b"\n" * 3_000_000  # in several messages
        visitor.upload("large.csv", large)
        visitor.wait_for("<b>large.csv</b>: a survey")
    with come(cookie=cookie, origin="https://elsewhere.example") as visitor:
        visitor.wait_for("Your browser opened this page at <b>https://elsewhere.example</b>")
    with come(origin=page.public.origin) as visitor:
        visitor.wait_for("The page takes a token")
    wait_until(lambda: not page.sessions)


@pytest.mark.parametrize("kind", ["nginx", "caddy"])
def test_a_page_that_is_not_told_of_its_proxy_says_what_is_missing(kind: str, tmp_path: Path, monkeypatch, open_tool) -> None:
    """nginx asks in its own name, so the page comes, and says why it has no controls; Caddy passes the name on."""
    client: SimpleNamespace = open_tool("page_client")
    monkeypatch.setattr("anastylosis.web.app.warm_up", lambda: None)
    port = find_free_port()
    page = PageServer(PageConfig(port=0, workers=1))
    origin = f"https://{HOSTS['']}:{port}"
    try:
        with run_proxy(kind, "", port, page.port, tmp_path):
            status, _, text = client.fetch(origin, machine=("127.0.0.1", port), tls=TLS)
            assert status == (200 if kind == "nginx" else 403)
            with client.PageClient(origin, machine=("127.0.0.1", port), tls=TLS, origin=origin) as visitor:
                visitor.wait_for("has to start it with --public-url")
                assert f"{HOSTS['']}:{port}" in visitor.text
            assert ("--public-url" in text) == (kind == "caddy")
    finally:
        page.close()


def test_the_documentation_has_a_configuration_of_each_kind() -> None:
    assert [len(list_configurations(kind)) for kind in ("nginx", "caddy")] == [2, 2]
