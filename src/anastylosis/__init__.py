"""See the past of a collapse by looking at the rubble of the present."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anastylosis.assignment.assigner import Assigner
    from anastylosis.models.predictor import Predictor

__version__ = "0.1.0"

__all__ = ["Assigner", "Predictor", "__version__"]

HOMES = {"Assigner": "anastylosis.assignment.assigner", "Predictor": "anastylosis.models.predictor"}


def __getattr__(name: str) -> Any:
    """Names of rooms, loaded when they are first asked for: rooms that ask for `__version__` load nothing else."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'anastylosis' has no attribute {name!r}")
