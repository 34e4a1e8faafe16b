"""Files of tensors, written whole or not at all, and read without running anything that is in them."""

import warnings
import zipfile
from pathlib import Path
from typing import Any

import torch

from anastylosis.errors import InvalidInput
from anastylosis.whole_file import write_whole


def write_tensors(path: Path, state: dict[str, Any]) -> None:
    """Write named tensors, texts and numbers."""
    with write_whole(path) as part:
        torch.save(state, part)


def read_tensors(path: Path) -> dict[str, Any]:
    """Read such a file; a file of anything else is refused."""
    if is_damaged(path):
        raise InvalidInput(f"{path} is damaged")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about pickles that are not torch's own
            state = torch.load(path, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as error:  # what torch raises has no class in common but this; it advises to run the file
        raise InvalidInput(f"{path} is not a file of tensors, or only a part of one") from error
    if not isinstance(state, dict):
        raise InvalidInput(f"{path} is a file of tensors without names")
    return state


def is_damaged(path: Path) -> bool:
    """Return whether the checksums are wrong: torch writes them, and does not check them when it reads."""
    try:
        with zipfile.ZipFile(path) as file:
            return file.testzip() is not None
    except zipfile.BadZipFile:  # of an older kind, or no file of tensors; torch will say
        return False
