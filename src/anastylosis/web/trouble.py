"""Trouble: what went wrong, as the page says it."""

from html import escape

from anastylosis.errors import AnastylosisError, InvalidInput
from anastylosis.web.words import TABLE, Words

__all__ = ["Refused", "explain", "warn"]


class Refused(InvalidInput):
    """What the page itself refuses, in the language of its visitor."""


def explain(error: Exception, words: Words) -> str:
    """As HTML: what is wrong and what to do about it on this page, by the error's kind; then, small, what the library says."""
    if isinstance(error, Refused):
        return escape(str(error))
    if not isinstance(error, AnastylosisError):
        return words("broken")
    key = f"error_{error.kind}"
    said = words(key if key in TABLE else "error_other")
    return f'{said}<br><span style="font-size:.9em;opacity:.75">{words("detail")}: {escape(error.what)}</span>'


def warn(said: str, words: Words) -> str:
    """HTML that is seen at once."""
    return f'<b style="color:#b3261e">{words("failed")}</b><br>{said}'
