"""`anastylosis serve` as a user starts and ends it."""

import logging
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import typer

from anastylosis.cli.page_log import keep_log
from anastylosis.cli.serve import serve_command
from anastylosis.machine import install_line
from anastylosis.web.trouble import record

CODE = "from anastylosis.cli import main; main()"
ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start(folder: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    """The page as a process, whose folders and log are in this folder."""
    places = {"TMPDIR": str(folder), "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.Popen(
        [sys.executable, "-c", CODE, "serve", "--port", "0", "--no-browser", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | places | environment,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("end", "compiled", "code"), [(signal.SIGINT, False, 0), (signal.SIGTERM, True, 143), (signal.SIGHUP, True, 143)]
)
def test_it_serves_until_it_is_ended(end: signal.Signals, compiled: bool, code: int, tmp_path: Path, tmp_path_factory) -> None:
    """Without compiled kernels the page is still at them when it ends; Python's own end would then abort."""
    cache = {} if compiled else {"NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("kernels"))}
    with start(tmp_path, **cache) as process:
        try:
            said = process.stdout.readline()
            address = re.match(r"http://127\.0\.0\.1:(\d+)", said)
            with urllib.request.urlopen(address[0], timeout=20) as answer:
                assert answer.status == 200
            assert len(list(tmp_path.glob("anastylosis-page-*"))) == 1
        finally:
            process.send_signal(end)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert errors.endswith("anastylosis: stopped\n")
    assert list(tmp_path.glob("anastylosis-*")) == []
    assert (tmp_path / "state" / "anastylosis" / f"page-{address[1]}.log").stat().st_mode & 0o077 == 0


def test_a_page_that_is_started_by_nohup_stays_when_the_terminal_goes(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` leaves it to what it starts
    try:
        process = start(tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)
    with process:
        try:
            address = process.stdout.readline().split()[0]
            process.send_signal(signal.SIGHUP)
            with urllib.request.urlopen(address, timeout=20) as answer:
                assert answer.status == 200
        finally:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 143


def test_what_a_killed_page_leaves_is_swept_by_the_next_one(tmp_path: Path, open_tool) -> None:
    client = open_tool("page_client")
    with start(tmp_path) as process:
        try:
            with client.PageClient(process.stdout.readline().split()[0]) as visitor:
                visitor.wait_for("Nothing is given yet.")
                (left,) = tmp_path.glob("anastylosis-page-*")
                assert len(list(left.glob("visitor-*"))) == 1
        finally:
            process.kill()
        process.communicate(timeout=60)
    assert left.exists()
    with start(tmp_path) as process:
        try:
            process.stdout.readline()
            assert left not in tmp_path.glob("anastylosis-page-*")
        finally:
            process.terminate()
        process.communicate(timeout=60)
    assert list(tmp_path.glob("anastylosis-page-*")) == []


def test_behind_a_proxy_the_link_has_the_public_address_and_a_token(tmp_path: Path) -> None:
    with start(tmp_path, "--public-url", "https://museum.example/rubble") as process:
        try:
            link = process.stdout.readline().split()[0]
        finally:
            process.terminate()
        _, errors = process.communicate(timeout=60)
    assert re.fullmatch(r"https://museum\.example/rubble/\?token=[\w-]{22,}", link)
    assert re.search(r"the proxy at https://museum\.example/rubble finds the page at http://127\.0\.0\.1:\d+", errors)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--public-url rubble.example", "the public URL is 'rubble.example'; give https://"),
        ("--token short", "the token has 5 characters; give 16 to 200"),
        (f"--no-token --token {'x' * 20}", "leave one of them out"),
    ],
)
def test_addresses_and_tokens_that_cannot_be_are_refused_in_one_line(words: str, said: str, call_main, capsys) -> None:
    before = [signal.getsignal(each) for each in ASKED]
    try:
        assert call_main(f"serve --no-browser --port 0 {words}") == 2
    finally:
        for each, handler in zip(ASKED, before, strict=True):
            signal.signal(each, handler)
    assert said in capsys.readouterr().err


def test_who_asks_for_the_end_again_does_not_break_it_off(monkeypatch, tmp_path: Path) -> None:
    before, during = [signal.getsignal(each) for each in ASKED], []

    class PageServer:
        link, port = "http://127.0.0.1", 1

        def __init__(self, config: object) -> None:
            pass

        def describe_access(self) -> list[str]:
            return []

        def close(self) -> bool:
            during.extend(signal.getsignal(each) for each in ASKED)
            return True

    monkeypatch.setattr("anastylosis.web.PageServer", PageServer)
    monkeypatch.setattr("anastylosis.cli.serve.webbrowser.open", lambda address: signal.raise_signal(signal.SIGTERM))
    try:
        with pytest.raises(typer.Exit) as left:
            serve_command(log=tmp_path / "page.log")
    finally:
        for each, handler in zip(ASKED, before, strict=True):
            signal.signal(each, handler)
    assert left.value.exit_code == 143
    assert during == [signal.SIG_IGN] * 3


def test_an_error_is_one_line_on_the_terminal_and_its_traceback_is_in_the_log(tmp_path: Path, capsys) -> None:
    path = tmp_path / "logs" / "page.log"
    with keep_log(path) as written:
        assert written == path
        logging.getLogger("anastylosis.web").info("visitor 1 came")
        try:
            raise ZeroDivisionError("two\nlines")
        except ZeroDivisionError as error:
            record(error)
    said = capsys.readouterr().err
    assert re.fullmatch(r"anastylosis: [0-9a-f]{6}: ZeroDivisionError .*: two lines \(the traceback is in .*page\.log\)\n", said)
    logged = path.read_text(encoding="utf-8")
    assert "visitor 1 came" in logged
    assert "Traceback (most recent call last)" in logged
    (tmp_path / "file").touch()
    with keep_log(tmp_path / "file" / "page.log") as written:
        assert written is None


def test_without_viser_the_line_that_installs_it_is_printed(call_main, monkeypatch, capsys) -> None:
    find = "anastylosis.cli.serve.importlib.util.find_spec"
    monkeypatch.setattr(find, lambda name: None)
    assert call_main("serve --no-browser") == 1
    assert install_line("web") in capsys.readouterr().err
