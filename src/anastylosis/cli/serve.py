"""`anastylosis serve`: the page, in a browser."""

import importlib.util
import os
import signal
import sys
import threading
import webbrowser
from typing import Annotated, Literal, NoReturn

import typer

from anastylosis.cli.exit_code import INTERRUPTED
from anastylosis.errors import MissingExtra


def serve_command(
    host: Annotated[
        str, typer.Option(metavar="HOST", help="Address to listen at; 0.0.0.0 accepts visitors from any network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="PORT", help="Port to listen at; 0: any free port.")] = 8080,
    max_upload_mb: Annotated[float, typer.Option(min=0.001, max=200, metavar="MB", help="Largest file accepted.")] = 50,
    language: Annotated[Literal["en", "es"], typer.Option(help="Language in which the page starts.")] = "en",
    hypotheses: Annotated[
        int, typer.Option(min=0, max=64, metavar="N", help="Proposals to re-simulate, unless the visitor chooses another number.")
    ] = 12,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Reconstruct towers in a browser. Takes pictures and surveys, shows fall and rebuilding in 3-D, and gives files.

    Ends with Ctrl-C. Visitors see only their own files, which are deleted when they leave. There is no password: anybody who can
    reach the address can use the page.
    """
    if importlib.util.find_spec("viser") is None:
        raise MissingExtra("viser", "web")
    from anastylosis.web import PageConfig, PageServer

    config = PageConfig(host=host, port=port, upload_max=round(max_upload_mb * 1e6), language=language, hypotheses=hypotheses)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it, nothing of the visitors is kept
    page = PageServer(config)
    try:
        print(f"{page.address}   (Ctrl-C ends it)", flush=True)
        if host not in ("127.0.0.1", "localhost"):
            print("anybody who can reach this address can use the page", file=sys.stderr)
        if browser:
            webbrowser.open(page.address)
        threading.Event().wait()
    finally:
        for asked in (signal.SIGINT, signal.SIGTERM):  # who asks again would break off the end
            signal.signal(asked, signal.SIG_IGN)
        if not page.close():
            leave_at_once()


def leave_at_once() -> NoReturn:
    """End this process without Python's own end, which would tear a compiler apart that is at work in another thread."""
    print("anastylosis: interrupted", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)
