"""Log of the page: everything in a file, warnings on the terminal in a line each that names the file."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

BYTES_MAX, KEPT = 1_000_000, 2  # of a file, and how many older ones there are
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class OneLine(logging.Formatter):
    """A record without its traceback, and where that is."""

    def __init__(self, log: Path | None) -> None:
        super().__init__()
        self.log = log

    def format(self, record: logging.LogRecord) -> str:
        message = " ".join(record.getMessage().split())
        traced = f" (the traceback is in {self.log})" if record.exc_info and self.log is not None else ""
        return f"anastylosis: {message}{traced}"


def find_state() -> Path:
    """Find the folder of logs."""
    base = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    return Path(base) / "anastylosis"


def find_log(port: int) -> Path:
    """Find where the log of the page at this port is kept, unless somebody says."""
    return find_state() / f"page-{port}.log"


def open_log(path: Path) -> RotatingFileHandler | None:
    """Open a log file that only its owner can read; None: it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        file = RotatingFileHandler(path, maxBytes=BYTES_MAX, backupCount=KEPT, encoding="utf-8", errors="backslashreplace")
    except (OSError, RuntimeError):  # the latter: nobody knows where the home is
        return None
    file.setFormatter(logging.Formatter(FORMAT))
    return file


@contextmanager
def keep_log(path: Path) -> Iterator[Path | None]:
    """Log into this file, which only its owner can read, and to the terminal. Give the file; None: it cannot be written."""
    root, ours = logging.getLogger(), logging.getLogger("anastylosis")
    handlers: list[logging.Handler] = []
    if (file := open_log(path)) is not None:
        handlers.append(file)
    written = path if handlers else None
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.WARNING)
    terminal.setFormatter(OneLine(written))
    handlers.append(terminal)
    before = ours.level
    ours.setLevel(logging.INFO)
    for handler in handlers:
        root.addHandler(handler)
    try:
        yield written
    finally:
        ours.setLevel(before)
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
