"""Opened: the reconstructor and the eye, once a process."""

from functools import cache
from pathlib import Path

from anastylosis.assignment.assigner import Assigner
from anastylosis.detection.detector import BlockDetector
from anastylosis.models.shipped import list_detector
from anastylosis.reconstruction.library import read_library
from anastylosis.reconstruction.reconstructor import Reconstructor

__all__ = ["open_detector", "open_reconstructor"]


@cache
def open_reconstructor(model: Path, library: Path) -> Reconstructor:
    """With the assignment net of a file, and the falls of a library."""
    return Reconstructor(assigner=Assigner.from_file(model), library=read_library(library))


@cache
def open_detector() -> BlockDetector:
    """The one that ships."""
    return BlockDetector.from_files(*list_detector())
