"""Trouble: what went wrong, as the page says it."""

from html import escape

from anastylosis.errors import AnastylosisError
from anastylosis.predict.camera.photograph import WAYS
from anastylosis.predict.eye.view import NOT_IN_VIEW
from anastylosis.web.words import Words

__all__ = ["explain", "warn"]


def explain(error: Exception, words: Words) -> str:
    """As HTML; where the library speaks of files that tell the camera, or of options, of the controls that do so here."""
    if not isinstance(error, AnastylosisError):
        return words("broken")
    said = str(error).replace(WAYS, words("camera_ways")).replace(NOT_IN_VIEW, words("not_in_view"))
    return escape(said)


def warn(said: str, words: Words) -> str:
    """HTML that is seen at once."""
    return f'<b style="color:#b3261e">{words("failed")}</b><br>{said}'
