"""`anastylosis serve` as a user starts and ends it."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from anastylosis.cli.serve import serve_command
from anastylosis.machine import install_line

CODE = "from anastylosis.cli import main; main()"


@pytest.mark.parametrize(("end", "compiled"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_it_serves_until_it_is_ended(end: signal.Signals, compiled: bool, tmp_path: Path, tmp_path_factory) -> None:
    """Without compiled kernels the page is still at them when it ends; Python's own end would then abort."""
    words = [sys.executable, "-c", CODE, "serve", "--port", "0", "--no-browser"]
    cache = {} if compiled else {"NUMBA_CACHE_DIR": str(tmp_path_factory.mktemp("kernels"))}
    environment = os.environ | {"TMPDIR": str(tmp_path)} | cache
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            said = process.stdout.readline()
            address = re.match(r"http://127\.0\.0\.1:\d+", said)
            with urllib.request.urlopen(address[0], timeout=20) as answer:
                assert answer.status == 200
        finally:
            process.send_signal(end)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.endswith("anastylosis: interrupted\n")
    assert list(tmp_path.glob("anastylosis-*")) == []


def test_who_asks_for_the_end_again_does_not_break_it_off(monkeypatch) -> None:
    asked = (signal.SIGINT, signal.SIGTERM)
    before, during = [signal.getsignal(each) for each in asked], []

    class PageServer:
        address = "http://127.0.0.1"

        def __init__(self, config: object) -> None:
            pass

        def close(self) -> bool:
            during.extend(signal.getsignal(each) for each in asked)
            return True

    monkeypatch.setattr("anastylosis.web.app.PageServer", PageServer)
    monkeypatch.setattr("anastylosis.cli.serve.webbrowser.open", lambda address: signal.raise_signal(signal.SIGTERM))
    try:
        with pytest.raises(KeyboardInterrupt):
            serve_command()
    finally:
        for each, handler in zip(asked, before, strict=True):
            signal.signal(each, handler)
    assert during == [signal.SIG_IGN, signal.SIG_IGN]


def test_without_viser_the_line_that_installs_it_is_printed(call_main, monkeypatch, capsys) -> None:
    find = "anastylosis.cli.serve.importlib.util.find_spec"
    monkeypatch.setattr(find, lambda name: None)
    assert call_main("serve --no-browser") == 1
    assert install_line("web") in capsys.readouterr().err
