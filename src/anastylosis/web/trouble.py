"""Trouble: what went wrong, as the page says it."""

import logging
from html import escape
from pathlib import Path

import anastylosis
from anastylosis.errors import AnastylosisError, InvalidInput
from anastylosis.web.words import TABLE, Translator

OURS = ("engine", "worker", "extra")  # kinds of problems with the machine that the page runs on, which is no visitor's concern
PROGRAM = str(Path(anastylosis.__file__).parent)  # where nets and libraries lie that visitors have not given
LOGGER = logging.getLogger(__name__)


class Refused(InvalidInput):
    """Refusal by the page itself, in the language of its visitor."""


def explain(error: Exception, words: Translator) -> str:
    """Explain an error as HTML: what is wrong and what to do on this page, then, small, the library's message.

    Details about the machine are only logged.
    """
    if isinstance(error, Refused):
        return escape(str(error))
    if not isinstance(error, AnastylosisError):
        return words("broken", number=number_error(error))
    if error.kind in OURS or PROGRAM in error.what:
        LOGGER.error("%s: a visitor was told without details: %s", number_error(error), error)
        return words(f"error_{error.kind}") if error.kind in OURS else words("broken", number=number_error(error))
    key = f"error_{error.kind}"
    text = words(key if key in TABLE else "error_other")
    return f'{text}<br><span style="font-size:.9em;opacity:.75">{words("detail")}: {escape(error.what)}</span>'


def record(error: Exception) -> None:
    """Log an error that nobody foresaw, under its number."""
    LOGGER.error("%s: %s in the work for a visitor: %s", number_error(error), type(error).__name__, error, exc_info=error)


def number_error(error: Exception) -> str:
    """Return the number by which a visitor can name an error, and its keeper find it in the log."""
    return f"{id(error) >> 4 & 0xFFFFFF:06x}"


def warn(text: str, words: Translator) -> str:
    """Return a warning as HTML that is seen at once."""
    return f'<b style="color:#b3261e">{words("failed")}</b><br>{text}'
