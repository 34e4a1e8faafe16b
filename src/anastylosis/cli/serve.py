"""`anastylosis serve`: the page, in a browser."""

import importlib.util
import os
import signal
import sys
import webbrowser
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Literal, NoReturn

import typer

from anastylosis.cli.exit_code import ENDED
from anastylosis.errors import InvalidInput, MissingExtra
from anastylosis.machine import wait_for

STOPPED = 0  # exit code after Ctrl-C: whoever began it has had enough of it
ENDS = {"SIGINT": STOPPED, "SIGTERM": ENDED, "SIGHUP": ENDED}  # Windows has no SIGHUP


def serve_command(
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen at; 0.0.0.0 accepts visitors from any network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="PORT", help="Port to listen at; 0: any free port.")] = 8080,
    public_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Address at which browsers reach a proxy before the page, as https://rubble.example."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            envvar="ANASTYLOSIS_TOKEN",
            show_envvar=False,
            help="Token that visitors need, 16 characters or more; also read from ANASTYLOSIS_TOKEN (default: a random one where "
            "others can reach the page, none on this machine alone).",
        ),
    ] = None,
    no_token: Annotated[bool, typer.Option("--no-token", help="Let in whoever can reach the page.")] = False,
    max_upload_mb: Annotated[float, typer.Option(min=0.001, max=200, metavar="MB", help="Largest picture accepted.")] = 50,
    language: Annotated[
        Literal["en", "es"] | None, typer.Option(help="Language in which the page starts (default: the browser's).")
    ] = None,
    hypotheses: Annotated[
        int, typer.Option(min=0, max=64, metavar="N", help="Proposals to re-simulate, unless the visitor chooses another number.")
    ] = 12,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Log (default: page-PORT.log in ~/.local/state/anastylosis).")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Reconstruct towers in a browser. Takes pictures and surveys, shows fall and rebuilding in 3-D, and gives files.

    Ends with Ctrl-C (exit code 0), SIGTERM or SIGHUP (143). Visitors see only their own files, which are deleted when they leave.
    Where others can reach the page, they need the token in the address that is printed.
    """  # fmt: skip
    if importlib.util.find_spec("viser") is None:
        raise MissingExtra("viser", "web")
    if no_token and token is not None:
        raise InvalidInput("there is a token, and --no-token; leave one of them out (the token may be in ANASTYLOSIS_TOKEN)")
    asked = catch_signals()  # whoever ends it, nothing of the visitors is kept
    from anastylosis.cli.page_log import find_log, keep_log  # logging takes 10 ms, which no other command needs
    from anastylosis.web import PageConfig, PageServer

    config = PageConfig(
        host=host,
        port=port,
        public_url=public_url,
        token="" if no_token else token,
        upload_max=round(max_upload_mb * 1e6),
        language=language,
        hypotheses=hypotheses,
    )
    page = PageServer(config)
    wanted, code = log or find_log(page.port), ENDED
    with keep_log(wanted) as written:
        try:
            if written is None:
                print(f"anastylosis: {wanted} cannot be written; there is no log of what goes wrong", file=sys.stderr)
            print(f"{page.link}   (Ctrl-C ends it)", flush=True)
            for line in page.describe_access():
                print(f"anastylosis: {line}", file=sys.stderr, flush=True)
            if browser:
                webbrowser.open(page.link)
            code = wait_for(asked)
        finally:
            for name in ENDS:  # who asks again would break off the end
                if hasattr(signal, name):
                    signal.signal(getattr(signal, name), signal.SIG_IGN)
            if not page.close():
                leave_at_once(code)
    print("anastylosis: stopped", file=sys.stderr)
    raise typer.Exit(code)


def catch_signals() -> SimpleQueue[int]:
    """Return where the exit code comes once a signal asks for the end. What is ignored, as by `nohup`, stays so."""
    asked: SimpleQueue[int] = SimpleQueue()  # may be filled while it is being read, as a handler of signals does
    for name, code in ENDS.items():
        if hasattr(signal, name) and signal.getsignal(number := getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame, code=code: asked.put(code))  # type: ignore[misc]
    return asked


def leave_at_once(code: int) -> NoReturn:
    """End this process without Python's own end, which would tear a compiler apart that is at work in another thread."""
    print("anastylosis: stopped", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
