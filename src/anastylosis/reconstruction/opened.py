"""Opened: the reconstructor and the eye, once a process."""

from functools import cache
from pathlib import Path

from anastylosis.assignment.assigner import Assigner
from anastylosis.detection.eye import Eye
from anastylosis.models.shipped import list_eye
from anastylosis.reconstruction.library import read_library
from anastylosis.reconstruction.reconstructor import Reconstructor

__all__ = ["open_eye", "open_reconstructor"]


@cache
def open_reconstructor(model: Path, library: Path) -> Reconstructor:
    """With the assignment net of a file, and the falls of a library."""
    return Reconstructor(assigner=Assigner.from_file(model), library=read_library(library))


@cache
def open_eye() -> Eye:
    """The one that ships."""
    return Eye.from_files(*list_eye())
