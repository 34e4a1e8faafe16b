"""Folder: the tables of a reconstruction on disk, and how it was made. Files are there whole or not at all."""

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from anastylosis import __version__
from anastylosis.assignment import write_rows
from anastylosis.dataset import code_fingerprint
from anastylosis.errors import FolderBusy, InvalidInput
from anastylosis.machine import WINDOWS, lock_file
from anastylosis.number import round_chance
from anastylosis.reconstruction.observation import Observation
from anastylosis.reconstruction.reconstruction import Reconstruction
from anastylosis.reconstruction.toolset import Toolset
from anastylosis.survey import Survey
from anastylosis.text_file import show_text
from anastylosis.whole_file import delete_abandoned, hash_file, write_whole

DOCUMENT, BLOCKS = "reconstruction.json", "blocks.csv"
CHOICES = 3
BLOCK_COLUMNS = (
    "id", "x", "y", "z", "qw", "qx", "qy", "qz", "certainty", "slot", "probability",
    *(f"{name}_{rank}" for rank in range(2, CHOICES + 1) for name in ("slot", "probability")), "nine_in_ten", "basis", "reason",
)  # fmt: skip
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


@contextmanager
def open_folder(folder: Path, *, force: bool) -> Iterator[None]:
    """Check a folder, and yield for the run that writes to it, which has it alone.

    A run that raises leaves no empty folder where there was none.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    refuse_taken(folder, force=force)
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "cannot be written to", str(folder))
    with hold(folder):
        try:
            refuse_taken(folder, force=force)  # again: another run may have ended meanwhile
            yield
        except BaseException:
            for path in made:
                with suppress(OSError):  # something is in it, so it stays
                    path.rmdir()
            raise


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder. The system lets go of it when this process ends, however it ends."""
    if WINDOWS:  # folders cannot be locked there
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            lock_file(handle, wait=False)
        except BlockingIOError as error:
            raise FolderBusy(f"another process writes to {folder}; wait for it, or name another folder") from error
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(handle)


def refuse_taken(folder: Path, *, force: bool) -> None:
    """Raise where a folder has something in it, unless forced, or is none."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is a file; name a folder")
    if folder.is_dir():
        delete_abandoned(folder)  # of a run that was killed
    if folder.is_dir() and any(folder.iterdir()) and not force:
        raise InvalidInput(f"{folder} is not empty; name another folder, or write over what is there with force (--force)")


def write_folder(folder: Path, reconstruction: Reconstruction, document: dict[str, Any]) -> list[Path]:
    """Write the files. The document comes last: where it is, all are."""
    write_rows(folder / BLOCKS, BLOCK_COLUMNS, list_blocks(reconstruction))
    with write_whole(folder / DOCUMENT) as part:
        part.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return [folder / BLOCKS, folder / DOCUMENT]


def list_blocks(reconstruction: Reconstruction) -> list[dict[str, Any]]:
    """List a row for each block: where it lies on the site [m], its slot in the best proposal, the next best, and what that
    rests on."""
    survey = reconstruction.survey
    position, orientation = survey.ground.to_site(np.array(survey.position), np.array(survey.orientation))
    rows = []
    for number in range(len(survey)):
        described = reconstruction.describe_block(number)
        row: dict[str, Any] = dict.fromkeys(BLOCK_COLUMNS, "") | {"id": described["id"], "basis": described["basis"]}
        row |= {"certainty": round_chance(described["certainty"])}
        row |= dict(zip(("x", "y", "z"), position[number].tolist(), strict=True))
        row |= dict(zip(("qw", "qx", "qy", "qz"), orientation[number].tolist(), strict=True))
        if described["slot"] is not None:
            row |= {"slot": described["slot"], "probability": round_chance(described["probability"])}
        others = [each for each in described["alternatives"] if each["slot"] != described["slot"] and each["probability"] > 0]
        for rank, each in enumerate(others[: CHOICES - 1], 2):
            row |= {f"slot_{rank}": each["slot"], f"probability_{rank}": round_chance(each["probability"])}
        row |= {"nine_in_ten": " ".join(described["nine_in_ten"]), "reason": described["reason"]}
        rows.append(row)
    return rows


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
        "inputs": [{"file": show_text(path.name), "sha256": hash_file(path)} for path in observation.files],
        "cameras": [asdict(photo.camera) for photo in observation.photos] or None,
        "camera_files": [{"file": show_text(path.name), "sha256": hash_file(path)} for path in observation.camera_files] or None,
        "model": {"preset": card.preset, "version": card.version, "sha256": hash_file(tools.find_assigner(survey))},
        "eye": {path.name: hash_file(path) for path in nets} or None,
        "library": {"falls": len(tools.list_falls()), "sha256": hash_file(library) if library else None},
        "calibration": asdict(tools.calibration),
        "options": dict(options),
        "units": UNITS,
        "assumed": list(ASSUMED),
    }


def hash_sources(*rooms: str) -> str:
    """Hash every source file of the package, or of these rooms: who has the same files gets the same bits."""
    digest = hashlib.sha256()
    for path in sorted(path for room in rooms or (".",) for path in (PACKAGE / room).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
