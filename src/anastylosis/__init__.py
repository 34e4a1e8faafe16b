"""See the past of a collapse by looking at the rubble of the present."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anastylosis.predict.predictor import Predictor

__version__ = "0.1.0"

__all__ = ["Predictor", "__version__"]


def __getattr__(name: str) -> Any:
    """Names of rooms, loaded when they are first asked for: rooms that ask for `__version__` load nothing else."""
    if name == "Predictor":
        return import_module("anastylosis.predict.predictor").Predictor
    raise AttributeError(f"module 'anastylosis' has no attribute {name!r}")
