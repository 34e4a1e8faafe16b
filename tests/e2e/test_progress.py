"""Progress as a terminal shows it, and as a pipe does."""

import os
import pty
import re
import select
import subprocess
import sys

import pytest

WORK = """
from anastylosis.cli.progress import show_bar
with show_bar("drawing", 3, 1) as advance:
    advance("second.png")
    advance("third [b]png")
"""


def read_all(terminal: int) -> str:
    """What was written to a terminal until nobody has it open any more."""
    text = b""
    while select.select([terminal], [], [], 60)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux: the other side is closed
            break
        if not piece:
            break
        text += piece
    return text.decode()


@pytest.fixture
def on_terminal() -> str:
    """What the work shows on a terminal, without its colours."""
    terminal, other = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen([sys.executable, "-c", WORK], stderr=other, env=environment) as work:
        os.close(other)
        shown = read_all(terminal)
    os.close(terminal)
    assert work.returncode == 0, shown
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


def test_a_terminal_has_a_bar(on_terminal: str) -> None:
    last = [line for line in re.split(r"[\r\n]+", on_terminal) if line][-1]
    assert re.match(r"drawing ━+ 3/3 ", last), on_terminal
    assert "third [b]png" in last  # a name is no markup
    assert " of 3:" not in on_terminal


def test_a_pipe_has_plain_lines() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == "drawing 2 of 3: second.png\ndrawing 3 of 3: third [b]png\n"
    assert done.stdout == ""
