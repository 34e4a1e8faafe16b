"""The page: reconstructions in a browser. Everything a visitor does happens in a session of their own."""

from typing import TYPE_CHECKING

from anastylosis.face import load_on_demand

if TYPE_CHECKING:
    from anastylosis.web.app import PageServer
    from anastylosis.web.config import PageConfig

__all__ = ["PageConfig", "PageServer"]

__getattr__, __dir__ = load_on_demand(__name__)
