"""Toolset: the trained nets, the library of falls and the calibration that reconstructions work with. Files are opened once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from anastylosis.assignment import Assigner
from anastylosis.detection import BlockDetector
from anastylosis.errors import InvalidInput
from anastylosis.models import find_assigner, list_detector
from anastylosis.reconstruction.falls import SHIPPED_LIBRARY, Fall, read_library
from anastylosis.reconstruction.weighing import Calibration, read_calibration
from anastylosis.survey import Survey


@dataclass(frozen=True, kw_only=True, eq=False)
class Toolset:
    """Models that are named, or those that ship."""

    model: Path | None = None  # the assignment net; None: the one that ships for this kind of survey
    models: Path | None = None  # folder of the detector's nets
    library: Path | Sequence[Fall] | None = None  # falls to retrieve from: a library file, a dataset, or themselves
    calibration: Calibration = field(default_factory=read_calibration)

    def find_assigner(self, survey: Survey) -> Path:
        """Find the assignment net for measured blocks, or for blocks that were detected in pictures."""
        return self.model or find_assigner(self.models, seen=survey.seen)

    def open_assigner(self, survey: Survey) -> Assigner:
        """Open the assignment net for a survey."""
        return open_assigner(*stamp(self.find_assigner(survey)))

    def list_detector(self) -> tuple[Path, ...]:
        """List the nets of the detector."""
        files = list_detector(self.models)
        missing = [file.name for file in files if not file.is_file()]
        if self.models is not None and missing:
            raise InvalidInput(
                f"there is no {', '.join(missing)} in {self.models}; a detector is four nets, which `anastylosis train detector` "
                "writes one by one; name no folder, and those that ship are taken"
            )
        return files

    def open_detector(self) -> BlockDetector:
        """Open the detector."""
        return open_detector(*(stamp(file) for file in self.list_detector()))

    def list_falls(self) -> Sequence[Fall]:
        """List the falls to retrieve from."""
        if self.library is None or isinstance(self.library, Path):
            return read_library(self.library)
        return self.library

    def warm_up(self) -> None:
        """Open what every survey of measured blocks needs."""
        open_assigner(*stamp(self.model or find_assigner(seen=False)))
        self.list_falls()

    @property
    def library_file(self) -> Path | None:
        """Return the file of the library; None: its falls are given, or come from a dataset."""
        path = SHIPPED_LIBRARY if self.library is None else self.library
        return path if isinstance(path, Path) and path.is_file() else None


Stamp = tuple[Path, int]  # a file, and when it was written [ns]; 0: it is not there


def stamp(path: Path) -> Stamp:
    return path, path.stat().st_mtime_ns if path.exists() else 0


@cache
def open_assigner(path: Path, written: int) -> Assigner:
    return Assigner.from_file(path)


@cache
def open_detector(*files: Stamp) -> BlockDetector:
    vote_net, slot_classifier, refiner, rescorer = (path for path, _ in files)
    return BlockDetector.from_files(vote_net, slot_classifier, refiner, rescorer)
