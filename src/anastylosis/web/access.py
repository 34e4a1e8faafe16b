"""Access: the hosts, the origins and the token with which the page may be opened. It knows requests, and nothing of viser.

A browser asks twice. First for the page, with the token in the query or in a cookie; then for a WebSocket, which carries the
cookie, and the origin of the page that opens it.
"""

import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from anastylosis.errors import InvalidConfig

Reason = Literal["refused_host", "refused_origin", "refused_token", "refused_path"]  # keys of the table of words
TOKEN_BYTES = 16  # of a random token; written with 22 characters
TOKEN_LEAST = 16  # characters of a token that somebody chose
TOKEN_MOST = 200
TOKEN = re.compile(r"[A-Za-z0-9_-]+")
PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
PORTS = {"http": 80, "https": 443}
COOKIE = "anastylosis"
QUERY = "token"


class Headers(Protocol):
    """Headers of a request, as the server keeps them."""

    def get_all(self, key: str, /) -> Iterable[str]: ...


class Refusal(NamedTuple):
    """Why a request gets no page, or no session."""

    reason: Reason
    asked: str = ""  # the host, the origin or the path that was asked for, as the browser says it


@dataclass(frozen=True)
class PublicUrl:
    """Address at which browsers reach the page: that of a proxy before it."""

    scheme: str
    place: str  # host, and port unless it is the usual one
    path: str = ""  # "/rubble", or nothing

    @classmethod
    def parse(cls, text: str) -> "PublicUrl":
        """Parse `https://rubble.example` or `https://museum.example/rubble`."""
        try:
            parts = urlsplit(text.strip())
            place = find_place(parts, parts.scheme)
        except ValueError:
            parts, place = urlsplit(""), ""
        path = parts.path.rstrip("/")
        if parts.scheme not in PORTS or not place or parts.query or parts.fragment or "@" in parts.netloc:
            raise InvalidConfig(f"the public URL is {text!r}; give https:// and a host, as https://rubble.example")
        if not PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
            raise InvalidConfig(f"the public URL is {text!r}; its path has letters, digits and . _ ~ - between single slashes")
        return cls(parts.scheme, place, path)

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.place}"

    def __str__(self) -> str:
        return self.origin + self.path


def find_place(parts: SplitResult, scheme: str) -> str:
    """Return host and port as browsers write them: small letters, and no usual port. ValueError: it cannot be one."""
    name = parts.hostname or ""
    host = f"[{name}]" if ":" in name else name
    return host if not host or parts.port in (None, PORTS.get(scheme)) else f"{host}:{parts.port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def choose_token(given: str | None, reachable: bool) -> str:
    """Return the token that a page asks for; "": none. None is given: a random one if others can reach the page."""
    if given is None:
        return secrets.token_urlsafe(TOKEN_BYTES) if reachable else ""
    if given and not (TOKEN_LEAST <= len(given) <= TOKEN_MOST and TOKEN.fullmatch(given)):
        raise InvalidConfig(
            f"the token has {len(given)} characters; give {TOKEN_LEAST} to {TOKEN_MOST} letters, digits, - or _, "
            "and none that can be guessed"
        )
    return given


class Access:
    """Rules by which requests to one page are accepted."""

    def __init__(self, host: str, public: PublicUrl | None = None, token: str = "") -> None:
        """`host`: the address that the page listens at. An empty token: nobody needs one."""
        self.local, self.public, self.token = is_loopback(host), public, token
        self.path = public.path if public else ""
        self.secure = public is not None and public.scheme == "https"

    def find_refusal(self, path: str, headers: Headers, port: int, socket: bool) -> Refusal | None:
        """Return why a request is refused; None: it is not. `port` is of the server; `socket`: it asks for a WebSocket."""
        host, origin = read_header(headers, "Host"), read_header(headers, "Origin")
        if not self.knows_host(host):
            return Refusal("refused_host", host or "")
        if socket and not self.knows_origin(origin, host):
            return Refusal("refused_origin", origin or "")
        given = (*read_tokens(path), *read_cookies(headers, name_cookie(port)))
        if self.token and not any(self.fits(token) for token in given):
            return Refusal("refused_token")
        return None

    def knows_host(self, host: str | None) -> bool:
        """Return whether the page is served under this name.

        On loopback, foreign names are refused: a foreign site could point its own name here, and be the same origin.
        """
        if not self.local or host is None:
            return True
        try:
            parts = urlsplit(f"//{host}")
            place = find_place(parts, self.public.scheme if self.public is not None else "http")
            return is_loopback(parts.hostname or "") or (self.public is not None and place == self.public.place)
        except ValueError:
            return False

    def knows_origin(self, origin: str | None, host: str | None) -> bool:
        """Return whether a page of this origin is ours: that of the public address, or of the host that is asked.

        What is no browser says no origin.
        """
        if origin is None:
            return True
        try:
            parts = urlsplit(origin)
            if self.public is not None and f"{parts.scheme}://{find_place(parts, parts.scheme)}" == self.public.origin:
                return True
            return bool(parts.netloc) and parts.netloc == host
        except ValueError:
            return False

    def fits(self, token: str) -> bool:
        """Return whether this is the token, in a time that does not tell how much of it was right."""
        return hmac.compare_digest(token.encode(errors="replace"), self.token.encode())

    def strip(self, path: str) -> str:
        """Take the path of the public address from a request, where the proxy has not; viser serves at the root."""
        rest = path[len(self.path) :]
        if not self.path or not path.startswith(self.path) or rest[:1] not in ("", "/", "?"):
            return path
        return rest if rest.startswith("/") else f"/{rest}"

    def enter(self, path: str, port: int) -> dict[str, str] | None:
        """Return headers that keep the token of a query in a cookie, and lead to the page without it; None: it has none."""
        if not self.token or QUERY not in dict(read_query(path)):
            return None
        rest = urlencode([(name, value) for name, value in read_query(path) if name != QUERY])
        cookie = f"{name_cookie(port)}={self.token}; Path={self.path or '/'}; HttpOnly; SameSite=Lax"
        return {
            "Location": f"{self.path}/{'?' if rest else ''}{rest}",
            "Set-Cookie": cookie + ("; Secure" if self.secure else ""),
        }


def name_cookie(port: int) -> str:
    """Name the cookie: browsers do not tell the ports of a host apart."""
    return f"{COOKIE}-{port}"


def read_header(headers: Headers, name: str) -> str | None:
    """Return a header; None: there is none. One that is given twice is no host and no origin."""
    values = list(headers.get_all(name))
    return ", ".join(values) if values else None


def read_query(path: str) -> list[tuple[str, str]]:
    return parse_qsl(path.partition("?")[2], keep_blank_values=True)


def read_tokens(path: str) -> list[str]:
    return [value for name, value in read_query(path) if name == QUERY]


def read_cookies(headers: Headers, name: str) -> list[str]:
    pairs = [pair.partition("=") for line in headers.get_all("Cookie") for pair in line.split(";")]
    return [value.strip() for key, _, value in pairs if key.strip() == name]
