"""Trouble: what went wrong, as the page says it."""

from html import escape

from anastylosis.errors import AnastylosisError
from anastylosis.predict.camera.photograph import WAYS
from anastylosis.web.words import Words

__all__ = ["explain", "warn"]


def explain(error: Exception, words: Words) -> str:
    """As HTML; where the library speaks of files that tell the camera, of the controls that do so here."""
    if not isinstance(error, AnastylosisError):
        return words("broken")
    return escape(str(error).replace(WAYS, words("camera_ways")))


def warn(said: str, words: Words) -> str:
    """HTML that is seen at once."""
    return f'<b style="color:#b3261e">{words("failed")}</b><br>{said}'
