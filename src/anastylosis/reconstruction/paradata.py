"""Paradata: how a reconstruction was made, so that others can check it and make it again."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from anastylosis import __version__
from anastylosis.dataset.shard import code_fingerprint
from anastylosis.reconstruction.observation import Observation
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.survey import Survey

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


def describe_making(observation: Observation, survey: Survey, tools: Toolset, options: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the inputs that were read, the models that were used, and what was assumed."""
    card = tools.open_assigner(survey).card
    library = tools.library_file
    nets = tools.list_detector() if observation.photos else ()
    return {
        "schema": SCHEMA,
        "version": __version__,
        "code": code_fingerprint(),
        "sources": hash_sources(),
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "inputs": [{"file": path.name, "sha256": hash_file(path)} for path in observation.files],
        "cameras": [asdict(photo.camera) for photo in observation.photos] or None,
        "camera_files": [{"file": path.name, "sha256": hash_file(path)} for path in observation.camera_files] or None,
        "model": {"preset": card.preset, "version": card.version, "sha256": hash_file(tools.find_assigner(survey))},
        "eye": {path.name: hash_file(path) for path in nets} or None,
        "library": {"falls": len(tools.list_falls()), "sha256": hash_file(library) if library else None},
        "calibration": asdict(tools.calibration),
        "options": dict(options),
        "units": UNITS,
        "assumed": list(ASSUMED),
    }


def hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def hash_sources() -> str:
    """Hash every source file of the package: who has the same files gets the same bits."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
