"""Access: which requests get the page, judged without a server."""

import pytest
from websockets.datastructures import Headers

from anastylosis.errors import InvalidConfig
from anastylosis.web.access import Access, PublicUrl, choose_token, is_loopback

HERE, ALL = "127.0.0.1", "0.0.0.0"
TOKEN = "q" * 22
PORT = 8080


def ask(access: Access, path: str = "/", socket: bool = True, **headers: str) -> str:
    """The reason of the refusal; "": none."""
    refusal = access.find_refusal(path, Headers(headers), PORT, socket)
    return refusal.reason if refusal else ""


@pytest.mark.parametrize(
    ("origin", "host", "bound", "reason"),
    [
        ("http://127.0.0.1:8080", "127.0.0.1:8080", HERE, ""),
        ("http://localhost:8080", "localhost:8080", HERE, ""),
        (None, "127.0.0.1:8080", HERE, ""),
        (None, None, HERE, ""),
        ("http://elsewhere.example", "127.0.0.1:8080", HERE, "refused_origin"),
        ("http://127.0.0.1:9000", "127.0.0.1:8080", HERE, "refused_origin"),
        ("null", "127.0.0.1:8080", HERE, "refused_origin"),
        ("http://[", "127.0.0.1:8080", HERE, "refused_origin"),
        ("http://elsewhere.example:8080", "elsewhere.example:8080", HERE, "refused_host"),  # a name that leads to this machine
        ("http://[", "[", HERE, "refused_host"),
        ("http://museum.example:8080", "museum.example:8080", ALL, ""),
        ("http://elsewhere.example", "museum.example:8080", ALL, "refused_origin"),
    ],
)
def test_pages_of_other_sites_are_told_from_ours(origin: str | None, host: str | None, bound: str, reason: str) -> None:
    headers = {name: value for name, value in (("Origin", origin), ("Host", host)) if value is not None}
    assert ask(Access(bound), **headers) == reason


@pytest.mark.parametrize(
    ("origin", "host", "reason"),
    [
        ("https://rubble.example", "rubble.example", ""),
        ("https://rubble.example", "rubble.example:443", ""),
        ("https://RUBBLE.example:443", "Rubble.Example", ""),
        ("https://rubble.example", "127.0.0.1:8080", ""),  # the proxy asks in its own words
        ("http://127.0.0.1:8080", "127.0.0.1:8080", ""),  # past the proxy, from this machine
        ("http://rubble.example", "127.0.0.1:8080", "refused_origin"),
        ("https://rubble.example.evil.example", "rubble.example", "refused_origin"),
        ("https://rubble.example:444", "127.0.0.1:8080", "refused_origin"),
        ("https://rubble.example", "evil.example", "refused_host"),
    ],
)
def test_behind_a_proxy_the_public_address_is_ours(origin: str, host: str, reason: str) -> None:
    access = Access(HERE, PublicUrl.parse("https://rubble.example"))
    assert ask(access, Origin=origin, Host=host) == reason


def test_a_header_that_is_given_twice_is_neither_host_nor_origin() -> None:
    for name, reason in (("Host", "refused_host"), ("Origin", "refused_origin")):
        headers = Headers({"Host": "localhost:8080"} if name == "Origin" else {})
        for _ in range(2):
            headers[name] = "http://localhost:8080" if name == "Origin" else "localhost:8080"
        refusal = Access(HERE).find_refusal("/", headers, PORT, True)
        assert refusal is not None
        assert refusal.reason == reason


