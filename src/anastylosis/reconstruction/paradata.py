"""Paradata: how a reconstruction was made, so that others can check it and make it again."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from anastylosis import __version__
from anastylosis.dataset import code_fingerprint
from anastylosis.detection.view import Photo
from anastylosis.reconstruction.library import SHIPPED_LIBRARY
from anastylosis.reconstruction.reconstructor import Reconstructor

__all__ = ["describe_making"]

SCHEMA = 1  # of reconstruction.json; raised when a field changes its name or meaning
PACKAGE = Path(__file__).parents[1]
PACKAGES = ("numpy", "scipy", "numba", "onnxruntime", "av", "matplotlib", "pillow")  # whose versions may change a bit
UNITS = {"_mm": "millimetres", "_g": "shares of 9.81 m/s2", "_degrees": "degrees", "all else": "SI"}
ASSUMED = (
    "Blocks of 81 x 26 x 18 mm in courses of three, crossed; the foot and the direction of the bottom course as the survey says.",
    "One hand pulled one block, along its length or across it, at 0.2 m/s, and the tower was at rest before. If the hand had "
    "carried the block off when the tower fell, one slot more was filled than is said.",
    "Blocks differ as those of the learning mix: restitution 0.05 to 0.30, friction by 15 %, mass by 5 %, size by 0.1 mm, place "
    "by 0.2 mm.",
)


def describe_making(
    inputs: Sequence[Path],
    options: dict[str, Any],
    worker: Reconstructor,
    *,
    model: Path,
    eye: Sequence[Path] = (),
    library: Path | None = None,
    photos: Sequence[Photo] = (),
    cameras: Sequence[Path] = (),
) -> dict[str, Any]:
    """What was read, with what it was read, and what was assumed.

    Where pictures were read: `eye`, its nets; `photos`, whose cameras are told; `cameras`, the files that these come from.
    """
    source = library or SHIPPED_LIBRARY
    card = worker.assigner.card
    return {
        "schema": SCHEMA,
        "version": __version__,
        "code": code_fingerprint(),
        "sources": hash_sources(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "inputs": [{"file": path.name, "sha256": hash_file(path)} for path in inputs],
        "cameras": [asdict(photo.camera) for photo in photos] or None,
        "camera_files": [{"file": path.name, "sha256": hash_file(path)} for path in cameras] or None,
        "model": {"preset": card.preset, "version": card.version, "sha256": hash_file(model)},
        "eye": {path.name: hash_file(path) for path in eye} or None,
        "library": {"falls": len(worker.library), "sha256": hash_file(source) if source.is_file() else None},
        "calibration": asdict(worker.calibration),
        "options": options,
        "units": UNITS,
        "assumed": list(ASSUMED),
    }


def hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def hash_sources() -> str:
    """Of every source file of the package: whoever has the same gets the same bits."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
