"""Error log: the tracebacks of errors that nobody foresaw, of all commands."""

import logging
import sys
from pathlib import Path

from anastylosis import __version__
from anastylosis.cli.page_log import find_state, open_log

MESSAGE_MAX = 300  # characters of an error of another library


def describe_unforeseen(error: Exception) -> str:
    """Return one line about an error that nobody foresaw; its traceback goes to a file that the line names."""
    path = find_state() / "errors.log"
    said = " ".join(str(error).split())[:MESSAGE_MAX]
    named = f"{type(error).__name__}: {said}" if said else type(error).__name__
    where = f"the traceback is in {path}" if log(error, path) else f"there is no traceback, for {path} cannot be written"
    return f"this should not happen, {named}; please tell the maintainers: {where}"


def log(error: Exception, path: Path) -> bool:
    """Add the traceback of an error to a file; return whether it could be written."""
    handler = open_log(path)
    if handler is None:
        return False
    told = (type(error), error, error.__traceback__)
    message = f"anastylosis {__version__}: {sys.argv!r}"
    handler.handle(logging.LogRecord(__name__, logging.ERROR, __file__, 0, message, (), told))
    handler.close()
    return True