@pytest.mark.parametrize(
    ("path", "cookie", "reason"),
    [
        (f"/?token={TOKEN}", "", ""),
        (f"/?a=1&token={TOKEN}", "", ""),
        ("/", f"anastylosis-8080={TOKEN}", ""),
        ("/", f"a=b; anastylosis-8080={TOKEN} ; c", ""),
        (f"/?token={'w' * 22}", f"anastylosis-8080={TOKEN}", ""),
        ("/", "", "refused_token"),
        ("/?token=", "", "refused_token"),
        (f"/?token={TOKEN[:-1]}", "", "refused_token"),
        ("/?token=%ff%00\udcff", "", "refused_token"),
        ("/", f"anastylosis-8081={TOKEN}", "refused_token"),  # of another page on this machine
        ("//[?", "", "refused_token"),
    ],
)
@pytest.mark.parametrize("socket", [False, True])
def test_the_token_is_in_the_query_or_in_the_cookie_of_this_port(path: str, cookie: str, reason: str, socket: bool) -> None:
    assert ask(Access(ALL, token=TOKEN), path, socket, **({"Cookie": cookie} if cookie else {})) == reason


def test_the_token_goes_from_the_query_into_a_cookie() -> None:
    access = Access(HERE, PublicUrl.parse("https://museum.example/rubble/"), TOKEN)
    assert access.enter(f"/rubble/?fixedDpr=0.6&token={TOKEN}", PORT) == {
        "Location": "/rubble/?fixedDpr=0.6",
        "Set-Cookie": f"anastylosis-8080={TOKEN}; Path=/rubble; HttpOnly; SameSite=Lax; Secure",
    }
    assert access.enter("/rubble/?fixedDpr=0.6", PORT) is None
    plain = Access(ALL, token=TOKEN).enter(f"/?token={TOKEN}", PORT)
    assert plain is not None
    assert (plain["Location"], "Secure" in plain["Set-Cookie"]) == ("/", False)
    assert Access(HERE).enter("/?token=none-is-needed", PORT) is None


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/rubble", "/"), ("/rubble/", "/"), ("/rubble?a=1", "/?a=1"), ("/rubble/?a", "/?a"), ("/", "/"), ("/?a", "/?a"),
        ("/rubbles/", "/rubbles/"), ("/other", "/other"),
    ],
)  # fmt: skip
def test_the_path_of_the_proxy_is_taken_off_once(path: str, left: str) -> None:
    assert Access(HERE, PublicUrl.parse("https://museum.example/rubble")).strip(path) == left
    assert Access(HERE).strip(path) == path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://rubble.example", "https://rubble.example"),
        ("HTTPS://Rubble.example:443/", "https://rubble.example"),
        ("http://rubble.example:8000/a/b/", "http://rubble.example:8000/a/b"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
    ],
)
def test_public_addresses_are_read_as_browsers_write_them(text: str, told: str) -> None:
    assert str(PublicUrl.parse(text)) == told


@pytest.mark.parametrize(
    "text",
    [
        "", "rubble.example", "ftp://rubble.example", "https://", "https://a@rubble.example", "https://rubble.example/?a=1",
        "https://rubble.example/#a", "https://rubble.example:x", "https://[", "https://rubble.example/a b",
        "https://rubble.example/a;b", "https://rubble.example/../a", "https://rubble.example//a",
    ],
)  # fmt: skip
def test_what_is_no_public_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidConfig, match="public URL"):
        PublicUrl.parse(text)


def test_tokens_are_random_where_others_can_reach_the_page() -> None:
    assert choose_token(None, reachable=False) == ""
    first, second = (choose_token(None, reachable=True) for _ in range(2))
    assert first != second
    assert len(first) >= 22
    assert choose_token("", reachable=True) == ""
    assert choose_token(TOKEN, reachable=False) == TOKEN
    for bad in ("short", "é" * 20, "with space in it and", "x" * 201):
        with pytest.raises(InvalidConfig, match="16 to 200 letters"):
            choose_token(bad, reachable=True)


def test_loopback_is_this_machine_alone() -> None:
    assert [host for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost") if not is_loopback(host)] == []
    assert [host for host in ("0.0.0.0", "", "::", "192.168.1.4", "rubble.example") if is_loopback(host)] == []
